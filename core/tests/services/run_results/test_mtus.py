"""What a run says of its packets' size: path MTUs of its modes, pods' MTU against the NIC's."""

import itertools
import uuid
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podmeter.services.summaries.report import assemble

from .measured_runs import around, measured_run

MODES = ["host-gw", "vxlan"]
POD = "by eth0 (veth), MTU {}"
DIRECT = "by eth0, MTU {}"
VXLAN = "by flannel.1 (vxlan), MTU {}, NIC eth0"


def run(modes=MODES, paths=("pod-pod",), axis="encapsulation"):
    spec = {
        "name": "x",
        "kind": "throughput",
        "axes": {
            **({axis: list(modes)} if modes else {}),
            "path": list(paths),
            "protocol": ["tcp", "udp"],
            "streams": [1],
        },
    }
    draws = itertools.count()
    return measured_run(
        spec, lambda _: {("throughput", ""): around(9e9 * (1 + next(draws) * 1e-9))}
    )


def environment(pod_mtu=1500, nic_mtu=1500):
    """As a fingerprint has it; the client sits on node-1."""
    machine = {"kernel": "6.12", "os": "Debian", "architecture": "amd64", "cpu_count": 4}
    machine |= {"memory_bytes": 2**33, "mtus": {} if nic_mtu is None else {"eth0": nic_mtu}}
    return {
        "cluster_uid": "uid-1",
        "kubernetes_version": "1.34.1",
        "nodes": [{"name": name, **machine} for name in ("node-1", "node-2")],
        "shared_host": False,
        "cni": {"name": "flannel", "pod_mtu": pod_mtu},
        "kube_proxy": {},
    }


def found(measured, told, content):
    """The findings of packets' size, and the caveats, where a case's ways are as `told` of it.

    `content` is what the only fingerprint says.
    """
    ways = {case.id: {told(case.point)} for case in measured.cases}
    report = assemble(measured, [], [], lambda ids: dict.fromkeys(ids, content), ways)
    said = [one for one in report.findings if one.code.startswith("mtu_")]
    return said, report.headline.caveats


def usual(point):
    """flannel's two backends on a NIC of MTU 1500; a node's own way is the NIC's."""
    if point["path"] == "node-node":
        return DIRECT.format(1500), DIRECT.format(1500)
    if point["encapsulation"] == "vxlan":
        return POD.format(1450), VXLAN.format(1450)
    return POD.format(1500), DIRECT.format(1500)


def test_modes_with_different_path_mtus_are_told_with_what_their_packets_carry():
    said, caveats = found(run(), usual, environment())
    (one,) = said
    assert (one.code, one.metric, one.point) == ("mtu_differs", "", {})
    evidence = one.evidence
    assert (evidence.baseline_value, evidence.contender_value) == ("host-gw", "vxlan")
    assert (evidence.baseline_mtu, evidence.contender_mtu) == (1500, 1450)
    assert (evidence.baseline_overhead, evidence.contender_overhead) == (0, 50)
    assert evidence.ratio == pytest.approx(1410 / 1460)
    assert evidence.ratio_timestamped == pytest.approx(1398 / 1448)
    assert one.text_in("en") == (
        "With VXLAN the path MTU is 1450, with host-gw 1500: full TCP packets carry 3.4 % less "
        "with VXLAN at the same packet rate, by their size alone; of a full TCP packet 97.2 % and "
        "97.3 % are payload (96.4 % and 96.5 % with timestamps)"
    )
    (caveat,) = caveats
    assert caveat.code == "mtu_less"
    assert str(caveat).startswith("With VXLAN the path MTU is 1450, with host-gw 1500: full TCP")
    assert "3.4 % less with VXLAN" in str(caveat)
    assert "VXLAN 的路径 MTU 为 1450" in caveat.text_in("zh")


def test_only_the_paths_that_differ_are_named():
    said, caveats = found(run(paths=["pod-pod", "node-node"]), usual, environment())
    (one,) = said
    assert (one.point, one.evidence.cases) == ({"path": "pod-pod"}, [{"path": "pod-pod"}])
    assert "with host-gw 1500 (pod→pod): " in one.text_in("en")
    assert "(pod→pod)" in str(caveats[0])
    assert "（Pod→Pod）" in caveats[0].text_in("zh")


