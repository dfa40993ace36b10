import pytest
from pydantic import TypeAdapter

from podmeter.domain.axes import BLOCK_AXES, AxisRole
from podmeter.domain.errors import InvalidSpecError
from podmeter.domain.experiment import KindName
from podmeter.domain.measurement import Direction
from podmeter.experiments.registry import KINDS, plan, read_spec


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
    spec = read_spec({"name": "x", "kind": name})
    blocks = plan(spec)
    repetition = spec.repetition.resolve()
    for block in blocks:
        for trial in block.trials:
            assert KINDS[name].trial_seconds(trial.case, spec, repetition) > 0
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
