"""Pairs of nodes: how they are written, and which of a cluster's are measured."""

import re

import pytest

from podmeter.domain.axes import NODE_PAIR_AXIS, ROTATION_AXIS, axis_problems, complete
from podmeter.domain.errors import InvalidSpecError
from podmeter.domain.node_pairs import (
    MOST_ROTATED,
    KnownNode,
    NodePair,
    rotated,
    sample_size,
    selected,
    selector_of,
)

THREE = [KnownNode(name, zone) for name, zone in (("c", "west"), ("a", "east"), ("b", "east"))]


def many(count):
    return [KnownNode(f"node-{number:04}") for number in range(count)]


def refused(selector, nodes, most=2_000):
    with pytest.raises(InvalidSpecError) as caught:
        selected(selector, nodes, seed=1, most=most)
    (problem,) = caught.value.problems
    assert problem.pointer == "/axes/node_pair"
    return problem.message


@pytest.mark.parametrize("value", ["node-1~node-2", "ip-10-0-0-1.ec2.internal~10.0.0.2"])
def test_a_pair_is_read_as_it_is_written(value):
    assert NodePair.of(value).value == value
    assert NODE_PAIR_AXIS.problem(value) is None


@pytest.mark.parametrize("value", ["node-1", "a~b~c", "~b", "A~b", "a ~b", 7, "sample-0", "some"])
def test_what_is_neither_a_pair_nor_stands_for_some_is_refused(value):
    assert NodePair.of(value) is None
    assert "use a pair of nodes" in NODE_PAIR_AXIS.problem(value)


def test_a_pair_needs_two_nodes():
    assert NODE_PAIR_AXIS.problem("a~a").code == "pair_of_itself"


def test_what_stands_for_pairs_stands_alone():
    problems = axis_problems({"node_pair": ["all", "a~b"]}, [NODE_PAIR_AXIS])
    assert [one.pointer for one in problems] == ["/axes/node_pair"]
    assert axis_problems({"node_pair": ["a~b", "b~a"]}, [NODE_PAIR_AXIS]) == ()
    twice = axis_problems({"node_pair": ["a~b", "a~b"]}, [NODE_PAIR_AXIS])
    assert twice[0].message.code == "axis_value_twice"


def test_one_pair_is_what_stands_without_the_axis():
    assert (
        complete({"node_pair": ["one"]}, [NODE_PAIR_AXIS], quick=False)
        == complete({}, [NODE_PAIR_AXIS], quick=False)
        == ()
    )


def test_two_nodes_have_two_ordered_pairs():
    nodes = [KnownNode("node-2"), KnownNode("node-1")]
    assert selected("all", nodes, seed=1, most=9) == ["node-1~node-2", "node-2~node-1"]


def test_all_pairs_are_each_two_nodes_both_ways():
    found = selected("all", many(12), seed=1, most=2_000)
    assert len(set(found)) == 12 * 11
    assert found == sorted(found)
    assert all(NODE_PAIR_AXIS.problem(one) is None for one in found)


def test_zones_have_one_pair_within_each_and_one_between_each_two():
    assert selected("zones", THREE, seed=1, most=9) == ["a~b", "a~c"]
    four = [*THREE, KnownNode("d", "west"), KnownNode("e", "north")]
    # Within west and east, and the three zones with each other.
    pairs = [NodePair.of(one) for one in selected("zones", four, seed=1, most=9)]
    zone = {node.name: node.zone for node in four}
    met = sorted("/".join(sorted({zone[one.client], zone[one.server]})) for one in pairs)
    assert met == ["east", "east/north", "east/west", "north/west", "west"]


def test_nodes_without_a_zone_are_named():
    said = refused("zones", [*THREE, KnownNode("d")])
    assert said.code == "zones_unknown"
    assert said.params["nodes"] == ["d"]