def test_a_contender_with_larger_packets_carries_more():
    said, caveats = found(run(modes=MODES[::-1]), usual, environment())
    assert "full TCP packets carry 3.5 % more with host-gw" in said[0].text_in("en")
    assert caveats[0].code == "mtu_more"


def test_one_mtu_for_modes_that_wrap_differently_is_told_and_what_is_not_used_of_it():
    """The MTU that VXLAN needs, also where nothing is wrapped."""

    def told(point):
        wrapped = point["encapsulation"] == "vxlan"
        return POD.format(1450), VXLAN.format(1450) if wrapped else DIRECT.format(1500)

    said, caveats = found(run(), told, environment(pod_mtu=1450))
    unused, same = said
    assert (unused.code, unused.point) == ("mtu_unused", {"encapsulation": "host-gw"})
    assert (unused.evidence.difference, unused.evidence.most) == (50, 1500)
    assert unused.text_in("en") == (
        "The MTU of pods is 1450 (host-gw), and could be 50 bytes larger; route: no encapsulation, "
        "over a NIC with MTU 1500"
    )
    assert (same.code, same.evidence.ratio) == ("mtu_same", 1)
    assert "although encapsulation adds 50 and 0 bytes" in same.text_in("en")
    assert caveats == []


def test_an_mtu_that_leaves_no_room_for_what_packets_are_wrapped_in_is_told():
    def told(point):
        wrapped = point["encapsulation"] == "vxlan"
        return POD.format(1500), VXLAN.format(1500) if wrapped else DIRECT.format(1500)

    said, caveats = found(run(), told, environment())
    large, same = said
    assert (large.code, large.point) == ("mtu_too_large", {"encapsulation": "vxlan"})
    assert (large.evidence.difference, large.evidence.most) == (50, 1450)
    assert large.text_in("en") == (
        "The MTU of pods is 1500 (VXLAN), and no more than 1450 bytes leave their node whole: full "
        "packets are fragmented or dropped; route: VXLAN encapsulation of 50 bytes, over a NIC "
        "with MTU 1500"
    )
    assert same.code == "mtu_same"
    assert [one.code for one in caveats] == ["mtu_too_large"]
    assert str(caveats[0]).startswith(
        "The MTU of pods is 1500 (VXLAN), and no more than 1450 bytes"
    )
    assert "VXLAN" in caveats[0].text_in("zh")


def test_pods_whose_mtu_is_larger_than_their_tunnels_have_no_room_either():
    said, _ = found(
        run(modes=[]), lambda _: (POD.format(1500), VXLAN.format(1450)), environment(nic_mtu=9000)
    )
    assert [one.code for one in said] == ["mtu_too_large"]
    assert said[0].evidence.most == 1450


@pytest.mark.parametrize(
    ("node_way", "pod_mtu", "unused"),
    [
        (VXLAN.format(1450), 1450, 7500),
        ("by tunl0 (ipip), MTU 1480, NIC eth0", 1480, 7500),
        (VXLAN.format(8950), 8950, None),
        # flannel leaves room for outer IPv6: 80 bytes; that of Geneve's options no route shows.
        ("by flannel-wg (wireguard), MTU 8920, NIC eth0", 8920, None),
        ("by cilium_geneve (geneve), MTU 1450, NIC eth0", 1450, None),
        # A program decides where these go.
        ("by cilium_host (veth), MTU 9000, NIC eth0", 1450, None),
        ("by tun0 (tun), MTU 1400, NIC eth0", 1400, None),
    ],
)
def test_what_jumbo_frames_leave_room_for_is_told_of_what_is_known(node_way, pod_mtu, unused):
    content = environment(pod_mtu=pod_mtu, nic_mtu=9000)
    said, _ = found(run(modes=[]), lambda _: (POD.format(pod_mtu), node_way), content)
    assert [one.evidence.difference for one in said] == ([] if unused is None else [unused])
    assert {one.code for one in said} <= {"mtu_unused"}


