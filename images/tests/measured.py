"""What tests of docker-compose.yml ask for, and the cluster that it measures."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bench.scripted.cluster import ScriptedCluster
from bench.scripted.loop import Loop

from podmeter.demo.api import Api

URL = "http://127.0.0.1:8080"
EMAIL = "admin@localhost"
Until = Callable[[str, Callable[[], bool], float], None]


@dataclass
class Measured:
    """A registered cluster: a scripted API server where the containers' network begins."""

    script: ScriptedCluster
    loop: Loop
    cluster_id: str

    def left(self) -> list[str]:
        """What of runs is left in it, and of its modes not as it was."""

        async def look() -> list[str]:
            left = [*self.script.left(), *self.script.unrestored()]
            return [*left, *map(str, self.script.unknown_commands())]

        return self.loop.wait(look())


def trials_of(api: Api, run_id: str) -> list[dict[str, Any]]:
    return list(api.all(f"/runs/{run_id}/trials"))
