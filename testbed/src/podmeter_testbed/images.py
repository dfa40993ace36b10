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
        # The bench image drops to a user of its own; what stands on it works on the node as root.
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
IMAGES = (
    *(PAUSE, KUBE_PROXY, FLANNEL, FLANNEL_CNI, KUBE_ROUTER),
    *(COREDNS, METALLB_CONTROLLER, METALLB_SPEAKER),
)


def _key() -> str:
    digest = hashlib.sha256()
    for path in sorted(BENCH_DOCKERFILE.parent.iterdir()):
        digest.update(path.read_bytes())
    recipes = (Path(__file__), Path(image_tools.__file__))
    digest.update(b"".join(one.read_bytes() for one in recipes) + debian.RECIPE)
    for image in IMAGES:
        digest.update((image.containerfile + image.component.key).encode())
    return digest.hexdigest()[:12]


def output(cache: Path) -> Path:
    """A containerd root directory that holds every image, unpacked."""
    return cache / "images" / _key()


def build(cache: Path) -> Path:
    """Make `output` unless it is there. The components must be built."""
    folder = output(cache)
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    base = debian.archive(cache)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".building-") as temporary:
        work = Path(temporary)
        with step("building the images"), image_tools.buildah(work) as buildah:
            image_tools.import_base(buildah, base)
            image_tools.build(buildah, BENCH_IMAGE, BENCH_DOCKERFILE)
            for image in IMAGES:
                _build_image(buildah, cache, image, work / "context")
            references = [BENCH_IMAGE, *(image.reference for image in IMAGES)]
            for reference in references:
                run(*buildah, "push", reference, f"oci:{work}/layout:{reference}")
        with step("unpacking the images"):
            image_tools.unpack(work, references)
        (work / "containerd").rename(folder)
    return folder


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
