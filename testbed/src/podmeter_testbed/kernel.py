"""A kernel of the testbed's own, that runs as a process: Linux for ARCH=um, from Debian's source.

It has what the machine's own may lack (IPVS, IP in IP, WireGuard, geneve, netem), all built in:
`testbed/kernel/uml.config` says what. Two patches beside it make it faster: `host-clock.patch` lets
its processes read the clock without a trap into it (each read was 9 µs, and nine of ten system
calls of the API server were one), `one-cpu.patch` spares its only CPU what several would need (a
new process took twice as long).
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import tempfile
from collections import deque
from pathlib import Path

from podmeter_testbed import stages
from podmeter_testbed.errors import TestbedError
from podmeter_testbed.layout import KERNEL_CONFIG, KERNEL_PATCHES
from podmeter_testbed.progress import Progress, say, step
from podmeter_testbed.shell import run
from podmeter_testbed.stages import Cost, Stage

#: Debian keeps few versions of a package, and not for long: the newest of this series is taken
#: where it is still there, else of the next one. What was built once is in the cache.
SERIES = (7, 2)
SUITES = ("trixie-backports", "sid")
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
DEFAULTS = "x86_64_defconfig"
COST = Cost(cpu_seconds=620, seconds=80, cache=4.0, kept=0.1)
# The same source gives the same kernel.
STAMPS = {
    "KBUILD_BUILD_USER": "podmeter",
    "KBUILD_BUILD_HOST": "testbed",
    "KBUILD_BUILD_TIMESTAMP": "2026-01-01",
}


def _recipe() -> str:
    recipe = repr((DEFAULTS, STAMPS)).encode()
    recipe += b"".join(part.read_bytes() for part in (KERNEL_CONFIG, *KERNEL_PATCHES))
    return hashlib.sha256(recipe).hexdigest()[:12]


def output(cache: Path) -> Path | None:
    """The folder of the kernel (`linux`) and its `config`, None where it is not built."""
    built = (cache / "kernel").glob(f"*-{_recipe()}")
    return max(built, key=lambda folder: folder.stat().st_mtime, default=None)


def stage(cache: Path) -> Stage:
    """The kernel as a part of a build; one of whatever version that the cache has will do."""
    title = f"Linux {'.'.join(map(str, SERIES))} for ARCH=um"
    return Stage("kernel", title, COST, lambda: output(cache) is not None, lambda: _build(cache))


def build(cache: Path) -> Path:
    """Build the kernel unless the cache has it; returns its folder there."""
    stages.run(cache, [stage(cache)])
    folder = output(cache)
    if folder is None:
        raise TestbedError(f"no kernel in {cache}, though one was built")
    return folder


def _build(cache: Path) -> None:
    (cache / "kernel").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache / "kernel", prefix=".building-") as temporary:
        work = Path(temporary)
        source, version = _source(work)
        for patch in KERNEL_PATCHES:
            apply(patch, source, version)
        made = work / "made"
        made.mkdir()
        objects = work / "objects"
        objects.mkdir()
        make = ("make", "-C", str(source), "ARCH=um", f"O={objects}")
        _configure(make, objects / ".config")
        (made / "config").write_bytes((objects / ".config").read_bytes())
        _compile(make, f"building Linux {version} for ARCH=um")
        run("strip", "-o", made / "linux", objects / "linux")
        folder = cache / "kernel" / f"{version}-{_recipe()}"
        made.rename(folder)


def _source(work: Path) -> tuple[Path, str]:
    """Debian's kernel source, unpacked, and its version."""
    with step("fetching the kernel's source"):
        apt = _apt(work)
        run("apt-get", *apt, "update")
        names = run("apt-cache", *apt, "search", "--names-only", r"^linux-source-[0-9]").split("\n")
        package = choose([name.split()[0] for name in names if name])
        offered = run("apt-cache", *apt, "madison", package).splitlines()
        version = offered[0].split("|")[1].strip()
        run("apt-get", *apt, "download", f"{package}={version}", cwd=work)
    with step("unpacking it"):
        (archive,) = work.glob("*.deb")
        run("dpkg-deb", "--extract", archive, work / "package", timeout=1200)
        (packed,) = (work / "package").glob("usr/src/*.tar.xz")
        run("tar", "--directory", work, "--extract", "--file", packed, timeout=1200)
        packed.unlink()
    return work / package, version.partition("-")[0]


