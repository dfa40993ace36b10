"""Which failures in a row end a run."""

import pytest

from podmeter.domain.messages import Message, say
from podmeter.domain.planning import Block, Modes
from podmeter_worker.runner.failing_blocks import FailingBlocks

VXLAN: Modes = (("encapsulation", "vxlan"),)
HOST_GW: Modes = (("encapsulation", "host-gw"),)
NO_PODS, NO_MODE = Message.of(say("cluster_lost")), Message.of(say("run_to_stop"))


def block(modes: Modes) -> Block:
    """A block of these modes."""
    return Block(0, 1, modes, (), ())


def on_rung(mode: str, rung: int) -> Modes:
    """The modes of a block where the ladder is climbed once."""
    return (("kube_proxy_mode", mode), ("services", rung))


def fails(planned: list[Modes], ended: list[tuple[Modes, Message | None]]) -> list[bool]:
    """Of each block that ended, whether the run should end with it."""
    failing = FailingBlocks(map(block, planned), ["services"])
    return [failing.fail_alike(block(modes), failure) for modes, failure in ended]


@pytest.mark.parametrize(
    ("planned", "ended", "expected"),
    [
        ([HOST_GW, VXLAN], [(HOST_GW, NO_PODS), (VXLAN, NO_PODS)], [False, True]),
        # Each mode may fail for a reason of its own.
        ([HOST_GW, VXLAN], [(HOST_GW, NO_PODS), (VXLAN, NO_MODE)], [False, False]),
        # The other mode may work.
        ([HOST_GW, VXLAN], [(VXLAN, NO_PODS), (VXLAN, NO_PODS)], [False, False]),
        ([VXLAN], [(VXLAN, NO_PODS), (VXLAN, NO_PODS)], [False, True]),
        # A block between them that worked.
        (
            [HOST_GW, VXLAN],
            [(HOST_GW, NO_PODS), (VXLAN, None), (HOST_GW, NO_PODS)],
            [False, False, False],
        ),
    ],
)
def test_blocks_in_a_row_that_fail_alike(
    planned: list[Modes], ended: list[tuple[Modes, Message | None]], expected: list[bool]
) -> None:
    assert fails(planned, ended) == expected


def test_rounds_of_one_rung_in_the_only_mode_fail_alike() -> None:
    first, second = on_rung("iptables", 10), on_rung("iptables", 1000)
    assert fails([first, second], [(first, NO_PODS), (first, NO_PODS)]) == [False, True]


def test_a_mode_that_fails_on_two_rungs_in_a_row_does_not_end_the_others() -> None:
    planned = [on_rung(mode, rung) for rung in (10, 1000) for mode in ("iptables", "ipvs")]
    below, above = on_rung("ipvs", 10), on_rung("ipvs", 1000)
    assert fails(planned, [(below, NO_PODS), (above, NO_PODS)]) == [False, False]


def test_modes_that_fail_alike_on_one_rung_end_the_run() -> None:
    iptables, ipvs = on_rung("iptables", 10), on_rung("ipvs", 10)
    assert fails([iptables, ipvs], [(ipvs, NO_PODS), (iptables, NO_PODS)]) == [False, True]


def test_a_mode_that_fails_in_both_arms_does_not_end_the_others() -> None:
    planned: list[Modes] = [
        (("arm", arm), ("encapsulation", mode)) for arm in "ab" for mode in ("host-gw", "vxlan")
    ]
    _, vxlan_a, _, vxlan_b = planned
    assert fails(planned, [(vxlan_a, NO_PODS), (vxlan_b, NO_PODS)]) == [False, False]
