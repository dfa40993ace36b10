"""Which failures in a row end a run."""

import pytest

from podmeter.domain.messages import Message, say
from podmeter_worker.runner.failing_blocks import FailingBlocks

VXLAN = (("encapsulation", "vxlan"),)
HOST_GW = (("encapsulation", "host-gw"),)
NO_PODS, NO_MODE = Message.of(say("cluster_lost")), Message.of(say("run_to_stop"))


@pytest.mark.parametrize(
    ("modes", "ended", "fails"),
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
    modes: list[tuple[tuple[str, str], ...]],
    ended: list[tuple[tuple[tuple[str, str], ...], Message | None]],
    fails: list[bool],
) -> None:
    failing = FailingBlocks(modes)
    assert [failing.fail_alike(mode, failure) for mode, failure in ended] == fails
