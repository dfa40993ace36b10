"""Ladders that are climbed once: no rung's verdicts depend on those above it."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from podmeter.services.comparisons.modes import mode_pairs
from podmeter.services.run_results.effect_rows import effects_of
from podmeter.services.run_results.families import planned_tests
from podmeter.services.run_results.loss import shares
from podmeter.services.run_results.runs import MeasuredRun
from podmeter.services.summaries.losses import losses

from .measured_runs import Values, measured_run

RUNGS = [10, 1000, 5000, 10000]
SPEC: dict[str, Any] = {
    "name": "once",
    "kind": "service_scale",
    "axes": {
        "kube_proxy_mode": ["iptables", "nftables"],
        "services": RUNGS,
        "target": ["last", "pod"],
        "probe": ["qps"],
    },
    "repetition": {"trials": 2, "rounds": 8},
}


def climbed(rounds_of: dict[int, int], more: float = 1.5) -> MeasuredRun:
    """A run that has measured so many rounds of some rungs, nftables being faster above the first.

    On the first rung it is by 12 %, about as much as there can be found.
    """

    def measure(point: dict[str, Any]) -> Values:
        rung = point["services"]
        draw = Random(repr(sorted(point.items())))
        faster = 1.12 if rung == RUNGS[0] else more
        rate = 9000.0 * (faster if point["kube_proxy_mode"] == "nftables" else 1.0)
        rounds = tuple(
            tuple(rate * (1 + draw.gauss(0, 0.04)) for _ in range(2))
            for _ in range(rounds_of.get(rung, 0))
        )
        if not rounds:
            return {}
        return {("requests_per_second", ""): rounds, ("node_memory", "client"): rounds}

    return measured_run(SPEC, measure)


def verdicts(run: MeasuredRun, rung: int) -> list[Any]:
    """All that is said of a rung: of the modes, and of what the Service costs."""
    (modes,) = mode_pairs(run, lambda _: {}, noise=0.03, alpha=0.05)
    effects = [
        one.judged
        for pair in modes.contender.pairs
        if pair.shared["services"] == rung
        for one in effects_of(pair.effects)
    ]
    found = [
        *effects,
        *(one for one in shares(losses(run, 0.03)) if one.key.point["services"] == rung),
    ]
    assert len(found) == 6
    return [replace(one, parameters=one.parameters | {"warnings": None}) for one in found]


@pytest.mark.parametrize(
    "later",
    [
        # Its first round is no evidence yet, and it is there.
        {1000: 1},
        {1000: 8},
        {1000: 8, 5000: 8, 10000: 8},
        # A rung whose trials all failed.
        {1000: 8, 10000: 8},
    ],
)
def test_higher_rungs_change_nothing_of_lower_ones(later: dict[int, int]) -> None:
    alone = verdicts(climbed({10: 8}), 10)
    assert verdicts(climbed({10: 8, **later}), 10) == alone
    # Two targets, or what the Service costs in two modes, on four rungs.
    assert {one.parameters["looked_at"] for one in alone} == {8}


def test_a_part_that_is_not_measured_yet_counts_as_much_as_its_like() -> None:
    spec = climbed({10: 8}).spec
    cases = [{"services": rung, "target": at} for rung in RUNGS for at in ("last", "pod")]
    tested = [cases[0], cases[0], cases[1], cases[2]]
    assert planned_tests(spec, tested, cases) == 4 * 2 + 4 * 1
    # Walked in every round, no rung is measured before another one.
    each_round = spec.model_copy(update={"kind_version": 11})
    assert planned_tests(each_round, tested, cases) is None
