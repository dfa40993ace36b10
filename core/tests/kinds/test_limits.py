"""What limited a trial, by its counters and its load; and what kinds say of their loads."""

import pytest

from podmeter.kinds.limits import (
    COUNTER_NAMES,
    RATE_LIMITS,
    TIME_LIMITS,
    CaseLimits,
    LimitedBy,
    LoadShape,
    limited_by,
    limits_that_hide,
)
from podmeter.kinds.registry import KINDS, load_shape_of, metrics_of, read_spec, resolve

AB = LoadShape(at_once=100)
STREAM = LoadShape(threads=1, server_threads=1, lost={"retransmits": 10, "udp_loss": 0.01})
PACED = LoadShape(threads=None, rate="request_rate", set_rate=1000)


def values(**found):
    """Counters by name; `client_` and `server_` before a node's metric is its role."""
    roles = {"node_cpu": "node_cpu", "node_cpus": "node_cpus"}
    named = {}
    for name, value in found.items():
        role, _, metric = name.partition("_")
        key = (roles[metric], role) if metric in roles and role in ("client", "server") else None
        named[key or (name, "")] = value
    return named


def nodes(client=0.2, server=0.2, cpus=4):
    return {
        "client_node_cpu": client,
        "server_node_cpu": server,
        "client_node_cpus": cpus,
        "server_node_cpus": cpus,
    }


@pytest.mark.parametrize(
    ("load", "counted", "limit"),
    [
        # One thread that is one busy CPU, however little of the node that is.
        (AB, values(tool_cpus=0.97, **nodes()), "client_cpu"),
        (AB, values(tool_cpus=0.9, **nodes()), "client_cpu"),
        (AB, values(tool_cpus=0.89, server_cpus=0.5, **nodes(0.6, 0.6)), "unknown"),
        # A node of two CPUs holds no more than two of eight threads.
        (LoadShape(threads=8), values(tool_cpus=1.9, **nodes(0.95, 0.5, cpus=2)), "client_cpu"),
        (LoadShape(threads=8), values(tool_cpus=1.9, **nodes(0.3, 0.3, cpus=8)), "unknown"),
        # Half a CPU, because a quota gives no more.
        (AB, values(tool_cpus=0.5, tool_throttled=0.5, **nodes()), "client_quota"),
        (AB, values(tool_cpus=0.97, tool_throttled=0.05, **nodes()), "client_quota"),
        (AB, values(tool_cpus=0.97, tool_throttled=0.04, **nodes()), "client_cpu"),
        # The server: one thread, its quota, all of its node's CPUs.
        (STREAM, values(tool_cpus=0.6, server_cpus=0.95, **nodes()), "server_cpu"),
        (AB, values(tool_cpus=0.6, server_cpus=0.95, **nodes(cpus=8)), "unknown"),
        (AB, values(tool_cpus=0.6, server_cpus=1.9, **nodes(0.5, 0.7, cpus=2)), "server_cpu"),
        (AB, values(tool_cpus=0.6, server_throttled=0.3, **nodes()), "server_cpu"),
        # A node whose CPUs are busy with something else than the two processes: packets, say.
        (AB, values(tool_cpus=0.6, server_cpus=0.5, **nodes(server=0.93)), "server_cpu"),
        (AB, values(tool_cpus=0.6, server_cpus=0.5, **nodes(client=0.93)), "client_cpu"),
        (AB, values(tool_cpus=0.6, server_cpus=0.5, **nodes(0.93, 0.95)), "unknown"),
        # Nodes that share a machine have no CPUs of their own: the processes tell, or nothing does.
        (AB, values(tool_cpus=0.6, client_node_cpu=0.99, server_node_cpu=0.99), "unknown"),
        (AB, values(tool_cpus=0.95, client_node_cpu=0.99, server_node_cpu=0.99), "client_cpu"),
        (STREAM, values(tool_cpus=0.6, server_cpus=0.95, client_node_cpu=0.99), "server_cpu"),
        (LoadShape(at_once=1), values(tool_cpus=0.4, client_node_cpu=0.99), "concurrency"),
        # One request at a time leaves everything idle in turn.
        (LoadShape(at_once=1), values(tool_cpus=0.4, **nodes()), "concurrency"),
        (LoadShape(at_once=1), values(tool_cpus=0.4), "concurrency"),
        (LoadShape(at_once=1), values(tool_cpus=0.95), "client_cpu"),
        (LoadShape(at_once=1), values(tool_cpus=0.4, server_throttled=0.4), "server_cpu"),
        # Several: only where no CPU of either node can have been at its limit.
        (LoadShape(at_once=4), values(tool_cpus=0.4, **nodes(0.2, 0.2, cpus=4)), "concurrency"),
        (LoadShape(at_once=4), values(tool_cpus=0.4, **nodes(0.3, 0.2, cpus=4)), "unknown"),
        (LoadShape(at_once=4), values(tool_cpus=0.4), "unknown"),
        # A stream that loses packets fills the path; without losses nobody knows.
        (STREAM, values(tool_cpus=0.4, retransmits=500, **nodes()), "link"),
        (STREAM, values(tool_cpus=0.4, retransmits=10, **nodes()), "unknown"),
        (STREAM, values(tool_cpus=0.4, udp_loss=0.2, **nodes()), "link"),
        (STREAM, values(tool_cpus=0.95, retransmits=500, **nodes()), "client_cpu"),
        (STREAM, values(tool_cpus=0.4, retransmits=500), "unknown"),
        # A set rate that is reached is the limit, whatever else is busy.
        (PACED, values(request_rate=999, tool_cpus=4, **nodes(0.95)), "tool_rate"),
        (PACED, values(request_rate=999), "tool_rate"),
        (PACED, values(request_rate=700, tool_cpus=3.8, **nodes(0.97)), "client_cpu"),
        (PACED, values(request_rate=700, tool_cpus=1.0, **nodes()), "unknown"),
        # Trials of older versions, and of a program that tells nothing.
        (AB, values(**nodes(0.99, 0.2)), "unknown"),
        (STREAM, values(retransmits=500, **nodes()), "unknown"),
        (AB, {}, "unknown"),
    ],
)
def test_what_limited_a_trial(load, counted, limit):
    assert limited_by(load, counted) == limit


