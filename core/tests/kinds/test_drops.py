"""Room in connection tracking: for one trial, and for the cluster."""

import pytest

from podmeter.domain.errors import ToolError, UnsafeClusterError
from podmeter.domain.ports import Access, ExecTarget
from podmeter.drivers.proc import Counters
from podmeter.kinds.drops import check_room

NODE = ExecTarget("shell-n1", "192.0.2.1", "n1", Access.HOST_ADMIN)


def check(entries, connections, limit=1000):
    counters = {NODE.name: Counters((), (), entries, limit, 0)}
    check_room(counters, [NODE], connections)


def test_a_trial_that_would_fill_the_table_is_refused_and_the_next_one_may_fit():
    check(700, 300)
    with pytest.raises(ToolError, match="301"):
        check(700, 301)


def test_a_table_that_is_nearly_full_after_draining_stops_the_run():
    check(799, 1)
    with pytest.raises(UnsafeClusterError) as stopped:
        check(800, 1)
    assert stopped.value.said.code == "stopped_conntrack"
    params = {"node": "n1", "value": 80.0, "limit": 80.0, "entries": 800, "size": 1000}
    assert stopped.value.said.params == params


def test_what_a_place_does_not_show_stops_nothing():
    check(None, 10**6)
    check(10, 10**6, None)
