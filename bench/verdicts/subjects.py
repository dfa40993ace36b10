"""What is run: two kinds of A/A, an A/B with a known winner, and the same until decided."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

#: A trial takes about a second, of ab so many requests: what varies is the setting up, and rounds
#: are never fewer than the profile's.
_SECONDS, _REQUESTS = 1, 6_000
_FALSE = ("better", "worse")


@dataclass(frozen=True)
class Subject:
    """Runs of one experiment, and how many of them may or must say what.

    The main comparison of a run is of `metric` in the case at `point`, of the two values of
    `axis`. At least `least` of `runs` say one of `verdicts`, or at most `most` do.
    """

    name: str
    kind: str
    axes: dict[str, list[Any]]
    axis: str
    point: dict[str, Any]
    metric: str
    parameters: dict[str, Any] = field(default_factory=dict)
    repetition: dict[str, Any] = field(
        default_factory=lambda: {"profile": "quick", "seconds": _SECONDS}
    )

    @property
    def spec(self) -> dict[str, Any]:
        """The experiment's document."""
        return {
            "name": self.name,
            "kind": self.kind,
            "parameters": self.parameters,
            "axes": self.axes,
            "repetition": self.repetition,
        }

    def comparison(self, run_id: str) -> dict[str, Any]:
        """The body of the comparison of its two arms or modes."""
        sides = [{"run_id": run_id, "where": {self.axis: one}} for one in self.axes[self.axis]]
        return {"baseline": sides[0], "contenders": sides[1:]}

    def main_effect(self, comparison: dict[str, Any]) -> dict[str, Any]:
        """The row with the verdict of the one effect that counts.

        Raises LookupError where the run has none.
        """
        (contender,) = comparison["contenders"]
        for pair in contender["pairs"]:
            if self.point.items() <= pair["shared"].items():
                for row in pair["effects"]:
                    if row["code"] == "ratio" and row["key"]["metric"] == self.metric:
                        return dict(row)
        raise LookupError(f"{self.name}: the run compares nothing at {self.point}")


_POD_POD: dict[str, Any] = {"path": ["pod-pod"], "protocol": ["tcp"], "streams": [1]}
SUBJECTS = {
    "kube-proxy": Subject(
        name="kube-proxy A/A",
        kind="service_scale",
        axes={
            "kube_proxy_mode": ["iptables"],
            "arm": ["a", "b"],
            # With one rung, each group of each round scales up to it again.
            "services": [100],
            "target": ["last"],
            "probe": ["qps"],
        },
        axis="arm",
        point={"services": 100, "probe": "qps", "target": "last"},
        metric="requests_per_second",
        parameters={"requests": _REQUESTS},
    ),
    "encapsulation": Subject(
        name="encapsulation A/A",
        kind="throughput",
        axes={"encapsulation": ["vxlan"], "arm": ["a", "b"], **_POD_POD},
        axis="arm",
        point={"path": "pod-pod"},
        metric="throughput",
    ),
    "ab": Subject(
        name="host-gw against vxlan",
        kind="throughput",
        axes={"encapsulation": ["host-gw", "vxlan"], **_POD_POD},
        axis="encapsulation",
        point={"path": "pod-pod"},
        metric="throughput",
    ),
    "decided": Subject(
        name="host-gw against vxlan until decided",
        kind="throughput",
        # With the control: the network of the nodes, which both modes use as it is.
        axes={
            "encapsulation": ["host-gw", "vxlan"],
            **_POD_POD,
            "path": ["node-node", "pod-pod"],
        },
        axis="encapsulation",
        point={"path": "pod-pod"},
        metric="throughput",
        repetition={
            "until_decided": {"difference": 0.1, "most_minutes": 30},
            "trials": 2,
            "seconds": 3,
        },
    ),
}
#: Where nothing differs.
SAME = ("kube-proxy", "encapsulation")


@dataclass(frozen=True)
class Bar:
    """How often something may be said, at most, or must be, at least, as a share of the runs."""

    what: str
    subjects: tuple[str, ...]
    verdicts: tuple[str, ...]
    share: float
    at_least: bool = False

    def met(self, said: int, runs: int) -> bool:
        """Whether so many of so many runs keep to it; of part of the runs, in proportion."""
        if self.at_least:
            return said >= self.share * runs - 1e-9
        return said <= self.share * runs + 1e-9


BARS = (
    Bar("A/A runs that say better or worse", SAME, _FALSE, 3 / 20),
    Bar("A/B runs that say vxlan is worse", ("ab",), ("worse",), 7 / 10, at_least=True),
    Bar("runs until decided that say it", ("decided",), ("worse",), 1.0, at_least=True),
)
