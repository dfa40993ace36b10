"""What a run says whose pair of nodes changed by round: slow pairs, and effects that lie apart."""

from collections.abc import Callable
from typing import Any

import pytest

from podmeter.domain.node_pairs import KnownNode
from podmeter.kinds.registry import read_spec, resolve, with_pairs
from podmeter.services.headlines.single_run import link_sentences
from podmeter.services.run_results.effect_rows import Effect, effects_of
from podmeter.services.run_results.link_rows import Links, links_of
from podmeter.services.summaries.cases import case_summaries
from podmeter.services.summaries.document import Finding
from podmeter.services.summaries.findings import findings
from podmeter.services.summaries.losses import losses
from podmeter.statistics import Verdict

from .measured_runs import measured_run

NODES = ("node-1", "node-2", "node-3")
SLOW = "node-2~node-3"
MODES = ["none", "vxlan"]
#: What each round is off by, in thousandths.
OFF = (3, -2, 1, -4, 2, 0, -1, 4, -3, 1, -2, 1)
#: The rate on a pair in a mode.
Rate = Callable[[str, str], float]


def document(**axes: list[Any]) -> dict[str, Any]:
    usual = {"path": ["pod-pod"], "protocol": ["tcp"], "streams": [1]}
    return {
        "name": "rotated",
        "kind": "throughput",
        "axes": usual | axes,
        "repetition": {"rounds": 12},
    }


def found(rate: Rate, nodes: tuple[str, ...] = NODES, **axes: list[Any]) -> list[Finding]:
    """The findings of twelve rounds."""
    spec = document(node_pair=["rotate"], **axes)
    read = with_pairs(resolve(read_spec(spec)), [KnownNode(name) for name in nodes])

    def measure(point: dict[str, Any]) -> dict[tuple[str, str], tuple[tuple[float, ...], ...]]:
        mode = str(point.get("encapsulation", ""))
        rates = [rate(str(read.node_pair(round_)), mode) for round_ in range(1, 13)]
        return {("throughput", ""): varied(rates)}

    run = measured_run(spec, measure, nodes=nodes)
    return findings(run, losses(run, noise=0.03), lambda ids: {})


def varied(rates: list[float]) -> tuple[tuple[float, ...], ...]:
    """A trial a round."""
    return tuple((rate * (1 + off / 1000),) for rate, off in zip(rates, OFF, strict=True))


def links(one: Finding) -> Links:
    known = links_of(getattr(one.evidence, "rows", []))
    assert known is not None
    return known


def effects(several: list[Finding]) -> list[Effect]:
    return [one for each in several for one in effects_of(getattr(each.evidence, "rows", []))]


def test_a_slow_pair_is_named_with_what_it_does_to_the_interval() -> None:
    (one,) = found(lambda pair, _: 310e6 if pair == SLOW else 920e6)
    assert one.code == "slowest_link"
    assert (links(one).member, links(one).count, links(one).by_round) == (SLOW, 6, True)
    assert str(one).startswith(
        "node-2→node-3 is slower in pod→pod throughput (TCP, 1 stream) than the other 5 node pairs"
    )
    assert "against 9" in str(one)
    assert "It widens the interval" in str(one)
    assert "node-2→node-3" in one.text_in("zh")
    assert "区间变宽" in one.text_in("zh")
    (said,) = link_sentences([one])
    assert said.code == "slow_pair"


@pytest.mark.parametrize(
    ("slow", "what"),
    [({"node-3~node-1", "node-3~node-2"}, "from_node"), ({SLOW, "node-3~node-2"}, "both_ways")],
)
def test_slow_pairs_are_named_by_what_they_have_in_common(slow: set[str], what: str) -> None:
    (one,) = found(lambda pair, _: 310e6 if pair in slow else 920e6)
    assert (one.code, links(one).apart.text("what")) == ("slowest_links", what)
    assert "They widen the interval" in str(one)


def test_where_pairs_are_alike_none_stands_out() -> None:
    (one,) = found(lambda *_: 920e6)
    assert one.code == "no_link_apart"
    assert str(one).startswith("No node pair stands out of 6 in pod→pod throughput")


