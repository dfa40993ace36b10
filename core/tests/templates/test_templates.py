"""The templates against the kinds' own schemas, and against what the articles say they ran."""

from importlib.resources import files

import pytest

from podmeter.kinds.registry import KINDS, plan, read_spec, resolve
from podmeter.references.library import references
from podmeter.services.templates.read import page
from podmeter.statistics import rounds_needed
from podmeter.templates.document import Template
from podmeter.templates.library import templates
from podmeter.texts import documents_in

#: Seconds of a trial that an article says, of those that run for a time.
SECONDS = {"calico_modes": 60, "cilium_native_vs_vxlan": 10}
ARTICLES = {
    "calico-modes-2024": {"calico_modes", "calico_latency"},
    "iptables-ipvs-ladder": {"iptables_vs_ipvs"},
    "flannel-qperf": {"three_paths_by_qperf"},
    "cilium-native-routing-2023": {"cilium_native_vs_vxlan"},
    "network-policies-2016": {"policies_and_sizes"},
}
OWN = [one for one in templates().values() if one.published is not None]


def test_every_file_is_offered():
    there = {file.name for file in (files("podmeter.templates") / "data").iterdir()}
    assert there == {f"{one}.yaml" for one in templates()}
    assert all(one.id == name for name, one in templates().items())


def test_every_article_has_its_own_specifications():
    found: dict[str, set[str]] = {}
    for one in OWN:
        found.setdefault(one.reference, set()).add(one.id)
    assert found == ARTICLES


@pytest.mark.parametrize("one", templates().values(), ids=lambda one: one.id)
def test_every_specification_plans(one: Template):
    for spec in (one.published_spec, one.quick_spec):
        if spec is not None:
            read = read_spec(spec.model_dump(mode="json"))
            assert read == spec
            assert sum(len(block.trials) for block in plan(resolve(read)))
            # What is given is meant: no axis of another kind, none twice.
            assert set(spec.axes) <= {axis.name for axis in KINDS[one.kind].axes}


@pytest.mark.parametrize("one", templates().values(), ids=lambda one: one.id)
def test_its_article_is_known_and_of_its_kind(one: Template):
    if one.reference is not None:
        assert one.kind in references()[one.reference].reference.kinds


@pytest.mark.parametrize("one", OWN, ids=lambda one: one.id)
def test_an_articles_values_are_measured_once_as_there(one: Template):
    assert one.published_spec is not None
    repetition = resolve(one.published_spec).repetition
    assert (repetition.rounds, repetition.trials, repetition.warmup) == (1, 1, 0)
    if KINDS[one.kind].timed:
        assert repetition.seconds == SECONDS[one.id]


@pytest.mark.parametrize("one", templates().values(), ids=lambda one: one.id)
def test_a_quick_one_can_decide(one: Template):
    assert resolve(one.quick_spec).repetition.rounds >= rounds_needed(0.05)


def test_the_articles_rungs_sizes_and_requests_are_theirs():
    ladder = templates()["iptables_vs_ipvs"].published_spec
    assert ladder.axes["services"] == (10, 1000, 5000, 10000, 15000, 20000, 30000)
    assert ladder.parameters == {"requests": 2000, "concurrency": 100}
    policies = templates()["policies_and_sizes"].published_spec
    assert policies.axes["policies"] == (0, 10, 50, 100, 200)
    assert policies.axes["response_size"] == ("0.5k", "1k", "10k", "100k", "1M")
    assert policies.axes["keep_alive"] == ("off",)
    latency = templates()["calico_latency"].published_spec
    assert latency.parameters["requests"] == 10
    assert latency.parameters["first_counts"] is True


def test_they_are_listed_whole_and_by_kind():
    assert [one.id for one in page(None)] == list(templates())
    for kind in KINDS:
        assert [one.id for one in page(kind)] == [
            one.id for one in templates().values() if one.kind == kind
        ]
    for one in page(None):
        assert one.question.count("?") >= 1
        assert one.quick.name == one.title
    with documents_in("zh"):
        for one in page(None):
            assert "？" in one.question
            assert one.quick.name == one.title
