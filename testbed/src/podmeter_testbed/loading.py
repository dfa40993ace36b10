"""Bringing images that were built elsewhere to the nodes, which reach no registry."""

from __future__ import annotations

import subprocess
from pathlib import Path

from podmeter_testbed import machines
from podmeter_testbed.errors import TestbedError
from podmeter_testbed.layout import NODES, Layout
from podmeter_testbed.progress import step

_IMPORT = ("ctr", "--namespace", "k8s.io", "images", "import", "-")


def load(layout: Layout, archive: Path) -> None:
    """Import what `docker save` wrote into the containerd of each node."""
    for name in NODES:
        machine = machines.require(layout, name)
        with step(f"loading {archive.name} into {name}"), archive.open("rb") as content:
            ended = subprocess.run(
                machine.inside(*_IMPORT), stdin=content, capture_output=True, check=False
            )
        if ended.returncode != 0:
            said = ended.stderr.decode(errors="replace").strip()[-2000:]
            raise TestbedError(f"{archive} could not be loaded into {name}: {said}")