def apply(patch: Path, source: Path, version: str) -> None:
    """Make a source faster, or say that it has changed too much for that patch."""
    command = ("patch", "--directory", source, "--strip", "1", "--forward", "--input", patch)
    try:
        run(*command, "--dry-run")
    except TestbedError:
        say(f"{patch.name} does not fit Linux {version}: it is built without, and is slower")
        return
    run(*command)


def choose(packages: list[str]) -> str:
    """The package of the wanted series, or of the next newer one that there is."""
    series = {}
    for package in packages:
        if found := re.fullmatch(r"linux-source-(\d+)\.(\d+)", package):
            series[int(found[1]), int(found[2])] = package
    fitting = sorted(one for one in series if one >= SERIES)
    wanted = ".".join(map(str, SERIES))
    if not fitting:
        raise TestbedError(f"{', '.join(SUITES)} have no source of Linux {wanted} or newer")
    if fitting[0] != SERIES:
        say(f"Linux {wanted} is no longer there; {series[fitting[0]]} is taken")
    return series[fitting[0]]


def _apt(work: Path) -> list[str]:
    """Options by which apt knows the suites with the source, and this machine's lists stay."""
    uris = run("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages")
    mirrors = [uri for uri in uris.split() if uri.rstrip("/").endswith("/debian")]
    if not mirrors:
        raise TestbedError(
            "apt knows no Debian archive (a source whose address ends in /debian), "
            "which the kernel's source is in"
        )
    signed = f" [signed-by={KEYRING}]" if KEYRING.exists() else ""
    listed = work / "sources.list"
    listed.write_text("".join(f"deb{signed} {mirrors[0]} {suite} main\n" for suite in SUITES))
    for folder in ("lists/partial", "cache/archives/partial"):
        (work / folder).mkdir(parents=True)
    settings = {
        "Dir::Etc::SourceList": listed,
        "Dir::Etc::SourceParts": "/nonexistent",
        "Dir::State::Lists": work / "lists",
        "Dir::Cache": work / "cache",
        "Acquire::Languages": "none",
        "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled": "false",
        # It may not enter a folder of root's own.
        "APT::Sandbox::User": "root",
    }
    return [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]


def _configure(make: tuple[str, ...], config: Path) -> None:
    run(*make, "--silent", DEFAULTS)
    wanted = KERNEL_CONFIG.read_text()
    with config.open("a") as file:
        file.write(wanted)
    run(*make, "--silent", "olddefconfig")
    if lacking := not_granted(wanted, config.read_text()):
        raise TestbedError(
            f"{KERNEL_CONFIG} asks for what this source does not grant: {', '.join(lacking)}"
        )


def not_granted(wanted: str, granted: str) -> list[str]:
    """The lines of a fragment that a whole configuration does not hold."""
    have = set(granted.splitlines())
    known = set(re.findall(r"^CONFIG_\w+", granted, re.M))
    lacking = [line for line in re.findall(r"^CONFIG_\w+=.*", wanted, re.M) if line not in have]
    unwanted = re.findall(r"^# (CONFIG_\w+) is not set", wanted, re.M)
    return lacking + [f"no {name}" for name in unwanted if name in known]


def _compile(make: tuple[str, ...], title: str) -> None:
    progress = Progress(title)
    said: deque[str] = deque(maxlen=30)
    with subprocess.Popen(
        [*make, f"--jobs={os.cpu_count() or 1}", "linux"],
        env={**os.environ, **STAMPS},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        for line in process.stdout or ():
            said.append(line)
            progress.advance()
    if process.returncode != 0:
        raise TestbedError(f"{title} failed:\n{''.join(said)}")
    progress.done()
