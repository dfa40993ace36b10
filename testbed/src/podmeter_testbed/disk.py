"""The disk of the testbed's own kernel: what nodes write, and every image on each of them.

That kernel sees this machine's files without their extended attributes, which layers of images
have; and a disk keeps what is written out of memory.
"""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

from podmeter_testbed import images, node_images
from podmeter_testbed.layout import NODES
from podmeter_testbed.nodes import IMAGES_FOLDER
from podmeter_testbed.progress import step
from podmeter_testbed.shell import run
from podmeter_testbed.stages import Cost, Stage

#: What nobody wrote takes no room.
SIZE = "16G"
#: Thrown away at `down`, so it needs no journal.
OPTIONS = ("-q", "-t", "ext4", "-m", "0", "-O", "^has_journal", "-E", "lazy_itable_init=1")


def output(cache: Path) -> Path:
    """The file: the nodes' folders of a state directory. It is never written to."""
    folder = images.output(cache)
    recipe = hashlib.sha256(repr((SIZE, OPTIONS, NODES)).encode()).hexdigest()[:6]
    return folder.with_name(f"{folder.name}-{recipe}.ext4")


def stage(cache: Path) -> Stage:
    """What makes `output`, as a part of a build. The images must be built."""
    cost = Cost(cpu_seconds=10, seconds=20, kept=1.5)
    return Stage("disk", "The kernel's disk", cost, output(cache).exists, lambda: _build(cache))


def _build(cache: Path) -> None:
    file = output(cache)
    with (
        step("making the kernel's disk"),
        tempfile.TemporaryDirectory(dir=file.parent, prefix=".building-") as temporary,
    ):
        root, partial = Path(temporary, "root"), Path(temporary, "disk")
        for name in NODES:
            node_images.take(images.output(cache), root / name / IMAGES_FOLDER)
        run("mke2fs", *OPTIONS, "-d", root, partial, SIZE)
        partial.rename(file)
