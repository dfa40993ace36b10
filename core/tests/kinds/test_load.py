"""What kinds put on a cluster at most, and which limits of a cluster that breaks."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from podmeter.domain.feasibility import ClusterState, Requirements
from podmeter.domain.judgement import judge
from podmeter.domain.load import NO_LOAD, UNPACED, Load, LoadLimits, bandwidth_text, rate_text
from podmeter.kinds import switching
from podmeter.kinds.registry import cases_of, demands_of, kind_of, read_spec, resolve

NOW = datetime(2026, 11, 29, tzinfo=UTC)
GIGABIT = 10**9
POLICY_PATH = {"policies": [0], "response_size": ["0.5k", "1M"], "keep_alive": ["off"]}


def spec_of(kind, parameters=None, **axes):
    document = {"name": "load", "kind": kind, "axes": axes, "parameters": parameters or {}}
    return resolve(read_spec(document))


def obstacles(spec, limits):
    requirements = Requirements(
        demands_of(spec, cases_of(spec)), {}, {}, set_up_load=switching.load(spec)
    )
    return judge(requirements, ClusterState("lab", NOW, None, limits=limits), NOW).obstacles


def most_of(spec):
    load = NO_LOAD
    for demand in demands_of(spec, cases_of(spec)):
        load = load.or_more(demand.load)
    return load


@pytest.mark.parametrize(
    ("kind", "parameters", "axes", "limits", "causes"),
    [
        # A set rate is known.
        ("throughput", {}, {"protocol": ["udp"]}, LoadLimits(None, GIGABIT), []),
        (
            "throughput",
            {},
            {"protocol": ["udp"]},
            LoadLimits(None, GIGABIT - 1),
            ["bandwidth_limit_broken"],
        ),
        # TCP sends as fast as the link allows, unless iperf3 limits itself.
        (
            "throughput",
            {},
            {"protocol": ["tcp"]},
            LoadLimits(None, 10**15),
            ["bandwidth_limit_unpaced"],
        ),
        (
            "throughput",
            {"tcp_bits_per_second": 10**8},
            {"protocol": ["tcp"]},
            LoadLimits(None, 10**8),
            [],
        ),
        (
            "throughput",
            {"udp_bits_per_second": 0},
            {"protocol": ["udp"]},
            LoadLimits(None, GIGABIT),
            ["bandwidth_limit_unpaced"],
        ),
        # Bytes are no requests.
        ("throughput", {}, {}, LoadLimits(10, None), []),
        # qperf cannot limit itself; who answers is asked connection by connection.
        (
            "transport",
            {},
            {"qperf_test": ["tcp_bw"]},
            LoadLimits(None, 10**15),
            ["bandwidth_limit_unpaced"],
        ),
        ("transport", {}, {"qperf_test": ["tcp_lat"]}, LoadLimits(10**9), ["rate_limit_unpaced"]),
        (
            "transport",
            {},
            {"qperf_test": ["conf"], "path": ["pod-service-pod"]},
            LoadLimits(1000, GIGABIT),
            [],
        ),
        # One request after another, each by a process of its own.
        ("request_latency", {}, {}, LoadLimits(11, GIGABIT), []),
        ("request_latency", {}, {}, LoadLimits(10, None), ["rate_limit_broken"]),
        ("request_latency", {"requests": 5000}, {}, LoadLimits(1000, GIGABIT), []),
        ("request_latency", {"requests": 5000}, {}, LoadLimits(999), ["rate_limit_broken"]),
        # vegeta's rate is set; the path is checked at 2.5 times that.
        ("network_policy", {}, POLICY_PATH, LoadLimits(2500, None), []),
        ("network_policy", {}, POLICY_PATH, LoadLimits(2499, None), ["rate_limit_broken"]),
        (
            "network_policy",
            {"megabits_per_second": 100},
            POLICY_PATH,
            LoadLimits(None, 250_000_000),
            [],
        ),
        ("network_policy", {}, POLICY_PATH, LoadLimits(None, GIGABIT), ["bandwidth_limit_broken"]),
        # ab cannot limit itself.
        (
            "service_scale",
            {},
            {"services": [10], "probe": ["qps"]},
            LoadLimits(10**9, 10**15),
            ["rate_limit_unpaced", "bandwidth_limit_unpaced"],
        ),
        (
            "service_scale",
            {},
            {"services": [10], "probe": ["latency", "climb"]},
            LoadLimits(200, GIGABIT),
            [],
        ),
        (
            "service_scale",
            {},
            {"services": [10], "probe": ["latency", "climb"]},
            LoadLimits(199),
            ["rate_limit_broken"],
        ),
        # Watching a switch of kube-proxy's mode connects from all nodes.
        (
            "request_latency",
            {},
            {"kube_proxy_mode": ["iptables", "nftables"]},
            LoadLimits(499, None),
            ["watch_over_limit"],
        ),
        ("throughput", {}, {"kube_proxy_mode": ["iptables"]}, LoadLimits(500, None), []),
        # Unlimited is the default.
        ("service_scale", {}, {"services": [10]}, LoadLimits(), []),
    ],
)
def test_what_breaks_a_limit(kind, parameters, axes, limits, causes):
    found = obstacles(spec_of(kind, parameters, **axes), limits)
    assert [one.cause.code for one in found] == causes


def test_what_breaks_a_limit_is_named_with_what_helps():
    spec = spec_of("throughput", protocol=["tcp", "udp"])
    (udp, tcp) = obstacles(spec, LoadLimits(None, 5 * 10**8))
    assert udp.cause == (
        "lab allows at most 500 Mbit/s (max_bandwidth_bits_per_second), and the experiment sends "
        "up to 1 Gbit/s (udp)"
    )
    assert udp.remedy == (
        "set udp_bits_per_second so that the experiment stays within the limit, or ask an "
        "administrator to raise the limit on the page of lab"
    )
    assert (udp.code, udp.axis, udp.level) == ("bandwidth_limit", "protocol", "refused")
    assert "as much as the link allows (tcp)" in tcp.cause
    assert "set tcp_bits_per_second" in tcp.remedy
    (scale, _) = obstacles(spec_of("service_scale", services=[10]), LoadLimits(100, 10**6))[:2]
    assert "whose tool cannot limit its rate" in scale.remedy


def test_a_kind_that_says_nothing_of_its_load_may_send_anything():
    assert Load().or_more(UNPACED).bits_per_second is None
    kind = kind_of(spec_of("throughput"))
    assert super(type(kind), kind).load(None, None) == UNPACED


def test_the_most_of_several_loads():
    most = Load(5.0, None, 3, ("a",)).or_more(Load(7.0, 2.0, 1, ("a", "b")))
    assert most == Load(7.0, None, 3, ("a", "b"))
    assert most_of(spec_of("throughput", protocol=["udp"])).connections == 9


def test_rates_in_words():
    assert [bandwidth_text(one) for one in (950, 1e6, 2.5e9)] == [
        "950 bit/s",
        "1 Mbit/s",
        "2.5 Gbit/s",
    ]
    assert rate_text(12_500) == "12,500"
