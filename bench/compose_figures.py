"""Memory and start-up of docker-compose.yml's idle stack: `podmeter-testbed engine python -m …`.

Clones what is committed, builds the images, starts the stack again and waits until all of it is
healthy; then adds up the proportional set size of every process in its containers once that has
settled. Prints a line for each service. What it made is gone afterwards.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from core.bench.footprint import Group, pss_kib, settled
from images.tests.compose import PROJECT, Compose, docker

#: A network whose proxy signs with authorities of its own says so by one of these.
CERTIFICATES = ("PODMETER_BUILD_CERTIFICATES", "NODE_EXTRA_CA_CERTS", "PIP_CERT")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", type=Path, help="write the figures there too")
    given = parser.parse_args()
    with _clone() as compose:
        began = time.monotonic()
        compose.run("build", timeout=1500)
        built = time.monotonic() - began
        began = time.monotonic()
        compose.run("up", "--detach", "--wait")
        started = time.monotonic() - began
        compose.run("stop")
        began = time.monotonic()
        compose.run("up", "--detach", "--wait")
        again = time.monotonic() - began
        groups = settled(partial(memory, compose))
    total = round(sum(one.mib for one in groups), 1)
    rows: list[dict[str, Any]] = [
        {"what": "images built from nothing", "value": round(built), "unit": "s"},
        {
            "what": "first start until healthy",
            "value": round(started, 1),
            "unit": "s",
            "note": "images there, database made and migrated",
        },
        {"what": "start until healthy", "value": round(again, 1), "unit": "s"},
        {
            "what": "idle stack",
            "value": total,
            "unit": "MiB PSS",
            "note": f"{sum(one.processes for one in groups)} processes",
        },
    ]
    rows += [
        {
            "what": f"of it {one.name}",
            "value": one.mib,
            "unit": "MiB PSS",
            "note": f"{one.processes} processes",
        }
        for one in groups
    ]
    for row in rows:
        print(f"{row['what']:28} {row['value']:8} {row['unit']:8} {row.get('note', '')}")
    if given.json:
        given.json.write_text(json.dumps(rows, indent=2) + "\n")


@contextmanager
def _clone() -> Iterator[Compose]:
    with tempfile.TemporaryDirectory(prefix="podmeter-bench-") as folder:
        clone = Path(folder, "podmeter")
        subprocess.run(["git", "clone", "--quiet", PROJECT, clone], check=True)
        found = [os.environ[name] for name in CERTIFICATES if os.environ.get(name)]
        compose = Compose(clone, certificates=found[0] if found else "/dev/null")
        subprocess.run(["make", "env"], cwd=clone, check=True, env=compose.environment)
        try:
            yield compose
        finally:
            compose.run("down", "--volumes", "--remove-orphans")


def _containers(compose: Compose) -> dict[str, str]:
    """Service by container."""
    found = json.loads(docker("inspect", *compose.run("ps", "--quiet").split()))
    return {one["Id"]: one["Config"]["Labels"]["com.docker.compose.service"] for one in found}


def memory(compose: Compose) -> list[Group]:
    """Of each service, with the number of its processes.

    They are found by their cgroup: the engine may count them otherwise than this machine does.
    """
    containers = _containers(compose)
    members: dict[str, list[int]] = {service: [] for service in sorted(containers.values())}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            cgroup = (entry / "cgroup").read_text()
        except (FileNotFoundError, ProcessLookupError):  # ended meanwhile
            continue
        for container, service in containers.items():
            if container in cgroup:
                members[service].append(int(entry.name))
    return [
        Group(service, len(pids), round(sum(map(pss_kib, pids)) / 1024, 1))
        for service, pids in members.items()
    ]


if __name__ == "__main__":
    main()