def test_what_most_trials_were_limited_by():
    client, quota, few = LimitedBy.CLIENT_CPU, LimitedBy.CLIENT_QUOTA, LimitedBy.CONCURRENCY
    unknown, server = LimitedBy.UNKNOWN, LimitedBy.SERVER_CPU
    rate = metrics_of("service_scale")["requests_per_second"]
    for trials, most, by_client in (
        ([client] * 3, client, 3),
        ([client, client, server], client, 2),
        ([client, quota, few], unknown, 3),
        ([client, server], unknown, 1),
        ([client, server, server], server, 1),
        ([unknown, unknown, client], unknown, 1),
        ([], unknown, 0),
    ):
        found = CaseLimits.of(trials)
        assert (found.most, found.by_client(rate)) == (most, by_client)
        assert found.trials == len(trials)


@pytest.mark.parametrize(
    ("kind", "metric", "limits"),
    [
        ("service_scale", "requests_per_second", RATE_LIMITS),
        ("service_scale", "ab_request_mean", RATE_LIMITS),
        ("throughput", "throughput", RATE_LIMITS),
        ("transport", "message_rate", RATE_LIMITS),
        # Of single requests and messages, mean and percentiles.
        ("transport", "message_latency", TIME_LIMITS),
        ("request_latency", "curl_total_mean", TIME_LIMITS),
        ("request_latency", "curl_total_p90", TIME_LIMITS),
        ("network_policy", "request_p99", TIME_LIMITS),
        # What is counted.
        ("service_scale", "node_cpu_per_request", frozenset()),
        ("throughput", "node_cpu", frozenset()),
        ("throughput", "retransmits", frozenset()),
        ("network_policy", "request_rate", frozenset()),
    ],
)
def test_which_limits_of_the_client_hide_what_a_metric_shows(kind, metric, limits):
    assert limits_that_hide(metrics_of(kind)[metric]) == limits


def test_what_restates_a_rate_names_one():
    for kind in KINDS:
        known = metrics_of(kind)
        restating = [one for one in known.values() if one.reciprocal_of is not None]
        assert all(limits_that_hide(known[one.reciprocal_of]) == RATE_LIMITS for one in restating)


def spec(kind, parameters=None):
    return resolve(read_spec({"name": "x", "kind": kind, "parameters": parameters or {}}))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_the_counters_and_what_its_loads_name(kind):
    known = metrics_of(kind)
    assert known.keys() >= COUNTER_NAMES - {"node_cpu"}
    experiment, loads = spec(kind), 0
    for case in KINDS[kind].cases(experiment):
        load = load_shape_of(experiment, dict(case.point))
        if load is not None:
            loads += 1
            assert known.keys() >= {*load.lost, *([load.rate] if load.set_rate else [])}
    assert loads


@pytest.mark.parametrize(
    ("kind", "parameters", "point", "load"),
    [
        ("service_scale", {"concurrency": 7}, {"probe": "qps"}, LoadShape(at_once=7)),
        ("service_scale", {"concurrency": 7}, {"probe": "latency"}, LoadShape(at_once=1)),
        ("service_scale", {}, {"probe": "climb"}, None),
        ("service_scale", {}, {"probe": "mode-switch"}, None),
        ("transport", {}, {"qperf_test": "tcp_lat"}, LoadShape(server_threads=1, at_once=1)),
        ("transport", {}, {"qperf_test": "conf"}, None),
        ("request_latency", {}, {"path": "pod-pod"}, LoadShape(at_once=1)),
        ("network_policy", {}, {"policies": 10}, None),
        ("throughput", {}, {"path": "pod-pod"}, None),
    ],
)
def test_how_kinds_load_the_path(kind, parameters, point, load):
    assert load_shape_of(spec(kind, parameters), point) == load


def test_a_set_rate_is_that_of_the_protocol():
    udp = spec("throughput", {"udp_bits_per_second": 5_000_000})
    tcp = spec("throughput", {"tcp_bits_per_second": 7_000_000, "udp_bits_per_second": 0})
    assert load_shape_of(udp, {"protocol": "udp", "streams": 8}).set_rate == 5_000_000
    assert load_shape_of(udp, {"protocol": "tcp", "streams": 8}).set_rate is None
    assert load_shape_of(tcp, {"protocol": "tcp", "streams": 8}).set_rate == 7_000_000
    assert load_shape_of(tcp, {"protocol": "udp", "streams": 8}).set_rate is None
    policies = {"policies": 10, "response_size": "0.5k", "keep_alive": "off"}
    assert load_shape_of(spec("network_policy"), policies).set_rate == 1000
    # What frozen parameters of another version lack is not guessed.
    other = spec("network_policy").model_copy(update={"parameters": {"requests": 5}})
    assert load_shape_of(other, policies) is None
    ladder = spec("service_scale").model_copy(update={"parameters": {}})
    assert load_shape_of(ladder, {"probe": "qps"}) is None