def test_where_nothing_crosses_nodes_pods_own_mtu_is_the_paths():
    """As on one node; the way of who is no pod, to a Service's address, may end on its node."""
    mtus = {"host-gw": 1500, "vxlan": 1450}
    ids = {mode: uuid.UUID(int=mtu) for mode, mtu in mtus.items()}
    measured = run(paths=["pod-pod-same-node"])
    cases = tuple(
        replace(case, fingerprints=frozenset({ids[case.point["encapsulation"]]}))
        for case in measured.cases
    )

    def told(client_mtu, pod_mtu):
        ways = {
            case.id: {(POD.format(client_mtu(mtus[case.point["encapsulation"]])), None)}
            for case in cases
        }
        contents = {ids[mode]: environment(pod_mtu=pod_mtu(mtu)) for mode, mtu in mtus.items()}
        report = assemble(replace(measured, cases=cases), [], [], lambda _: contents, ways)
        return [one for one in report.findings if one.code.startswith("mtu_")]

    (one,) = told(lambda mtu: mtu, lambda mtu: mtu)
    assert (one.code, one.evidence.contender_mtu) == ("mtu_differs", 1450)
    assert one.evidence.contender_overhead is None
    assert told(lambda mtu: mtu, lambda _: None) == []
    assert told(lambda mtu: 65536 if mtu == 1500 else mtu, lambda mtu: mtu) == []


def test_values_of_an_axis_that_wrap_alike_are_not_told_of():
    same = (POD.format(1450), VXLAN.format(1450))
    said, _ = found(
        run(modes=["iptables", "nftables"], axis="kube_proxy_mode"),
        lambda _: same,
        environment(pod_mtu=1450),
    )
    assert said == []


def test_a_case_whose_trials_went_several_ways_is_not_told_of():
    measured = run()
    ways = {case.id: {usual(case.point), (POD.format(1400), None)} for case in measured.cases}
    content = environment()
    report = assemble(measured, [], [], lambda ids: dict.fromkeys(ids, content), ways)
    assert not [one for one in report.findings if one.code.startswith("mtu_")]


def test_what_leaves_the_node_takes_the_nics_mtu_from_the_fingerprint_or_is_not_told_of():
    def told(_):
        return POD.format(1500), VXLAN.format(1500)

    for content in (environment(nic_mtu=None), environment(pod_mtu=None), {}, {"nodes": None}):
        said, _ = found(run(modes=[]), told, content)
        assert said == []
    assert found(run(modes=[]), told, environment())[0] != []


LACKING = st.sampled_from([None, "", "by", "eth0, MTU 1500", "by eth0, MTU", "MTU 1450"])
ANY = st.one_of(LACKING, st.sampled_from([POD.format(1500), VXLAN.format(1450), DIRECT.format(9)]))


@given(st.lists(st.tuples(LACKING, ANY), min_size=4, max_size=4))
def test_without_the_clients_way_nothing_is_said(told):
    measured = run()
    ways = {case.id: {one} for case, one in zip(measured.cases, told, strict=True)}
    content = environment()
    report = assemble(measured, [], [], lambda ids: dict.fromkeys(ids, content), ways)
    assert not [one for one in report.findings if one.code.startswith("mtu_")]
    assert report.headline.caveats == []


@given(st.sets(st.integers(1, 4), min_size=1, max_size=4))
def test_a_case_whose_way_was_not_recorded_is_never_among_those_told_of(unknown):
    measured = run()
    ways = {
        case.id: {(None, None) if case.id in unknown else usual(case.point)}
        for case in measured.cases
    }
    content = environment()
    report = assemble(measured, [], [], lambda ids: dict.fromkeys(ids, content), ways)
    told = [one for one in report.findings if one.code.startswith("mtu_")]
    protocols = {
        protocol
        for protocol in ("tcp", "udp")
        if not unknown & {one.id for one in measured.cases if one.point["protocol"] == protocol}
    }
    if protocols:
        (one,) = told
        named = {case.get("protocol") for case in one.evidence.cases}
        assert named == (protocols if len(protocols) == 1 else {None})
    else:
        assert told == []
