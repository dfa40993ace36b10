"""The chart as helm renders it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.tests.kubernetes_yaml import Object, objects_of

from podmeter_testbed.helm import Helm

PROJECT = Path(__file__).resolve().parents[2]
CHART = PROJECT / "helm" / "podmeter"
VALUES = sorted(Path(__file__).with_name("values").glob("*.yaml"))
RELEASE, NAMESPACE = "podmeter", "podmeter-system"
#: What renders without a cluster: no secret can be looked for there.
EXISTING = ("--set", "secrets.existing=podmeter-secrets")


@dataclass(frozen=True)
class Chart:
    """The chart, and the helm that reads it."""

    helm: Helm

    def text(self, *words: str) -> str:
        """What `helm template` writes."""
        where = ("--namespace", NAMESPACE)
        return self.helm.run("template", RELEASE, str(CHART), *where, *words)

    @cache  # noqa: B019 (one for each test run)
    def objects(self, *words: str) -> tuple[Object, ...]:
        """The same, read; with no secrets of its own."""
        return objects_of(self.text(*EXISTING, *words))


def backup_commands() -> tuple[str, str]:
    """How docs/how-to/back-up.md backs up and restores on Kubernetes, as scripts."""
    page = (PROJECT / "docs" / "how-to" / "back-up.md").read_text()
    backup, restore = re.findall(
        r"```sh\n(.*?)```", page.partition("## On Kubernetes")[2], re.DOTALL
    )
    return backup, restore


def named(objects: Iterable[Object], kind: str, name: str) -> Object:
    """The one object of a kind and name."""
    (found,) = [one for one in objects if one["kind"] == kind and one["metadata"]["name"] == name]
    return found


def pod_specs(objects: Iterable[Object]) -> Iterator[tuple[str, Object, Object]]:
    """Name, metadata and spec of every pod, made by whichever object."""
    for one in objects:
        name = f"{one['kind']} {one['metadata']['name']}"
        if one["kind"] == "Pod":
            yield name, one["metadata"], one["spec"]
        elif one["kind"] in ("Deployment", "StatefulSet", "Job"):
            template = one["spec"]["template"]
            yield name, template["metadata"], template["spec"]
