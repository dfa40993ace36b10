"""Losses of several runs in one comparison: each with its run where nothing else tells it."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from podmeter.services.comparisons.build import compare_sides, compared_run
from podmeter.services.comparisons.document import Comparison, RunLosses
from podmeter.services.comparisons.pairing import choose_cases
from podmeter.services.comparisons.request import Side
from podmeter.services.exports.comparison_files import as_markdown
from podmeter.services.headlines import headline
from podmeter.services.headlines.document import Headline
from podmeter.services.headlines.run_losses import names_of_runs
from podmeter.services.run_results.runs import MeasuredRun
from podmeter.services.summaries.losses import losses

from ..run_results.measured_runs import MOMENT, Values, around, measured_run
from .test_headlines import THROUGHPUT, comparison_of, run_of


def run(number: int, share: float, mode: str = "vxlan") -> MeasuredRun:
    """A run whose pods get such a share of what nodes get."""

    def measure(point: dict[str, Any]) -> Values:
        return {("throughput", ""): around(1e10 * (share if point["path"] == "pod-pod" else 1))}

    spec = {**THROUGHPUT, "axes": {**THROUGHPUT["axes"], "encapsulation": [mode]}}
    found = measured_run({**spec, "repetition": {"rounds": 6, "trials": 2}}, measure, number)
    return replace(found, clusters=(f"lab-{number}",))


def compared(*runs: MeasuredRun) -> Comparison:
    sides = [choose_cases(Side(one.run.id), one, []) for one in runs]
    first, *others = sides
    made = replace(
        comparison_of(run_of(THROUGHPUT, lambda _: 1e10, 0.01, 6)),
        baseline=compared_run(first),
        contenders=[
            compare_sides(first, one, lambda _: {}, noise=0.03, alpha=0.05) for one in others
        ],
        losses=[RunLosses(one.run.id, losses(one, noise=0.03, alpha=0.05)) for one in runs],
    )
    return replace(made, headline=headline.of_comparison(made))


def headline_of(made: Comparison) -> Headline:
    assert made.headline is not None
    return made.headline


def test_the_same_case_of_two_runs_is_told_with_its_run() -> None:
    made = compared(run(1, 0.74), run(2, 1.0))
    said = {one.code: one for one in headline_of(made).sentences}
    assert str(said["loses"]).startswith("pod→pod (lab-1) loses 2")
    assert str(said["loses"]).endswith("of throughput against node→node of the same run")
    assert said["loses"].text_in("zh").startswith("Pod→Pod（lab-1）相比同一次运行的节点→节点损失")
    assert "Throughput is the same on pod→pod (lab-2) as on node→node" in str(said["loses_nothing"])
    assert "losses_more" not in said
    advised = {one.code: str(one) for one in headline_of(made).recommendation}
    assert advised["expect"].startswith("Expect pod→pod (lab-1) to lose 2")
    assert advised["free"].startswith("pod→pod (lab-2) need not be avoided")


def test_cases_that_are_in_one_run_each_need_no_run() -> None:
    made = compared(run(1, 0.74, "host-gw"), run(2, 0.8))
    said = {one.code: str(one) for one in headline_of(made).sentences}
    assert said["loses"].startswith("pod→pod (host-gw) loses 2")
    assert said["losses_more"].endswith("1 worse")


def test_the_table_of_losses_has_the_run() -> None:
    text = as_markdown(compared(run(1, 0.74), run(2, 1.0)))
    lines = text[text.index("Losses within the runs") :].splitlines()
    rows = [one for one in lines if one.startswith("| ")]
    assert rows[0].startswith("| run | case | metric |")
    assert [one.split(" | ")[0] for one in rows[2:]] == ["| lab-1", "| lab-2"]
    alone = as_markdown(replace(compared(run(1, 0.74), run(2, 1.0)), losses=[]))
    assert "Losses within" not in alone


@pytest.mark.parametrize(
    ("apart", "names"),
    [
        ({}, ["What encapsulation costs #1", "What encapsulation costs #2"]),
        ({"name": "Later"}, ["What encapsulation costs", "Later"]),
        (
            {"created_at": MOMENT + timedelta(hours=1)},
            [
                "What encapsulation costs (2026-01-02 03:04)",
                "What encapsulation costs (2026-01-02 04:04)",
            ],
        ),
    ],
)
def test_runs_of_one_cluster_are_told_apart_by_what_differs(
    apart: dict[str, Any], names: list[str]
) -> None:
    made = compared(run(1, 0.74), run(2, 1.0))
    (contender,) = made.contenders
    other = replace(contender.side, clusters=["lab-1"], **apart)
    made = replace(made, contenders=[replace(contender, side=other)])
    assert [str(one) for one in names_of_runs(made)] == names
