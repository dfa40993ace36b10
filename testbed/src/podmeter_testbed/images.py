"""Container images without Docker or a registry: the bench image, and those of the add-ons."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from podmeter_testbed import builds, debian, image_tools
from podmeter_testbed.layout import BENCH_DOCKERFILE, BENCH_IMAGE
from podmeter_testbed.progress import step
from podmeter_testbed.shell import run
from podmeter_testbed.stages import Cost, Stage


@dataclass(frozen=True)
class Image:
    """An image of the testbed's own: binaries at `/usr/local/bin`, or where `files` says."""

    name: str
    component: builds.Component
    base: str
    files: tuple[tuple[str, str], ...]
    entrypoint: str = ""

    @property
    def reference(self) -> str:
        """Name and tag; the tag is the component's version."""
        return f"podmeter.testbed/{self.name}:{self.component.version}"

    @property
    def containerfile(self) -> str:
        """What buildah builds it from."""
        copies = [f"COPY {source} {target}" for source, target in self.files]
        entry = [f'ENTRYPOINT ["{self.entrypoint}"]'] if self.entrypoint else []
        # The bench image drops to its own user; images based on it work on the node as root.
        user = ["USER 0:0"] if self.base == BENCH_IMAGE else []
        return "\n".join([f"FROM {self.base}", *user, *copies, *entry]) + "\n"


# The tools of the bench image (iptables, nft, ipset, ip) are what these three call.
KUBE_PROXY = Image(
    "kube-proxy",
    builds.KUBERNETES,
    BENCH_IMAGE,
    (("kube-proxy", "/usr/local/bin/kube-proxy"),),
)
FLANNEL = Image(
    "flannel", builds.FLANNEL, BENCH_IMAGE, (("flannel", "/opt/bin/flanneld"),), "/opt/bin/flanneld"
)
KUBE_ROUTER = Image(
    "kube-router",
    builds.KUBE_ROUTER,
    BENCH_IMAGE,
    (("kube-router", "/usr/local/bin/kube-router"),),
    "/usr/local/bin/kube-router",
)
FLANNEL_CNI = Image("flannel-cni", builds.FLANNEL_CNI, BENCH_IMAGE, (("flannel", "/flannel"),))
PAUSE = Image("pause", builds.KUBERNETES, "scratch", (("pause", "/pause"),), "/pause")
COREDNS = Image("coredns", builds.COREDNS, "scratch", (("coredns", "/coredns"),), "/coredns")
METALLB_CONTROLLER = Image(
    "metallb-controller", builds.METALLB, "scratch", (("controller", "/controller"),), "/controller"
)
METALLB_SPEAKER = Image(
    "metallb-speaker", builds.METALLB, "scratch", (("speaker", "/speaker"),), "/speaker"
)
#: Every testbed's, on the nodes from the start.
IMAGES = (PAUSE, KUBE_PROXY, FLANNEL, FLANNEL_CNI, COREDNS)
BENCH_COST = Cost(cpu_seconds=60, seconds=45, cache=1.2, kept=0.2)
COST = Cost(cpu_seconds=20, seconds=15, cache=1.0, kept=0.7)


def _recipe() -> bytes:
    recipes = (Path(__file__), Path(image_tools.__file__))
    return b"".join(each.read_bytes() for each in recipes) + debian.RECIPE


def _bench_key() -> str:
    digest = hashlib.sha256(_recipe())
    for path in sorted(BENCH_DOCKERFILE.parent.rglob("*")):
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _key(of: tuple[Image, ...]) -> str:
    digest = hashlib.sha256(_bench_key().encode())
    for image in of:
        digest.update((image.containerfile + image.component.key).encode())
    return digest.hexdigest()[:12]


def bench_archive(cache: Path) -> Path:
    """The measuring image, which others are built on."""
    return cache / "images" / f"bench-{_bench_key()}.tar"


def output(cache: Path) -> Path:
    """A containerd root directory that holds the measuring image and IMAGES, unpacked."""
    return cache / "images" / _key(IMAGES)


