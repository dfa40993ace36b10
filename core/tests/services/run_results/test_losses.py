"""What is said of losses must agree with the interval that is shown beside it."""

import re
from dataclasses import replace
from typing import Any

import pytest

from podmeter.services.headlines.headline import NOISE
from podmeter.services.headlines.recommendation import recommendation
from podmeter.services.headlines.run_losses import LostWithin
from podmeter.services.headlines.single_run import loss_sentences
from podmeter.services.run_results.runs import MeasuredRun
from podmeter.services.summaries.findings import findings
from podmeter.services.summaries.losses import losses

from .measured_runs import Values, around, measured_run

#: A kind, its main metric, and what its cases have besides a path.
Measured = tuple[str, str, dict[str, list[Any]]]
THROUGHPUT: Measured = ("throughput", "throughput", {"protocol": ["tcp"], "streams": [1]})
LATENCY: Measured = ("transport", "message_latency", {"qperf_test": ["tcp_lat"]})


def run_of(
    got: dict[str, float],
    most_rounds: int | None = None,
    of: Measured = THROUGHPUT,
) -> MeasuredRun:
    """Six rounds of paths that carried so much, of a run that may have so many."""
    kind, metric, axes = of

    def measure(point: dict[str, Any]) -> Values:
        return {(metric, ""): around(got[point["path"]])}

    until = {"until_decided": {"difference": 0.1, "most_minutes": 30}}
    spec = {
        "name": "paths",
        "kind": kind,
        "axes": {"path": [*got], **axes},
        "repetition": {"rounds": 6} if most_rounds is None else until,
    }
    found = measured_run(spec, measure)
    if most_rounds is None:
        return found
    repetition = found.spec.repetition.model_copy(update={"rounds": most_rounds})
    return replace(found, spec=found.spec.model_copy(update={"repetition": repetition}))


def test_an_undecided_loss_that_is_not_zero_says_why() -> None:
    """Six rounds that all agree are too few for a run that looks after each of 28."""
    found = run_of({"node-node": 9e9, "pod-pod": 6e9}, most_rounds=28)
    rows = losses(found, NOISE)
    share = rows[0]
    assert share.low is not None
    assert share.low > 0
    assert (share.verdict, share.text("reason")) == ("undecided", "too_few_rounds")
    (said,) = [
        one.text_in("en") for one in findings(found, rows, lambda _: {}) if "loss" in one.code
    ]
    assert (
        "pod→pod (TCP, 1 stream) against node→node of the same run is undecided in throughput; "
        in said
    )
    assert said.endswith("; too few rounds for a verdict")
    (sentence,) = loss_sentences(LostWithin(rows), NOISE)
    assert sentence.code == "loss_undecided"


@pytest.mark.parametrize(
    ("got", "codes"),
    [
        ({"pod-pod": 9.01e9}, ["loses_nothing"]),
        ({"pod-pod": 9.01e9, "node-pod": 9.02e9}, ["loses_nothing", "path_more"]),
        ({"pod-pod": 6e9, "node-pod": 9.01e9}, ["loses", "losses_more"]),
    ],
)
def test_what_is_the_same_is_not_called_undecided(got: dict[str, float], codes: list[str]) -> None:
    rows = losses(run_of({"node-node": 9e9, **got}), NOISE)
    assert [one.code for one in loss_sentences(LostWithin(rows), NOISE)] == codes


@pytest.mark.parametrize("factor", [0.94, 1.06])
@pytest.mark.parametrize(("of", "name"), [(THROUGHPUT, "throughput"), (LATENCY, "message latency")])
def test_a_loss_is_none_within_the_difference_that_the_run_was_asked_for(
    of: Measured, name: str, factor: float
) -> None:
    """A run until decided asks for 10 %: 6 % are certain there, and do not matter."""
    rows = losses(run_of({"node-node": 1e9, "pod-pod": factor * 1e9}, 6, of), NOISE)
    assert (rows[0].verdict, rows[0].text("reason")) == ("same", "small_effect")
    assert rows[0].number("same_within") == 0.1
    nothing, small = loss_sentences(LostWithin(rows), NOISE)
    assert nothing.code == "loses_nothing"
    assert str(nothing).endswith("within 10 %")
    assert nothing.text_in("zh").endswith("10 % 以内")
    way = "lower" if factor < 1 else "higher"
    assert re.fullmatch(
        rf"{name} on pod→pod is [56](\.\d)? % \[.*\] {way} than on node→node: certain, and less "
        "than the 10 % that counts as a difference",
        str(small),
        re.IGNORECASE,
    )
    free, _grounds = recommendation([], [LostWithin(rows)], NOISE)
    assert str(free).endswith("the same as node→node within 10 %")


def test_losses_of_an_older_version_have_the_threshold_of_their_document() -> None:
    rows = losses(run_of({"node-node": 9e9, "pod-pod": 9.01e9}), NOISE)
    older = [
        replace(one, parameters={k: v for k, v in one.parameters.items() if k != "same_within"})
        for one in rows
    ]
    (nothing,) = loss_sentences(LostWithin(older), 0.05)
    assert str(nothing).endswith("within 5 %")
