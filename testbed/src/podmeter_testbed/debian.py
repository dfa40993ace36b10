"""The image debian:trixie-slim, made from Debian's packages where no registry has it."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from pathlib import Path

from podmeter_testbed.progress import step
from podmeter_testbed.shell import run
from podmeter_testbed.stages import Cost, Stage

SUITE = "trixie"
IMAGE = f"docker.io/library/debian:{SUITE}-slim"
# What Debian's own slim images leave out.
LEFT_OUT = (
    *("usr/share/doc", "usr/share/man", "usr/share/info", "usr/share/locale"),
    *("var/cache/apt", "var/lib/apt/lists", "var/log"),
)
BOOTSTRAP = ("debootstrap", "--variant=minbase", "--include=ca-certificates", SUITE)
RECIPE = repr((BOOTSTRAP, LEFT_OUT)).encode()
COST = Cost(cpu_seconds=20, seconds=20, kept=0.2)


def output(cache: Path) -> Path:
    """A tar of its root file system."""
    key = hashlib.sha256(RECIPE).hexdigest()[:12]
    return cache / "images" / f"debian-{SUITE}-slim-{key}.tar"


def stage(cache: Path) -> Stage:
    """The archive as a part of a build."""
    title = f"Debian {SUITE}, the images' root file system"
    return Stage(
        "debian", title, COST, output(cache).exists, lambda: _make(output(cache)), beside=True
    )


def _make(made: Path) -> None:
    made.parent.mkdir(parents=True, exist_ok=True)
    with (
        step(f"making a Debian {SUITE} root file system"),
        tempfile.TemporaryDirectory(dir=made.parent, prefix=".building-") as temporary,
    ):
        root = Path(temporary, "root")
        run(*BOOTSTRAP, root)
        for left_out in LEFT_OUT:
            for path in (root / left_out).glob("*"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        partial = Path(temporary, "root.tar")
        run("tar", "--directory", root, "--numeric-owner", "--create", "--file", partial, ".")
        partial.rename(made)
