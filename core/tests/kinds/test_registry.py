import re
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from podmeter.domain.axes import BLOCK_AXES, AxisRole, AxisScope
from podmeter.domain.errors import InvalidSpecError, PreconditionError
from podmeter.domain.experiment import KindName, ResolvedSpec
from podmeter.domain.measurement import Direction
from podmeter.kinds import registry
from podmeter.kinds.registry import KINDS, plan, read_spec, resolve, why_not_measured

from .changed_kinds import defaults, new_axis, new_parameter, new_version

ROOT = Path(__file__).parents[3]


def pointers(document):
    with pytest.raises(InvalidSpecError) as caught:
        read_spec(document)
    return {problem.pointer for problem in caught.value.problems}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_kind_is_registered_by_its_own_name_which_is_a_word(kind):
    assert KINDS[kind.name] is kind
    assert TypeAdapter(KindName).validate_python(kind.name) == kind.name


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_kind_names_its_metrics_and_axes_once(kind):
    metrics = [metric.name for metric in kind.metrics]
    axes = [axis.name for axis in kind.axes]
    assert len(metrics) == len(set(metrics))
    assert len(axes) == len(set(axes))
    assert set(BLOCK_AXES) <= set(axes)
    for metric in kind.metrics:
        assert metric.description
        if metric.derivation:
            assert metric.derivation.source in metrics
            assert metric.derivation.axis in axes


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_the_documents_name_a_kind_and_its_tools(kind):
    page, readme = "docs/explanation/measurements.md", "README.md"
    assert f"`{kind.name}`" in (ROOT / page).read_text(), f"add a section of {kind.name} to {page}"
    rules = {"iptables", "nft", "nginx"}  # of the cluster, or the server's
    text = (ROOT / readme).read_text()
    missing = {tool.name for tool in kind.tools} - rules - set(re.findall(r"\w+", text))
    assert not missing, f"name {missing} in {readme}, among the tools that Podmeter runs"


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_kind_says_what_its_cases_are_about(kind):
    main = [metric for metric in kind.metrics if metric.main]
    assert main
    for metric in main:
        assert metric.direction is not Direction.NONE
        assert metric.derivation is None


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_what_is_a_curve_or_climbed_has_numbers(kind):
    for axis in kind.axes:
        if axis.role is AxisRole.CURVE:
            assert not axis.choices
        if axis.ladder:
            assert axis.role is AxisRole.CURVE


@pytest.mark.parametrize("name", KINDS)
def test_the_defaults_of_a_kind_are_valid_and_planned(name):
    spec = resolve(read_spec({"name": "x", "kind": name}))
    blocks = plan(spec)
    for block in blocks:
        for trial in block.trials:
            assert KINDS[name].trial_seconds(trial.case, spec) > 0
    assert sum(len(block.trials) for block in blocks) > 20


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_parameters_describe_themselves(kind):
    schema = kind.parameters.model_json_schema()
    assert schema["additionalProperties"] is False
    assert all(field.get("description") for field in schema["properties"].values())


def test_all_faults_of_axes_and_parameters_are_told_at_once():
    assert pointers(
        {
            "name": "x",
            "kind": "throughput",
            "axes": {"path": ["pod-pod", "pod-moon"], "services": [1]},
            "parameters": {"datagram_bytes": 99_999, "speed": 1},
        }
    ) == {"/axes/path/1", "/axes/services", "/parameters/datagram_bytes", "/parameters/speed"}


def test_a_kind_that_is_not_offered_yet_is_refused():
    assert pointers({"name": "x", "kind": "name_resolution"}) == {"/kind"}


@pytest.mark.parametrize("kind", ["", "Throughput", "1st", "a-b", "x" * 33, 7, None])
def test_what_is_no_word_is_no_kind(kind):
    assert pointers({"name": "x", "kind": kind}) == {"/kind"}