@pytest.mark.parametrize("count", [2, 30, 6_000])
def test_a_sample_is_of_so_many_pairs_and_the_same_again_for_the_same_seed(count):
    nodes = many(count)
    found = selected("sample-20", nodes, seed=7, most=2_000)
    assert len(found) == len(set(found)) == min(20, count * (count - 1))
    assert found == selected("sample-20", nodes, seed=7, most=2_000)
    if count > 2:
        assert found != selected("sample-20", nodes, seed=8, most=2_000)
    known = {node.name for node in nodes}
    for one in map(NodePair.of, found):
        assert one.client != one.server
        assert {one.client, one.server} <= known


def test_every_pair_is_drawn_as_often():
    nodes = many(4)
    drawn = [selected("sample-1", nodes, seed=seed, most=9)[0] for seed in range(1200)]
    counts = [drawn.count(one) for one in selected("all", nodes, seed=1, most=12)]
    assert len(counts) == 12
    # 100 each; six standard deviations of a binomial count.
    assert min(counts) > 40
    assert max(counts) < 160


def test_too_many_pairs_are_refused_before_any_is_made_and_a_sample_is_offered():
    said = refused("all", many(50_000), most=500)
    assert said.params["pairs"] == 50_000 * 49_999
    assert re.search(r"sample-\d+", said)
    assert refused("sample-501", many(100), most=500).code == "too_many_pairs"


@pytest.mark.parametrize("selector", ["all", "zones", "sample-3"])
@pytest.mark.parametrize("count", [0, 1])
def test_one_node_makes_no_pair(selector, count):
    assert refused(selector, THREE[:count]).code == "two_nodes_needed"


def test_what_selects_is_told_from_pairs():
    assert selector_of(["a~b", "b~a"]) is None
    assert selector_of(["sample-5"]) == "sample-5"
    assert (sample_size("sample-5"), sample_size("all"), sample_size(3)) == (5, None, None)


@pytest.mark.parametrize("count", [2, 3, 6])
def test_rounds_take_every_pair_in_turn(count):
    pairs = selected("all", many(count), seed=1, most=99)
    order = rotated(many(count), seed=3, rounds=60)
    assert len(order) >= 60
    cycles = [order[at : at + len(pairs)] for at in range(0, len(order), len(pairs))]
    # Each pair once in each cycle, and not always in the same order.
    assert all(sorted(cycle) == pairs for cycle in cycles)
    assert len(set(cycles)) > 1


def test_the_order_of_pairs_follows_the_seed():
    order = rotated(many(3), seed=3, rounds=60)
    assert order == rotated(list(reversed(many(3))), seed=3, rounds=60)
    assert order != rotated(many(3), seed=4, rounds=60)


def test_of_many_nodes_rounds_take_a_sample_of_pairs():
    order = rotated(many(7), seed=3, rounds=60)
    assert len(set(order)) == MOST_ROTATED < 7 * 6
    assert set(order) <= set(selected("all", many(7), seed=1, most=99))
    assert set(order) != set(rotated(many(7), seed=4, rounds=60))


def test_the_server_may_stay():
    order = rotated(many(4), seed=3, rounds=10, server="node-0002")
    assert {NodePair.of(one).server for one in order} == {"node-0002"}
    assert len(set(order)) == 3


def test_one_node_has_no_pair_to_rotate():
    with pytest.raises(InvalidSpecError) as caught:
        rotated(many(1), seed=1, rounds=6)
    assert caught.value.problems[0].message.code == "two_nodes_needed"


def test_a_rotation_makes_no_cases_and_stands_alone():
    assert complete({"node_pair": ["rotate"]}, [NODE_PAIR_AXIS], quick=False) == ()
    problems = axis_problems({"node_pair": ["rotate", "a~b"]}, [NODE_PAIR_AXIS])
    assert [one.message.code for one in problems] == ["pairs_selected_alone"]


@pytest.mark.parametrize("value", ["all", "zones", "sample-3", "a~b"])
def test_a_kind_without_pairs_beside_each_other_only_rotates(value):
    assert ROTATION_AXIS.problem("rotate") is None
    assert ROTATION_AXIS.problem("one") is None
    assert ROTATION_AXIS.problem(value).code == "axis_not_choice"
