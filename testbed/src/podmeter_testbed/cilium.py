"""Cilium, where it is asked for (CNI=cilium): its build, its image, and the images of its nodes."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from pathlib import Path

from podmeter_testbed import builds, debian, image_tools, images, node_images
from podmeter_testbed.layout import PROJECT
from podmeter_testbed.progress import step
from podmeter_testbed.shell import run
from podmeter_testbed.stages import Cost, Stage

#: 1.15 is the newest version whose modules are all available from a Go module proxy.
COMPONENT = builds.Component(
    "cilium",
    "github.com/cilium/cilium",
    ("daemon", "operator", "cilium-dbg", "cilium-cni"),
    title="Cilium",
    cost=Cost(cpu_seconds=700, seconds=20, cache=3.0, kept=0.4),
    version_variable="github.com/cilium/cilium/pkg/version.ciliumVersion",
    extras=("bpf",),
    # No operator of a cloud's addresses.
    tags=("osusergo", "ipam_provider_operator"),
    changes=(
        # A kernel without modules has no such file, and the agent ends without it: its manifest
        # puts a list here, the kernel's own or, where that has none, what is built in.
        builds.Change(
            "pkg/datapath/linux/modules/modules_linux.go",
            'loadedModulesFilepath = "/proc/modules"',
            'loadedModulesFilepath = "/run/modules"',
        ),
    ),
)
IMAGE = f"podmeter.testbed/cilium:{COMPONENT.version}"
FOLDER = PROJECT / "testbed" / "images" / "cilium"
#: Tests of the programs, which no node runs.
_LEFT_OUT = ("tests", "complexity-tests")


def output(cache: Path) -> Path:
    """A containerd root directory as that of images.py, with Cilium's image besides."""
    digest = hashlib.sha256(COMPONENT.key.encode() + Path(__file__).read_bytes())
    for path in sorted(FOLDER.iterdir()):
        digest.update(path.read_bytes())
    folder = images.output(cache)
    return folder.with_name(f"{folder.name}-cilium-{digest.hexdigest()[:12]}")


def stages(cache: Path) -> tuple[Stage, ...]:
    """What makes `output`, as parts of a build. The other images must be built."""
    return (
        builds.stage(cache, COMPONENT),
        Stage(
            "cilium-image",
            "Cilium's image",
            Cost(cpu_seconds=60, seconds=60, cache=2.0, kept=0.9),
            output(cache).is_dir,
            lambda: _build(cache),
        ),
    )


def _build(cache: Path) -> None:
    binaries = builds.output(cache, COMPONENT)
    folder = output(cache)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".building-") as temporary:
        work = Path(temporary)
        with step("building Cilium's image"), image_tools.buildah(work) as buildah:
            context = work / "context"
            shutil.copytree(FOLDER, context)
            shutil.copytree(binaries, context, dirs_exist_ok=True)
            for name in _LEFT_OUT:
                shutil.rmtree(context / "bpf" / name)
            image_tools.import_base(buildah, debian.output(cache))
            image_tools.build(buildah, IMAGE, context / "Dockerfile")
            run(*buildah, "push", IMAGE, f"oci:{work}/layout:{IMAGE}", timeout=600)
            image_tools.pack(work)
        with step("unpacking Cilium's image"):
            node_images.take(images.output(cache), work / "containerd")
            image_tools.unpack(work, [IMAGE])
        (work / "containerd").rename(folder)