def stages(cache: Path) -> tuple[Stage, ...]:
    """What makes `output`, as parts of a build. The components must be built."""
    return (
        debian.stage(cache),
        Stage(
            "measuring-image",
            "The measuring image",
            BENCH_COST,
            bench_archive(cache).exists,
            lambda: _build_bench(cache),
            beside=True,
        ),
        Stage("images", "The images", COST, output(cache).is_dir, lambda: _build(cache)),
    )


@dataclass(frozen=True)
class Bundle:
    """Images that some testbeds need: an archive, which is loaded into nodes that run."""

    name: str
    images: tuple[Image, ...]

    def archive(self, cache: Path) -> Path:
        """Where the archive is."""
        return cache / "images" / f"{self.name}-{_key(self.images)}.tar"

    def stages(self, cache: Path) -> tuple[Stage, ...]:
        """What makes it, as parts of a build. The measuring image must be built."""
        components = dict.fromkeys(image.component for image in self.images)
        return (
            *(builds.stage(cache, component) for component in components),
            Stage(
                f"{self.name}-images",
                f"The images of {self.name}",
                Cost(cpu_seconds=15, seconds=10, cache=0.5, kept=0.15),
                self.archive(cache).exists,
                lambda: _build_bundle(cache, self),
            ),
        )


KUBE_ROUTER_BUNDLE = Bundle("kube-router", (KUBE_ROUTER,))
METALLB_BUNDLE = Bundle("metallb", (METALLB_CONTROLLER, METALLB_SPEAKER))


def _build_bench(cache: Path) -> None:
    archive = bench_archive(cache)
    with tempfile.TemporaryDirectory(dir=archive.parent, prefix=".building-") as temporary:
        work = Path(temporary)
        with step("building the measuring image"), image_tools.buildah(work) as buildah:
            image_tools.import_base(buildah, debian.output(cache))
            image_tools.build(buildah, BENCH_IMAGE, BENCH_DOCKERFILE)
            run(*buildah, "push", BENCH_IMAGE, f"oci-archive:{work}/image.tar:{BENCH_IMAGE}")
        (work / "image.tar").rename(archive)


def _build(cache: Path) -> None:
    folder = output(cache)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".building-") as temporary:
        work = Path(temporary)
        references = _build_into(work, cache, IMAGES)
        with step("unpacking the images"):
            image_tools.unpack(work, [BENCH_IMAGE, *references])
        (work / "containerd").rename(folder)


def _build_bundle(cache: Path, bundle: Bundle) -> None:
    archive = bundle.archive(cache)
    with tempfile.TemporaryDirectory(dir=archive.parent, prefix=".building-") as temporary:
        work = Path(temporary)
        _build_into(work, cache, bundle.images)
        (work / "images.tar").rename(archive)


def _build_into(work: Path, cache: Path, of: tuple[Image, ...]) -> list[str]:
    """Build images into `work/images.tar`, an OCI archive; returns their references.

    The measuring image is in it where others are built on it.
    """
    with step("building the images"), image_tools.buildah(work) as buildah:
        references = [image.reference for image in of]
        if any(image.base == BENCH_IMAGE for image in of):
            run(*buildah, "pull", f"oci-archive:{bench_archive(cache)}")
            references.insert(0, BENCH_IMAGE)
        for image in of:
            _build_image(buildah, cache, image, work / "context")
        for reference in references:
            run(*buildah, "push", reference, f"oci:{work}/layout:{reference}")
        image_tools.pack(work)
    return references


def _build_image(buildah: list[str], cache: Path, image: Image, context: Path) -> None:
    context.mkdir()
    binaries = builds.output(cache, image.component)
    if image is PAUSE:
        flags = ("-Os", "-static", f"-DVERSION={image.component.version}")
        run("gcc", *flags, "-o", context / "pause", binaries / "pause.c")
    for source, _ in image.files:
        if not (context / source).exists():
            shutil.copy(binaries / source, context / source)
    (context / "Containerfile").write_text(image.containerfile)
    image_tools.build(buildah, image.reference, context / "Containerfile")
    shutil.rmtree(context)
