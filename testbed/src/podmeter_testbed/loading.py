"""Bringing images that were built elsewhere to the nodes, which reach no registry."""

from __future__ import annotations

import subprocess
from contextlib import ExitStack
from pathlib import Path

from podmeter_testbed import machines
from podmeter_testbed.errors import TestbedError
from podmeter_testbed.layout import Layout
from podmeter_testbed.progress import step

_IMPORT = ("ctr", "--namespace", "k8s.io", "images", "import", "-")


def load(layout: Layout, archive: Path) -> None:
    """Import what `docker save` wrote into the containerd of each node."""
    nodes = {name: machines.require(layout, name) for name in layout.nodes}
    with step(f"loading {archive.name} into {', '.join(nodes)}"), ExitStack() as stack:
        started = {}
        for name, machine in nodes.items():
            content = stack.enter_context(archive.open("rb"))
            started[name] = subprocess.Popen(
                machine.inside(*_IMPORT),
                stdin=content,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
        said = {name: process.communicate()[1] for name, process in started.items()}
        for name, process in started.items():
            if process.returncode != 0:
                why = said[name].decode(errors="replace").strip()[-2000:]
                raise TestbedError(f"{archive} could not be loaded into {name}: {why}")
