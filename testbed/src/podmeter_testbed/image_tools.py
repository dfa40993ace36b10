"""Making and unpacking images without Docker: buildah with a store of its own, and containerd."""

from __future__ import annotations

import shutil
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from podmeter_testbed import debian
from podmeter_testbed.errors import TestbedError
from podmeter_testbed.shell import run

CONTAINERD_TEMPLATE = """\
version = 2
root = "{root}"
state = "{state}"
disabled_plugins = ["io.containerd.grpc.v1.cri", "io.containerd.internal.v1.opt"]
[grpc]
address = "{state}/containerd.sock"
[ttrpc]
address = "{state}/containerd.sock.ttrpc"
"""


@contextmanager
def buildah(work: Path) -> Iterator[list[str]]:
    """The words that start every buildah command, with a store of its own."""
    # buildah keeps a cache of blob names there, whatever its options say.
    shared = Path("/var/lib/containers")
    there_before = shared.exists()
    policy = work / "policy.json"
    policy.write_text('{"default": [{"type": "insecureAcceptAnything"}]}')
    store = ("--root", f"{work}/storage", "--runroot", f"{work}/run")
    try:
        yield ["env", f"TMPDIR={work}", "buildah", *store]
    finally:
        # Layers are mounted while they are in use.
        for line in reversed(Path("/proc/self/mounts").read_text().splitlines()):
            target = line.split()[1]
            if target.startswith(f"{work}/"):
                run("umount", "--lazy", target)
        if not there_before:
            shutil.rmtree(shared, ignore_errors=True)


def import_base(buildah: list[str], archive: Path) -> None:
    """Make Debian's image of its root file system."""
    container = run(*buildah, "from", "scratch").strip()
    run(*buildah, "add", "--quiet", container, archive, "/")
    run(*buildah, "config", "--cmd", "bash", container)
    run(*buildah, "commit", "--quiet", "--rm", container, debian.IMAGE)


def build(buildah: list[str], reference: str, dockerfile: Path) -> None:
    """Build what a Dockerfile says, in its folder; it may download as this machine does.

    Its secret `certificates` are the authorities that this machine trusts, of a proxy on the way to
    the modules too.
    """
    paths = ssl.get_default_verify_paths()
    certificates = paths.cafile or paths.openssl_cafile
    run(
        *(*buildah, "bud", "--isolation", "chroot", "--pull-never", "--layers=false"),
        *("--secret", f"id=certificates,src={certificates}"),
        *("--tag", reference, "--file", dockerfile, dockerfile.parent),
        timeout=1200,
    )


def pack(work: Path) -> None:
    """Make `work/images.tar` of the images of `work/layout`."""
    run("tar", "--directory", work / "layout", "--create", "--file", work / "images.tar", ".")


def unpack(work: Path, references: list[str]) -> None:
    """Import `work/images.tar` into a containerd root that nodes then take as it is.

    It is `work/containerd`, where others may be already.
    """
    archive, root, state = work / "images.tar", work / "containerd", Path("/run/podmeter-images")
    config = work / "containerd.toml"
    config.write_text(CONTAINERD_TEMPLATE.format(root=root, state=state))
    script = f"""
        mount -t tmpfs podmeter-run /run
        containerd --config {config} >{work}/containerd.log 2>&1 &
        containerd=$!
        for turn in $(seq 300); do [ -S {state}/containerd.sock ] && break; sleep 0.1; done
        ctr --address {state}/containerd.sock --namespace k8s.io images import {archive}
        status=$?
        kill $containerd
        wait
        exit $status
    """
    said = run("unshare", "--mount", "sh", "-c", script)
    missing = [reference for reference in references if reference not in said]
    if missing:
        raise TestbedError(f"containerd did not import {', '.join(missing)}; it said: {said}")