def test_of_many_cases_only_pairs_that_stand_out_are_named() -> None:
    streams = [1, 2, 4, 8]
    assert found(lambda *_: 920e6, streams=streams) == []
    apart = found(lambda pair, _: 310e6 if pair == SLOW else 920e6, streams=streams)
    assert [one.code for one in apart] == ["slowest_link"] * 4


def test_an_effect_that_lies_apart_on_one_pair_is_named_and_in_the_interval() -> None:
    def rate(pair: str, mode: str) -> float:
        return 920e6 * (1.0 if mode == "none" else 0.5 if pair == SLOW else 0.9)

    every = found(rate, encapsulation=MODES)
    (apart,) = [one for one in every if one.code == "pair_effect"]
    assert str(apart).startswith("On node-2→node-3 VXLAN differs otherwise from no encapsulation")
    assert "−50 %, on the other node pairs −10 %" in str(apart).replace(".0", "")
    assert "node-2→node-3" in apart.text_in("zh")
    (verdict,) = effects(every)
    assert verdict.ratio is not None
    assert verdict.ratio.low is not None
    assert verdict.ratio.high is not None
    # It reaches far lower than by the rounds alone, of which one in six has this effect.
    assert verdict.ratio.low < 0.7
    assert verdict.ratio.high > 0.9
    assert len(verdict.node_pairs) == 6
    assert [str(one).endswith("over 6 node pairs") for one in every if effects([one])] == [True]


def test_effects_that_are_alike_and_those_of_two_pairs_are_not_named() -> None:
    def rate(_: str, mode: str) -> float:
        return 920e6 * (1.0 if mode == "none" else 0.9)

    def one_way(pair: str, mode: str) -> float:
        return rate(pair, mode) * (0.5 if pair == "node-1~node-2" and mode == "vxlan" else 1)

    alike = found(rate, encapsulation=MODES)
    two = found(one_way, nodes=NODES[:2], encapsulation=MODES)
    assert "pair_effect" not in {one.code for one in (*alike, *two)}
    assert [one.verdict for one in effects(alike)] == [Verdict.WORSE]
    (undecided,) = effects(two)
    assert undecided.verdict == Verdict.UNDECIDED
    advice = undecided.judged.parameters["advice"]
    assert isinstance(advice, dict)
    assert advice["code"] == "groups"


def test_a_verdict_on_one_pair_names_it() -> None:
    def measure(point: dict[str, Any]) -> dict[tuple[str, str], tuple[tuple[float, ...], ...]]:
        share = 1.0 if point["encapsulation"] == "none" else 0.8
        return {("throughput", ""): varied([920e6 * share] * 12)}

    run = measured_run(document(encapsulation=MODES), measure)
    (one,) = findings(run, [], lambda ids: {})
    assert str(one).endswith("; on node-1→node-2")
    assert "在 node-1→node-2 上" in one.text_in("zh")
    assert "round_node_pairs" not in case_summaries(run, {})[0].parameters


def test_higher_rungs_change_nothing_of_the_links_on_lower_ones() -> None:
    spec = {
        "name": "rotated ladder",
        "kind": "service_scale",
        "axes": {
            "node_pair": ["rotate"],
            "services": [10, 1000],
            "probe": ["qps"],
            "target": ["last"],
        },
        "repetition": {"rounds": 12},
    }
    read = with_pairs(resolve(read_spec(spec)), [KnownNode(name) for name in NODES])

    def on_the_lowest(measured: list[int]) -> Links:
        def measure(point: dict[str, Any]) -> dict[tuple[str, str], tuple[tuple[float, ...], ...]]:
            if point.get("services") not in measured:
                return {}
            slow = [str(read.node_pair(round_)) == SLOW for round_ in range(1, 13)]
            rates = [3000.0 if one and point["services"] == 10 else 9000.0 for one in slow]
            return {("requests_per_second", ""): varied(rates)}

        every = findings(measured_run(spec, measure, nodes=NODES), [], lambda ids: {})
        linked = [one for one in every if links_of(getattr(one.evidence, "rows", [])) is not None]
        return next(links(one) for one in linked if links(one).apart.key.point["services"] == 10)

    assert on_the_lowest([10]).apart == on_the_lowest([10, 1000]).apart
