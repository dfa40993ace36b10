"""Where a ladder of Services ends, and what is said of it."""

import pytest

from podmeter.domain.cluster_report import RoomReport
from podmeter.kinds.registry import read_spec, resolve, room_notes

WHOLE = [10, 1000, 5000, 10_000, 15_000, 20_000, 30_000]
QUICK = [10, 500, 1000, 2000]


def room(cluster_ips=60_000, node_ports=2_700):
    return RoomReport(services=7, free_cluster_ips=cluster_ips, free_node_ports=node_ports)


def ladder(found=None, profile="reference", **axes):
    """The rungs, and what is said of where they end, by code."""
    document = {"name": "x", "kind": "service_scale", "axes": axes}
    written = read_spec(document | {"repetition": {"profile": profile}})
    spec = resolve(written, found)
    said = {one.code: one.params for one in room_notes(written, spec, found)}
    return list(spec.matrix["services"]), said


def test_it_ends_by_its_profile():
    rungs, said = ladder(room())
    assert rungs == WHOLE
    assert said == {"ladder_ends_profile": {"last": 30_000, "axis": "services"}}
    rungs, said = ladder(room(), profile="quick")
    assert rungs == QUICK
    assert said["ladder_ends_profile"]["last"] == 2000


def test_it_ends_where_node_ports_do():
    rungs, said = ladder(room(), service_type=["ClusterIP", "NodePort"])
    assert rungs == [10, 1000]
    left_out = WHOLE[2:]
    parameters = {"last": 1000, "left_out": left_out, "free": 2700}
    assert said == {"ladder_ends_node_ports": parameters}
    # What the article had: 20000-65535.
    assert ladder(room(node_ports=45_536), service_type=["NodePort"])[0] == WHOLE


def test_it_ends_where_cluster_ips_do():
    rungs, said = ladder(room(cluster_ips=5000))
    # `service-ready` makes one more.
    assert rungs == [10, 1000]
    assert said["ladder_ends_cluster_ips"]["free"] == 5000
    assert ladder(room(cluster_ips=5000), probe=["climb"])[0] == [10, 1000, 5000]
    assert ladder(room(cluster_ips=5001))[0] == [10, 1000, 5000]


def test_the_lowest_rung_stays_and_has_no_room():
    rungs, said = ladder(room(cluster_ips=3))
    assert rungs == [10]
    assert said == {"cluster_ips_short": {"free": 3, "needed": 11}}


def test_what_was_named_stays_and_is_said_not_to_fit():
    rungs, said = ladder(room(), services=[10, 9000], service_type=["NodePort"])
    assert rungs == [10, 9000]
    assert said == {"node_ports_short": {"free": 2700, "needed": 9001}}
    assert ladder(room(), services=[10, 9000]) == ([10, 9000], {})


@pytest.mark.parametrize("found", [None, room(node_ports=None)])
def test_where_nothing_is_known_of_node_ports_the_usual_range_is_said(found):
    _, said = ladder(found, service_type=["NodePort"])
    assert said["ladder_node_ports_unknown"] == {"needed": 30_001, "usual": 2768}
    assert "ladder_node_ports_unknown" not in ladder(found, "quick", service_type=["NodePort"])[1]
    assert "ladder_node_ports_unknown" not in ladder(found)[1]


def test_other_kinds_have_no_ladder_of_services():
    written = read_spec({"name": "x", "kind": "throughput"})
    assert room_notes(written, resolve(written, room()), room()) == ()