def test_axes_that_leave_nothing_to_run_are_refused():
    axes = {"client": ["outside"], "service_type": ["ClusterIP"], "probe": ["qps"]}
    assert pointers({"name": "x", "kind": "service_scale", "axes": axes}) == {"/axes"}


def test_parameters_that_contradict_each_other_are_refused():
    parameters = {"requests": 10, "concurrency": 20}
    document = {"name": "x", "kind": "service_scale", "parameters": parameters}
    assert pointers(document) == {"/parameters"}


#: What each version of a kind takes. Never change a line: raise the kind's version and add one.
SHAPES = {
    ("throughput", 1): (
        "client_node datagram_bytes port server_node udp_bits_per_second",
        "cluster encapsulation kube_proxy_mode path protocol streams",
    ),
    ("throughput", 2): (
        "client_node datagram_bytes port server_node udp_bits_per_second",
        "cluster encapsulation kube_proxy_mode path protocol streams",
    ),
    ("throughput", 3): (
        "client_node datagram_bytes port server_node tcp_bits_per_second udp_bits_per_second",
        "cluster encapsulation kube_proxy_mode path protocol streams",
    ),
    ("transport", 1): (
        (
            "client_node connections data_port listen_port replicas server_node "
            "tcp_bw_bytes tcp_bw_seconds tcp_lat_bytes tcp_lat_seconds "
            "udp_bw_bytes udp_bw_seconds udp_lat_bytes udp_lat_seconds"
        ),
        "cluster encapsulation kube_proxy_mode path qperf_test",
    ),
    ("request_latency", 1): (
        (
            "body_bytes client_node first_counts host_name placement port replicas requests "
            "server_node"
        ),
        "cluster encapsulation kube_proxy_mode path",
    ),
    ("request_latency", 2): (
        (
            "body_bytes client_node first_counts host_name ingress_address ingress_class "
            "ingress_port placement port replicas requests server_node"
        ),
        "cluster encapsulation kube_proxy_mode path",
    ),
    # Every ladder is climbed once.
    ("service_scale", 12): (
        (
            "assignment backend_node body_bytes client_node concurrency convergence_seconds "
            "keepalive_requests latency_requests min_sync_period_seconds mode_switch_from "
            "ports_per_service requests rule_changes sync_period_seconds"
        ),
        "client cluster encapsulation kube_proxy_mode probe service_type services target",
    ),
    # Rungs count Service ports, several on each Service where a spec says so.
    ("service_scale", 11): (
        (
            "assignment backend_node body_bytes client_node concurrency convergence_seconds "
            "keepalive_requests latency_requests min_sync_period_seconds mode_switch_from "
            "ports_per_service requests rule_changes rung_by_rung services_stay sync_period_seconds"
        ),
        "client cluster encapsulation kube_proxy_mode probe service_type services target",
    ),
    # A ladder of Services that stay is climbed once: all rounds of a rung before the next.
    ("service_scale", 9): (
        (
            "assignment backend_node body_bytes client_node concurrency convergence_seconds "
            "keepalive_requests latency_requests min_sync_period_seconds mode_switch_from requests "
            "rule_changes rung_by_rung services_stay sync_period_seconds"
        ),
        "client cluster encapsulation kube_proxy_mode probe service_type services target",
    ),
    ("service_scale", 8): (
        (
            "backend_node body_bytes client_node concurrency convergence_seconds "
            "keepalive_requests latency_requests min_sync_period_seconds mode_switch_from requests "
            "rule_changes rung_by_rung services_stay sync_period_seconds"
        ),
        "client cluster encapsulation kube_proxy_mode probe service_type services target",
    ),
    ("service_scale", 7): (
        (
            "backend_node body_bytes client_node concurrency convergence_seconds "
            "keepalive_requests latency_requests min_sync_period_seconds mode_switch_from requests "
            "rule_changes rung_by_rung services_stay sync_period_seconds"
        ),
        "client cluster encapsulation kube_proxy_mode probe service_type services target",
    ),
    ("service_scale", 6): (
        (
            "backend_node body_bytes client_node concurrency convergence_seconds "
            "keepalive_requests latency_requests min_sync_period_seconds mode_switch_from requests "
            "rule_changes services_stay sync_period_seconds"
        ),
        "client cluster encapsulation kube_proxy_mode probe service_type services target",
    ),
    ("service_scale", 5): (
        (
            "backend_node body_bytes client_node concurrency convergence_seconds "
            "keepalive_requests latency_requests min_sync_period_seconds mode_switch_from requests "
            "rule_changes sync_period_seconds"
        ),
        "client cluster encapsulation kube_proxy_mode probe service_type services target",
    ),
    ("service_scale", 4): (
        (
            "backend_node body_bytes client_node concurrency convergence_seconds "
            "keepalive_requests latency_requests mode_switch_from requests rule_changes"
        ),
        "client cluster encapsulation kube_proxy_mode probe service_type services target",
    ),
    ("service_scale", 3): (
        (
            "backend_node body_bytes client_node concurrency convergence_seconds "
            "keepalive_requests latency_requests requests rule_changes"
        ),
        "client cluster encapsulation kube_proxy_mode probe service_type services target",
    ),
    ("service_scale", 2): (
        (
            "backend_node body_bytes client_node concurrency convergence_seconds "
            "latency_requests requests rule_changes"
        ),
        "client cluster encapsulation kube_proxy_mode probe service_type services target",
    ),
    ("service_scale", 1): (
        (
            "backend_node body_bytes client_node concurrency convergence_seconds "
            "latency_requests requests rule_changes"
        ),
        "client cluster encapsulation kube_proxy_mode probe service_type services target",
    ),
    ("network_policy", 1): (
        (
            "client_node convergence_seconds megabits_per_second read_rules requests "
            "requests_per_second server_node"
        ),
        "cluster encapsulation keep_alive kube_proxy_mode policies response_size",
    ),
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_other_parameters_or_axes_are_another_version(kind):
    # Setting up the current mode again does not change what a spec without groups measures, nor do
    # pairs of nodes of one that names none.
    own = (
        axis.name
        for axis in kind.axes
        if axis.scope is not AxisScope.BLOCK and axis.role is not AxisRole.PAIR
    )
    shape = (" ".join(sorted(kind.parameters.model_fields)), " ".join(sorted(own)))
    known = SHAPES.get((kind.name, kind.version))
    assert known is not None, (
        "add this version to SHAPES in core/tests/kinds/test_registry.py: "
        f"({kind.name!r}, {kind.version}): {shape!r},"
    )
    assert shape == known, (
        f"parameters or axes of {kind.name} differ from those of version {kind.version}: raise "
        "its version, and add the new one to SHAPES"
    )


@pytest.mark.parametrize("name", KINDS)
def test_a_resolved_spec_is_whole_and_the_same_when_it_is_stored_and_read(name):
    spec = resolve(read_spec({"name": "x", "kind": name}))
    assert spec.parameters.keys() == KINDS[name].parameters.model_fields.keys()
    assert why_not_measured(spec) is None
    assert ResolvedSpec.model_validate_json(spec.model_dump_json()) == spec


@pytest.mark.parametrize("change", [new_parameter, new_axis, new_version])
def test_a_kind_fills_in_nothing_of_what_was_frozen(change, monkeypatch):
    spec = resolve(read_spec({"name": "x", "kind": "throughput"}))
    cases = KINDS["throughput"].cases(spec)
    change(monkeypatch)
    kind = KINDS["throughput"]
    assert kind.cases(spec) == cases
    assert "start a new run" in why_not_measured(spec)


def test_a_parameter_that_the_frozen_spec_lacks_is_named(monkeypatch):
    spec = resolve(read_spec({"name": "x", "kind": "throughput"}))
    new_parameter(monkeypatch)
    with pytest.raises(PreconditionError, match="congestion"):
        spec.parameters_as(KINDS["throughput"].parameters)


def test_changed_defaults_are_no_reason_against_an_old_run(monkeypatch):
    spec = resolve(read_spec({"name": "x", "kind": "throughput"}))
    defaults(monkeypatch)
    assert why_not_measured(spec) is None
    parameters = spec.parameters_as(KINDS["throughput"].parameters)
    assert parameters.datagram_bytes == 1400


def test_a_kind_that_is_not_offered_any_more_is_said(monkeypatch):
    spec = resolve(read_spec({"name": "x", "kind": "throughput"}))
    # A copy: a deleted and restored entry would become the last one for later tests.
    others = {name: kind for name, kind in KINDS.items() if name != "throughput"}
    monkeypatch.setattr("podmeter.kinds.registry.KINDS", others)
    assert why_not_measured(spec) == "this version of Podmeter does not support the kind throughput"


@pytest.mark.parametrize(
    ("axes", "repetition", "pointer"),
    [
        # Two gigabytes of plan from 700 bytes, once.
        ({"streams": 50, "cluster": 50}, {"trials": 100, "rounds": 20}, "/axes"),
        ({"streams": 50, "cluster": 30}, {}, "/axes"),
        ({"streams": 50}, {"trials": 100, "rounds": 20}, "/repetition"),
    ],
)
def test_a_plan_too_large_is_refused_before_it_is_made(axes, repetition, pointer, monkeypatch):
    monkeypatch.setattr(registry, "plan_blocks", pytest.fail)
    values = {"streams": list(range(1, 51)), "cluster": [f"c{n}" for n in range(50)]}
    document = {
        "name": "x",
        "kind": "throughput",
        "axes": {axis: values[axis][:count] for axis, count in axes.items()},
        "repetition": repetition,
    }
    assert pointers(document) == {pointer}


def test_the_articles_whole_ladder_is_not_too_large():
    document = {
        "name": "x",
        "kind": "service_scale",
        "axes": {
            "services": [10, 1000, 5000, 10000, 15000, 20000, 30000],
            "kube_proxy_mode": ["iptables", "ipvs", "nftables"],
        },
        "repetition": {"profile": "reference"},
    }
    assert plan(resolve(read_spec(document)))


UNTIL = {"until_decided": {"difference": 0.1}}


@pytest.mark.parametrize(
    ("kind", "axes"),
    [
        ("throughput", {"path": ["pod-pod", "pod-service-pod"]}),
        ("throughput", {"path": ["pod-pod"], "kube_proxy_mode": ["iptables"]}),
        ("service_scale", {"services": [10, 100]}),
        ("network_policy", {}),
    ],
)
def test_a_run_that_compares_nothing_cannot_go_on_until_it_is_decided(kind, axes):
    document = {"name": "x", "kind": kind, "axes": axes}
    assert pointers({**document, "repetition": UNTIL}) == {"/repetition/until_decided"}
    assert resolve(read_spec(document)).repetition.until_decided is None


@pytest.mark.parametrize(
    ("kind", "axes"),
    [
        ("throughput", {"path": ["node-node", "pod-pod"]}),
        ("throughput", {"path": ["pod-pod"], "arm": ["a", "b"]}),
        ("service_scale", {"kube_proxy_mode": ["iptables", "nftables"]}),
        ("service_scale", {"cluster": ["one", "two"]}),
    ],
)
def test_modes_clusters_and_what_paths_lose_are_decided(kind, axes):
    document = {"name": "x", "kind": kind, "axes": axes, "repetition": UNTIL}
    assert resolve(read_spec(document)).repetition.until_decided is not None


def test_without_its_source_a_loss_is_not_compared():
    axes = {"path": ["node-node", "pod-pod"], "protocol": ["tcp"], "streams": [1]}
    spec = resolve(read_spec({"name": "x", "kind": "throughput", "axes": axes}))
    source = {case.key for case in registry.cases_of(spec) if case.get("path") == "node-node"}
    assert registry.compares(spec)
    assert not registry.compares(spec, source)
