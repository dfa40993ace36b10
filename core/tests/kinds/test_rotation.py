"""Pairs of nodes that change by round: what is planned, and where the ends of a round are."""

from collections import Counter

import pytest

from podmeter.domain.errors import InvalidSpecError
from podmeter.domain.fingerprint import Placement
from podmeter.domain.node_pairs import KnownNode, NodePair
from podmeter.kinds.measured_nodes import measured_nodes
from podmeter.kinds.registry import (
    KINDS,
    cases_of,
    pairs_left_open,
    placed,
    plan,
    read_spec,
    resolve,
    spec_problems,
    walk_of,
    with_pairs,
)
from podmeter.kinds.rotation import placement_over

THREE = [KnownNode(name) for name in ("a", "b", "c")]
PAIRS = {"a~b", "a~c", "b~a", "b~c", "c~a", "c~b"}
MODES = {"encapsulation": ["none", "vxlan"]}
RUNGS = {"kube_proxy_mode": ["iptables", "nftables"], "services": [10, 20]}


def document(kind="throughput", axes=None, parameters=None, rounds=12):
    return {
        "name": "rotated",
        "kind": kind,
        "axes": {"node_pair": ["rotate"], **(MODES if axes is None else axes)},
        "parameters": parameters or {},
        "repetition": {"rounds": rounds},
    }


def open_spec(*args, **kwargs):
    return resolve(read_spec(document(*args, **kwargs)))


def spec_on(nodes, *args, **kwargs):
    return with_pairs(open_spec(*args, **kwargs), nodes)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_rotates_and_has_the_same_cases(kind):
    spec = spec_on(THREE, kind, axes={})
    alone = resolve(read_spec({"name": "one pair", "kind": kind}))
    # Services hold their backend's address: of a ladder the client's node alone changes.
    climbed = walk_of(spec).climbs_once
    assert set(spec.rotated_pairs) == ({"a~b", "c~b"} if climbed else PAIRS)
    assert [case.key for case in cases_of(spec)] == [case.key for case in cases_of(alone)]
    block = plan(spec)[0]
    pair, ends = NodePair.of(block.node_pair), placed(spec, block).parameters
    assert [value for name, value in ends.items() if name.endswith("_node")] == [
        pair.client,
        pair.server,
    ]
    # The rest is as it is written.
    assert {**ends, **{n: None for n in ends if n.endswith("_node")}} == spec.parameters


def test_all_modes_of_a_round_are_on_one_pair_and_each_pair_is_taken_equally_often():
    blocks = plan(spec_on(THREE))
    by_round = {}
    for block in blocks:
        by_round.setdefault(block.round, set()).add(block.node_pair)
    assert all(len(pairs) == 1 for pairs in by_round.values())
    assert Counter(pair for (pair,) in by_round.values()) == dict.fromkeys(PAIRS, 2)


def test_the_pairs_are_frozen_and_follow_the_seed():
    spec = spec_on(THREE)
    assert with_pairs(spec, [KnownNode("x"), KnownNode("y")]) == spec
    assert [block.node_pair for block in plan(spec)] == [block.node_pair for block in plan(spec)]
    repetition = spec.repetition.model_copy(update={"seed": 77})
    other = with_pairs(open_spec().model_copy(update={"repetition": repetition}), THREE)
    assert other.rotation != spec.rotation


def test_without_a_cluster_pairs_are_open_and_blocks_have_none():
    spec = open_spec()
    assert pairs_left_open(spec) == "rotate"
    assert {block.node_pair for block in plan(spec)} == {None}
    assert pairs_left_open(spec_on(THREE)) is None


def test_without_rotate_no_round_has_a_pair():
    spec = resolve(read_spec({"name": "one pair", "kind": "throughput"}))
    assert spec.rotation is None
    assert spec.node_pair(1) is None
    block = plan(spec)[0]
    assert placed(spec, block) == spec
    at = Placement(client_node="a", server_node="b", nic="eth0")
    assert placement_over(spec, block.node_pair, at) == at


def test_two_nodes_take_turns_in_both_directions():
    spec = spec_on(THREE[:2], rounds=6)
    turns = [
        block.node_pair for block in plan(spec) if dict(block.modes)["encapsulation"] == "none"
    ]
    assert sorted(turns) == ["a~b"] * 3 + ["b~a"] * 3


def test_nodes_of_all_pairs_are_measured():
    assert measured_nodes(spec_on(THREE), THREE) == {"a", "b", "c"}
    assert measured_nodes(open_spec(), THREE) == {"a", "b", "c"}


def test_rounds_of_each_rung_take_the_pairs_in_turn_and_the_server_stays():
    spec = spec_on(THREE, "service_scale", RUNGS, {"backend_node": "c"}, rounds=6)
    blocks = plan(spec)
    for rung in (10, 20):
        there = [one for one in blocks if dict(one.modes)["services"] == rung]
        by_round = {(one.round, one.node_pair) for one in there}
        # Both modes of a round on one pair; each pair in half of the rounds.
        assert Counter(pair for _, pair in by_round) == {"a~c": 3, "b~c": 3}
        assert len(there) == 12
    assert placed(spec, blocks[0]).parameters["backend_node"] == "c"


@pytest.mark.parametrize(
    ("kind", "axes", "parameters", "pointers"),
    [
        ("throughput", None, {"client_node": "a"}, ["/parameters/client_node"]),
        ("throughput", None, {"server_node": "a"}, ["/parameters/server_node"]),
        ("service_scale", RUNGS, {"client_node": "a"}, ["/parameters/client_node"]),
        ("service_scale", RUNGS, {"backend_node": "a"}, []),
    ],
)
def test_an_end_is_not_placed_twice(kind, axes, parameters, pointers):
    problems = spec_problems(document(kind, axes, parameters))
    assert [one.pointer for one in problems] == pointers
    assert {one.message.code for one in problems} <= {"rotate_places_ends"}


def test_one_cluster_only_tells_its_pairs():
    problems = spec_problems(document(axes={"cluster": ["one", "two"]}))
    assert [one.message.code for one in problems] == ["pairs_of_clusters"]


def test_one_node_is_too_few():
    with pytest.raises(InvalidSpecError):
        spec_on(THREE[:1])


def test_a_case_is_placed_on_the_nodes_of_all_its_rounds():
    spec = spec_on(THREE[:2])
    found = placement_over(spec, "a~b", Placement(client_node="a", server_node="b", nic="eth0"))
    assert found == Placement(client_node="a, b", server_node="a, b")
    # A client outside the cluster has no node, and a server on the client's node stays with it.
    outside = placement_over(spec, "a~b", Placement(client_node=None, server_node="b"))
    assert outside == Placement(client_node=None, server_node="a, b")


def test_the_document_says_rotate_again():
    spec = spec_on(THREE)
    assert spec.written_axes["node_pair"] == ("rotate",)
    assert "node_pair" not in spec.matrix
