"""What the machine must have before a testbed can start."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from pathlib import Path

from podmeter_testbed.errors import TestbedError
from podmeter_testbed.settings import Kernel
from podmeter_testbed.shell import run

# Program -> Debian package that has it. The machine is the client outside, too, by ab and curl.
PROGRAMS = {
    "ab": "apache2-utils",
    "buildah": "buildah",
    "containerd": "containerd",
    "ctr": "containerd",
    "curl": "curl",
    "conntrack": "conntrack",
    "debootstrap": "debootstrap",
    "etcd": "etcd-server",
    "ethtool": "ethtool",
    "gcc": "gcc",
    "ip": "iproute2",
    "ipset": "ipset",
    "iptables": "iptables",
    "mount": "mount",
    "nft": "nftables",
    "nsenter": "util-linux",
    "runc": "runc",
    "tar": "tar",
    "taskset": "util-linux",
    "tc": "iproute2",
    "unshare": "util-linux",
}
# What a kernel of the testbed's own is built, given its disk and told of by.
KERNEL_PROGRAMS = {
    "bc": "bc",
    "bison": "bison",
    "depmod": "kmod",
    "dpkg-deb": "dpkg",
    "flex": "flex",
    "gcc": "gcc",
    "m4": "m4",
    "make": "make",
    "mke2fs": "e2fsprogs",
    "patch": "patch",
    "strip": "binutils",
    "tar": "tar",
    "xz": "xz-utils",
}
# What a Docker engine of the tests' own takes.
ENGINE_PROGRAMS = {
    "debootstrap": "debootstrap",
    "dockerd": "docker.io",
    "ip": "iproute2",
    "iptables": "iptables",
    "mount": "mount",
    "nsenter": "util-linux",
    "setpriv": "util-linux",
    "slirp4netns": "slirp4netns",
    "tar": "tar",
    "tini": "tini",
    "unshare": "util-linux",
}
FILES = {
    "/usr/lib/cni/bridge": "containernetworking-plugins",
    "/usr/lib/cni/portmap": "containernetworking-plugins",
    "/usr/lib/x86_64-linux-gnu/libc.a": "libc6-dev",
}
GO_AT_LEAST = (1, 25)
SYSTEM_PATH = ("/usr/local/sbin", "/usr/sbin", "/sbin")


def complete_path() -> None:
    """Find what lies in sbin, which a user's PATH often leaves out, and Go at its usual place."""
    parts = os.environ.get("PATH", "").split(":")
    more = [part for part in (*SYSTEM_PATH, "/usr/local/go/bin") if part not in parts]
    os.environ["PATH"] = ":".join([*parts, *more])


def cannot_run() -> list[str]:
    """Reasons why this machine cannot run a testbed; installing packages does not help."""
    if sys.platform != "linux":
        return [f"the testbed needs Linux, this is {platform.system()}"]
    reasons = []
    if os.geteuid() != 0:
        reasons.append("the testbed needs root, for network namespaces: run the command with sudo")
    if platform.machine() not in ("x86_64", "aarch64"):
        reasons.append(f"the testbed knows x86_64 and aarch64, this is {platform.machine()}")
    return reasons


def _cannot_run_on(kernel: Kernel | None) -> list[str]:
    if kernel is Kernel.UML and platform.machine() != "x86_64":
        return [f"KERNEL={kernel} needs x86_64, this is {platform.machine()}"]
    return []


def missing_for_engine() -> list[str]:
    """Debian packages to install for an engine."""
    return sorted({of for name, of in ENGINE_PROGRAMS.items() if shutil.which(name) is None})


def missing_packages(kernel: Kernel | None = None) -> list[str]:
    """Debian packages to install for the testbed on a kernel."""
    programs = PROGRAMS | (KERNEL_PROGRAMS if kernel is Kernel.UML else {})
    packages = {package for name, package in programs.items() if shutil.which(name) is None}
    machine = platform.machine()
    files = {path.replace("x86_64", machine): package for path, package in FILES.items()}
    packages |= {package for path, package in files.items() if not Path(path).exists()}
    return sorted(packages)


def go_problem() -> str | None:
    """What is wrong with Go, or None."""
    wanted = ".".join(map(str, GO_AT_LEAST))
    if shutil.which("go") is None:
        return f"Go {wanted} or newer is needed to build Kubernetes: see https://go.dev/doc/install"
    said = run("go", "env", "GOVERSION").strip()
    found = re.match(r"go(\d+)\.(\d+)", said)
    if found is None or (int(found[1]), int(found[2])) < GO_AT_LEAST:
        return f"Go {wanted} or newer is needed to build Kubernetes, this is {said}"
    return None


def problems(*, built: bool, kernel: Kernel | None = None) -> list[str]:
    """All obstacles, each with its fix. Go is only needed until everything is `built`."""
    target = "make testbed-deps" + (f" KERNEL={kernel}" if kernel is Kernel.UML else "")
    reasons = cannot_run() or _cannot_run_on(kernel)
    return reasons or _to_install(missing_packages(kernel), target, built=built)


def _to_install(packages: list[str], target: str, *, built: bool) -> list[str]:
    found = []
    if packages:
        found.append(
            f"not installed: {' '.join(packages)}. `{target}` installs them, or: "
            f"apt-get install --no-install-recommends {' '.join(packages)}"
        )
    if not built and (problem := go_problem()):
        found.append(problem)
    return found


def check(*, built: bool, kernel: Kernel | None = None) -> None:
    """TestbedError with every problem there is."""
    if found := problems(built=built, kernel=kernel):
        raise TestbedError("\n".join(found))


def check_engine(*, built: bool) -> None:
    """TestbedError with every problem of an engine. Go matters until its plugins are `built`."""
    missing = missing_for_engine()
    target = "podmeter-testbed deps --engine"
    if found := cannot_run() or _to_install(missing, target, built=built):
        raise TestbedError("\n".join(found))


def install(*, engine: bool = False, kernel: Kernel | None = None) -> list[str]:
    """Install the missing Debian packages; returns which those were."""
    if reasons := cannot_run() or _cannot_run_on(kernel):
        raise TestbedError("\n".join(reasons))
    packages = missing_for_engine() if engine else missing_packages(kernel)
    if not packages:
        return []
    if shutil.which("apt-get") is None:
        raise TestbedError(
            "no apt-get here; install what Debian calls " + ", ".join(packages) + " by hand"
        )
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    run("apt-get", "update", env=quiet)
    # Installed, not started: the testbed runs its own in namespaces.
    policy = Path("/usr/sbin/policy-rc.d")
    ours = not policy.exists()
    if ours:
        policy.write_text("#!/bin/sh\nexit 101\n")
        policy.chmod(0o755)
    try:
        run("apt-get", "install", "--yes", "--no-install-recommends", *packages, env=quiet)
    finally:
        if ours:
            policy.unlink()
    return packages
