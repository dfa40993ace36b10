"""helm, with the administrator's rights on the testbed where one is up."""

from __future__ import annotations

import os
from dataclasses import dataclass

from podmeter_testbed import builds, requirements
from podmeter_testbed.errors import TestbedError
from podmeter_testbed.layout import Layout
from podmeter_testbed.shell import run


@dataclass(frozen=True)
class Helm:
    """A helm that is built once; what it keeps for itself is in the cache."""

    layout: Layout

    @property
    def environment(self) -> dict[str, str]:
        """No settings but the testbed's kubeconfig."""
        bare = {name: value for name, value in os.environ.items() if not name.startswith("HELM_")}
        folder = str(self.layout.cache / "helm")
        homes = dict.fromkeys(("HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME"), folder)
        return {**bare, **homes, "KUBECONFIG": str(self.layout.kubeconfig)}

    def argv(self, *words: str) -> list[str]:
        """The whole command line, once helm is built. Raises TestbedError."""
        if not builds.is_built(self.layout.cache, builds.HELM) and (
            problem := requirements.go_problem()
        ):
            raise TestbedError(problem)
        return [str(builds.build(self.layout.cache, builds.HELM) / "helm"), *words]

    def run(self, *words: str, timeout: float = 600) -> str:
        """Standard output; TestbedError with what it said where it fails."""
        return run(*self.argv(*words), env=self.environment, timeout=timeout)
