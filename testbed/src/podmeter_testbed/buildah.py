"""buildah, with a store of its own: images without Docker or a registry."""

from __future__ import annotations

import shutil
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from podmeter_testbed import debian
from podmeter_testbed.shell import run


@contextmanager
def store(work: Path) -> Iterator[list[str]]:
    """The words that start every buildah command; its store is below `work`."""
    # buildah keeps a cache of blob names there, whatever its options say.
    shared = Path("/var/lib/containers")
    there_before = shared.exists()
    policy = work / "policy.json"
    policy.write_text('{"default": [{"type": "insecureAcceptAnything"}]}')
    options = ("--root", f"{work}/storage", "--runroot", f"{work}/run")
    try:
        yield ["env", f"TMPDIR={work}", "buildah", *options]
    finally:
        # Layers are mounted while they are in use.
        for line in reversed(Path("/proc/self/mounts").read_text().splitlines()):
            target = line.split()[1]
            if target.startswith(f"{work}/"):
                run("umount", "--lazy", target)
        if not there_before:
            shutil.rmtree(shared, ignore_errors=True)


def import_base(buildah: list[str], archive: Path) -> None:
    """Make Debian's image from its root file system."""
    container = run(*buildah, "from", "scratch").strip()
    run(*buildah, "add", "--quiet", container, archive, "/")
    run(*buildah, "config", "--cmd", "bash", container)
    run(*buildah, "commit", "--quiet", "--rm", container, debian.IMAGE)


def build(buildah: list[str], reference: str, dockerfile: Path) -> None:
    """Build what a Dockerfile says, in its folder; it may download, trusting as this machine."""
    run(
        *(*buildah, "bud", "--isolation", "chroot", "--pull-never", "--layers=false"),
        *("--secret", f"id=certificates,src={_certificates()}"),
        *("--tag", reference, "--file", dockerfile, dockerfile.parent),
        timeout=1200,
    )


def _certificates() -> str:
    """The authorities that this machine trusts; of a proxy on the way to the modules too."""
    paths = ssl.get_default_verify_paths()
    return paths.cafile or paths.openssl_cafile
