import pytest

from podmeter.domain.errors import InvalidSpecError
from podmeter.domain.experiment import ExperimentSpec, Profile, RepetitionPlan, parse_shape
from podmeter.domain.problems import pointer


def pointers(document):
    with pytest.raises(InvalidSpecError) as caught:
        parse_shape(document)
    return {problem.pointer for problem in caught.value.problems}


def test_a_spec_is_plain_data_and_comes_back_the_same():
    document = {
        "name": "vxlan against host-gw",
        "kind": "throughput",
        "axes": {"encapsulation": ["host-gw", "vxlan"], "streams": [1, 8]},
        "parameters": {"datagram_bytes": 1200},
        "repetition": {"profile": "reference", "trials": 9},
    }
    spec = parse_shape(document)
    assert parse_shape(spec.model_dump(mode="json")) == spec
    assert spec.axes["streams"] == (1, 8)


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"bogus": 1}, "/bogus"),
        ({"name": ""}, "/name"),
        ({"kind": "Speed test"}, "/kind"),
        ({"axes": {"path": []}}, "/axes/path"),
        ({"axes": {"path": ["a", 1.5]}}, "/axes/path/1"),
        ({"axes": {"streams": [True]}}, "/axes/streams/0"),
        ({"axes": {"a/b~c": [None]}}, "/axes/a~1b~0c/0"),
        ({"repetition": {"trials": 0}}, "/repetition/trials"),
        ({"repetition": {"profile": "thorough"}}, "/repetition/profile"),
        ({"repetition": {"pauses": 3}}, "/repetition/pauses"),
    ],
)
def test_every_fault_is_named_by_its_pointer(change, where):
    assert pointers({"name": "x", "kind": "throughput"} | change) == {where}


def test_all_faults_are_told_at_once():
    document = {"kind": "throughput", "extra": 1, "axes": {"a": [{}]}}
    assert pointers(document) == {"/name", "/extra", "/axes/a/0"}


def test_what_is_no_mapping_is_refused_as_a_whole():
    assert pointers(["a list"]) == {""}


def test_profiles_and_what_overrides_them():
    quick = RepetitionPlan().resolve(compares_modes=False)
    assert (quick.trials, quick.rounds) == (2, 6)
    reference = RepetitionPlan(profile=Profile.REFERENCE, trials=9).resolve(compares_modes=False)
    assert (reference.trials, reference.seconds, reference.rounds) == (9, 20, 12)


def test_rounds_are_given_or_the_run_goes_on_until_decided():
    until = {"difference": 0.1, "most_minutes": 30}
    spec = parse_shape({"name": "x", "kind": "throughput", "repetition": {"until_decided": until}})
    repetition = spec.repetition.resolve(compares_modes=False)
    assert repetition.until_decided is not None
    assert (repetition.until_decided.difference, repetition.rounds) == (0.1, 6)
    both = {"name": "x", "kind": "throughput", "repetition": {"until_decided": until, "rounds": 8}}
    assert pointers(both) == {"/repetition"}


@pytest.mark.parametrize(
    ("rounds", "compares_modes", "looks"),
    [(None, True, True), (None, False, False), (9, True, False)],
)
def test_modes_are_compared_until_decided_unless_rounds_are_named(rounds, compares_modes, looks):
    found = RepetitionPlan(rounds=rounds).resolve(compares_modes=compares_modes)
    assert (found.until_decided is not None) is looks
    assert found.rounds == (rounds or 6)


def test_the_schema_shows_axis_values_as_words_or_whole_numbers():
    axes = ExperimentSpec.model_json_schema()["properties"]["axes"]
    assert axes["additionalProperties"]["items"] == {"type": ["string", "integer"]}


def test_pointers_are_escaped():
    assert pointer(["a/b", 0, "~"]) == "/a~1b/0/~0"
