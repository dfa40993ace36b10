"""The image debian:trixie-slim, made from Debian's packages where no registry has it."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from pathlib import Path

from podmeter_testbed.progress import step
from podmeter_testbed.shell import run

SUITE = "trixie"
IMAGE = f"docker.io/library/debian:{SUITE}-slim"
# What Debian's own slim images leave out.
LEFT_OUT = (
    *("usr/share/doc", "usr/share/man", "usr/share/info", "usr/share/locale"),
    *("var/cache/apt", "var/lib/apt/lists", "var/log"),
)
BOOTSTRAP = ("debootstrap", "--variant=minbase", "--include=ca-certificates", SUITE)
RECIPE = repr((BOOTSTRAP, LEFT_OUT)).encode()


def archive(cache: Path) -> Path:
    """A tar of its root file system, made unless the cache has it."""
    key = hashlib.sha256(RECIPE).hexdigest()[:12]
    made = cache / "images" / f"debian-{SUITE}-slim-{key}.tar"
    if made.exists():
        return made
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
    return made
