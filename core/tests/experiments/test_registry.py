import pytest

from podmeter.domain.errors import InvalidSpecError, PreconditionError
from podmeter.domain.experiment import KindName, ResolvedSpec
from podmeter.domain.modes import BLOCK_AXES
from podmeter.experiments.registry import KINDS, plan, read_spec, resolve, why_not_measured

from .changed_kinds import defaults, new_axis, new_parameter, new_version

#: Kinds that the specification knows and this version does not run yet.
COMING = {KindName.TRANSPORT, KindName.REQUEST_LATENCY, KindName.NETWORK_POLICY}


def pointers(document):
    with pytest.raises(InvalidSpecError) as caught:
        read_spec(document)
    return {problem.pointer for problem in caught.value.problems}


def test_every_kind_is_registered_by_its_own_name_or_said_to_come():
    assert {name: kind.name for name, kind in KINDS.items()} == {name: name for name in KINDS}
    assert set(KINDS) | COMING == set(KindName)
    assert not set(KINDS) & COMING


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
    assert pointers({"name": "x", "kind": "transport"}) == {"/kind"}


def test_axes_that_leave_nothing_to_run_are_refused():
    axes = {"client": ["outside"], "service_type": ["ClusterIP"], "probe": ["qps"]}
    assert pointers({"name": "x", "kind": "service_scale", "axes": axes}) == {"/axes"}


def test_parameters_that_contradict_each_other_are_refused():
    parameters = {"requests": 10, "concurrency": 20}
    document = {"name": "x", "kind": "service_scale", "parameters": parameters}
    assert pointers(document) == {"/parameters"}


#: What each version of a kind takes. Never change a line: raise the kind's version and add one.
SHAPES = {
    (KindName.THROUGHPUT, 1): (
        "client_node datagram_bytes port server_node udp_bits_per_second",
        "cluster encapsulation kube_proxy_mode path protocol streams",
    ),
    (KindName.SERVICE_SCALE, 1): (
        (
            "backend_node body_bytes client_node concurrency convergence_seconds "
            "latency_requests requests rule_changes"
        ),
        "client cluster encapsulation kube_proxy_mode probe service_type services target",
    ),
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_other_parameters_or_axes_are_another_version(kind):
    parameters, axes = SHAPES[kind.name, kind.version]
    assert sorted(kind.parameters.model_fields) == parameters.split()
    assert sorted(axis.name for axis in kind.axes) == axes.split()


@pytest.mark.parametrize("name", KINDS)
def test_a_resolved_spec_is_whole_and_the_same_when_it_is_stored_and_read(name):
    spec = resolve(read_spec({"name": "x", "kind": name}))
    assert spec.parameters.keys() == KINDS[name].parameters.model_fields.keys()
    assert why_not_measured(spec) is None
    assert ResolvedSpec.model_validate_json(spec.model_dump_json()) == spec


@pytest.mark.parametrize("change", [new_parameter, new_axis, new_version])
def test_a_kind_fills_in_nothing_of_what_was_frozen(change, monkeypatch):
    spec = resolve(read_spec({"name": "x", "kind": "throughput"}))
    cases = KINDS[KindName.THROUGHPUT].cases(spec)
    change(monkeypatch)
    kind = KINDS[KindName.THROUGHPUT]
    assert kind.cases(spec) == cases
    assert "start a new run" in why_not_measured(spec)


def test_a_parameter_that_the_frozen_spec_lacks_is_named(monkeypatch):
    spec = resolve(read_spec({"name": "x", "kind": "throughput"}))
    new_parameter(monkeypatch)
    with pytest.raises(PreconditionError, match="congestion"):
        spec.parameters_as(KINDS[KindName.THROUGHPUT].parameters)


def test_changed_defaults_are_no_reason_against_an_old_run(monkeypatch):
    spec = resolve(read_spec({"name": "x", "kind": "throughput"}))
    defaults(monkeypatch)
    assert why_not_measured(spec) is None
    parameters = spec.parameters_as(KINDS[KindName.THROUGHPUT].parameters)
    assert parameters.datagram_bytes == 1400


def test_a_kind_that_is_not_offered_any_more_is_said(monkeypatch):
    spec = resolve(read_spec({"name": "x", "kind": "throughput"}))
    monkeypatch.delitem(KINDS, KindName.THROUGHPUT)
    assert why_not_measured(spec) == "this version does not offer throughput"
