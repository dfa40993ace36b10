"""What a run of pairs says of its links: the slowest one, a slow node, or that none stands out."""

import random

import pytest

from podmeter.services.headlines.single_run import link_sentences
from podmeter.services.run_results.link_rows import links_of
from podmeter.services.summaries.findings import findings
from podmeter.services.summaries.links import link_findings

from .measured_runs import around, measured_run

NODES = [f"node-{number}" for number in range(1, 5)]
PAIRS = [f"{one}~{other}" for one in NODES for other in NODES if one != other]


def found(rate, pairs=PAIRS, metric="throughput", **axes):
    """The findings of a run in which a pair has the rate that `rate` gives, trials around it."""
    draws = iter(range(1_000_000))
    kind = {"throughput": "throughput", "message_latency": "transport"}[metric]
    usual = {
        "throughput": {"path": ["pod-pod"], "protocol": ["tcp"], "streams": [1]},
        "transport": {"path": ["pod-pod"], "qperf_test": ["tcp_lat"]},
    }[kind]
    spec = {"name": "x", "kind": kind, "axes": usual | axes | {"node_pair": list(pairs)}}

    def measure(point):
        centre = rate(point["node_pair"], point)
        if centre is None:
            return {}
        # Another centre for each, or all would have the same trials.
        return {(metric, ""): around(centre * (1 + next(draws) * 1e-9))}

    return link_findings(measured_run(spec, measure), 0.03, 0.05)


def shared(finding):
    """What the links of a finding have in common."""
    return links_of(finding.evidence.rows).apart.text("shared")


def test_the_slowest_link_is_named_with_its_interval_and_the_next_ones():
    (one,) = found(lambda pair, _: 3e9 if pair == "node-2~node-3" else 9e9)
    assert one.code == "slowest_link"
    links = links_of(one.evidence.rows)
    assert (shared(one), links.member, links.count) == ("node-2~node-3", "node-2~node-3", 12)
    assert links.median.low < 3e9 * 1.001 < links.median.high * 1.01
    assert links.median.high < links.other.low
    assert links.apart.number("p") <= 0.05
    assert one.text_in("en").startswith(
        "node-2→node-3 is the slowest of 12 links in pod→pod throughput (TCP, 1 stream): "
    )
    assert "node_pair" not in one.point
    (said,) = link_sentences([one])
    assert said.code == "slowest_link"
    assert "node-2→node-3 is the slowest of 12 links" in str(said)
    assert "node-2→node-3" in said.text_in("zh")


def test_of_latency_the_longest_is_the_slowest():
    (one,) = found(
        lambda pair, _: 9e-5 if pair == "node-1~node-4" else 4e-5, metric="message_latency"
    )
    assert (one.code, shared(one)) == ("slowest_link", "node-1~node-4")


def test_where_all_are_alike_no_link_stands_out():
    (one,) = found(lambda *_: 9e9)
    assert one.code == "no_link_apart"
    assert one.text_in("en").startswith(
        "No link stands out of 12 in pod→pod throughput (TCP, 1 stream); "
    )
    assert link_sentences([one])[0].code == "no_link_apart"


def test_a_difference_within_the_noise_is_none():
    (one,) = found(lambda pair, _: 8.8e9 if pair == "node-1~node-2" else 9e9)
    assert one.code == "no_link_apart"


@pytest.mark.parametrize(
    ("slow", "what", "value", "members"),
    [
        ({"node-3~node-4", "node-4~node-3"}, "both_ways", None, 2),
        ({one for one in PAIRS if one.startswith("node-3~")}, "from_node", "node-3", 3),
        ({one for one in PAIRS if one.endswith("~node-3")}, "to_node", "node-3", 3),
        ({one for one in PAIRS if "node-3" in one}, "node", "node-3", 6),
    ],
)
def test_links_that_are_slow_together_are_named_by_what_they_share(slow, what, value, members):
    rng = random.Random(3)
    rates = {pair: (2e9 if pair in slow else 9e9) * rng.uniform(0.99, 1.01) for pair in PAIRS}
    (one,) = found(lambda pair, _: rates[pair])
    assert one.code == "slowest_links"
    links = links_of(one.evidence.rows)
    assert (links.apart.text("what"), links.members) == (what, members)
    assert value in (None, shared(one))
    assert links.median.high < links.other.low
    assert link_sentences([one])[0].code == "slowest_links"


def test_two_slow_links_without_a_node_in_common_are_no_one_link():
    slow = {"node-1~node-2", "node-3~node-4"}
    (one,) = found(lambda pair, _: 2e9 if pair in slow else 9e9)
    assert one.code == "no_link_apart"


def test_each_path_and_protocol_is_judged_by_itself_and_all_are_corrected_for_together():
    every = found(
        lambda pair, point: 3e9 if (pair, point["path"]) == (PAIRS[0], "pod-pod") else 9e9,
        path=["pod-pod", "node-node"],
    )
    assert sorted(one.code for one in every) == ["no_link_apart", "slowest_link"]
    judged = [links_of(one.evidence.rows).apart for one in every]
    assert {one.number("looked_at") for one in judged} == {2}
    assert all(one.number("adjusted_p") >= one.number("p") for one in judged)
    clear = link_sentences(every)
    assert [one.code for one in clear] == ["slowest_link"]


def test_a_link_that_has_no_figure_is_no_link_of_the_comparison():
    (one,) = found(lambda pair, _: None if pair == PAIRS[0] else 9e9)
    assert links_of(one.evidence.rows).count == 11
    assert found(lambda pair, _: 9e9 if pair == PAIRS[0] else None) == []


def test_two_ordered_pairs_of_two_nodes_are_told_apart():
    pairs = ["node-1~node-2", "node-2~node-1"]
    (one,) = found(lambda pair, _: 5e9 if pair == pairs[1] else 9e9, pairs)
    assert (one.code, shared(one)) == ("slowest_link", pairs[1])


def test_a_run_without_pairs_has_no_such_finding():
    spec = {"name": "x", "kind": "throughput", "axes": {"protocol": ["tcp"], "streams": [1]}}
    run = measured_run(spec, lambda _: {("throughput", ""): around(9e9)})
    assert link_findings(run, 0.03, 0.05) == []
    assert not [one for one in findings(run, [], lambda _: {}) if "link" in one.code]


def test_a_node_that_is_called_as_a_value_of_an_axis_is_still_that_node():
    names = ["a", "none", "vxlan", "all"]
    pairs = [f"{one}~{other}" for one in names for other in names if one != other]
    rng = random.Random(4)
    rates = {pair: 2e9 if pair.startswith("a~") else 9e9 for pair in pairs}
    rates = {pair: rate * rng.uniform(0.99, 1.01) for pair, rate in rates.items()}
    (one,) = found(lambda pair, _: rates[pair], pairs)
    (said,) = link_sentences([one])
    assert str(said).startswith("The links from a are slower")
