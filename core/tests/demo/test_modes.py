import pytest

from podmeter.demo.modes import as_it_stands, compared_axis, in_reach, possible
from podmeter.demo.runs import experiment

AXIS = "kube_proxy_mode"


def cluster(values, *, switch=True, why_not=None):
    return {
        "allow_mode_switch": switch,
        "capabilities": {"modes": {AXIS: {"why_not": why_not, "values": values}}},
    }


@pytest.mark.parametrize(
    ("registered", "expected"),
    [
        (cluster({"iptables": None, "ipvs": {"code": "no_ip_vs"}, "nftables": None}), 2),
        (cluster({"iptables": None, "ipvs": None, "nftables": None}), 3),
        (cluster({"iptables": None, "nftables": None}), 2),
        (cluster({"iptables": None, "nftables": {"code": "kernel_too_old"}}), 0),
        (cluster({"iptables": None, "nftables": None}, switch=False), 0),
        (cluster({"iptables": None, "nftables": None}, why_not={"code": "unknown_proxy"}), 0),
        ({"allow_mode_switch": True, "capabilities": None}, 0),
        ({"allow_mode_switch": True, "capabilities": {"modes": {}}}, 0),
    ],
)
def test_the_demo_compares_the_modes_that_the_cluster_can_have(registered, expected):
    wanted = experiment("service_scale")
    spec = in_reach(registered, wanted)
    modes = spec["axes"].get(AXIS, [])
    assert len(modes) == expected
    assert modes == [one for one in wanted["axes"][AXIS] if one in modes]
    assert set(modes) == (set(possible(registered, AXIS, wanted["axes"][AXIS])) if modes else set())
    assert compared_axis(spec) == (AXIS if expected else None)
    # Nothing but modes is left out.
    assert as_it_stands(spec) == as_it_stands(wanted)


def test_what_compares_no_modes_is_as_it_was():
    spec = {"axes": {"path": ["pod-pod"]}}
    assert in_reach(cluster({"iptables": None}), spec) == spec
