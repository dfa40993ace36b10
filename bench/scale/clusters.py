"""Scripted clusters that see by themselves whether two runs were in them at a time."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from bench.scripted.cluster import ScriptedCluster
from bench.scripted.server import Connection
from podmeter.domain.ports import ExecTarget

_NAMESPACES = ("podmeter", "podmeter-host")
_RUN = "podmeter.io/run"
#: A run's label; those of preflights and restores have words in them.
_OF_A_RUN = re.compile(r"[0-9a-f]{12}")


@dataclass
class WatchedCluster(ScriptedCluster):
    """Looks at each command that a run gives whose pods are there."""

    together: list[str] = field(default_factory=list)
    labels: set[str] = field(default_factory=set)

    async def session(self, connection: Connection, place: ExecTarget, run_label: str) -> None:
        """As every scripted cluster, with a look before."""
        if _OF_A_RUN.fullmatch(run_label):
            self.labels.add(run_label)
            if others := self._labels() - {run_label}:
                self.together.append(f"{self.name}: {run_label} beside {', '.join(sorted(others))}")
        await super().session(connection, place, run_label)

    def _labels(self) -> set[str]:
        pods = (pod for one in _NAMESPACES for pod in self.store.all_of("v1", "pods", one))
        labels = {(pod["metadata"].get("labels") or {}).get(_RUN, "") for pod in pods}
        return {label for label in labels if _OF_A_RUN.fullmatch(label)}
