"""The schema takes what is an experiment, and refuses what is none as the reading does."""

from typing import Any

import pytest
import yaml
from jsonschema_rs import Draft202012Validator, meta

from podmeter.domain.errors import InvalidSpecError
from podmeter.kinds.json_schema import experiment_schema
from podmeter.kinds.registry import KINDS, read_spec, resolve
from podmeter.templates.library import templates

VALIDATOR = Draft202012Validator(experiment_schema())


def errors(document: Any) -> list[str]:
    return [error.message for error in VALIDATOR.iter_errors(document)]


def test_it_is_a_schema() -> None:
    meta.validate(experiment_schema())


@pytest.mark.parametrize("kind", KINDS)
def test_the_shortest_experiment_of_each_kind_is_one(kind: str) -> None:
    assert errors({"name": "x", "kind": kind}) == []


@pytest.mark.parametrize("name", templates())
def test_every_template_is_an_experiment(name: str) -> None:
    template = templates()[name]
    for values in filter(None, (template.published, template.quick)):
        document = {
            "name": "x",
            "kind": template.kind,
            **values.model_dump(mode="json", exclude_unset=True),
        }
        assert errors(document) == []


@pytest.mark.parametrize(
    "text",
    [
        "{name: x, kind: thruput}",
        "{name: x, kind: throughput, axes: {paths: [pod-pod]}}",
        "{name: x, kind: throughput, axes: {path: [pod-node-pod]}}",
        "{name: x, kind: throughput, axes: {path: []}}",
        "{name: x, kind: throughput, axes: {streams: [0]}}",
        "{name: x, kind: throughput, axes: {streams: [many]}}",
        "{name: x, kind: throughput, axes: {path: [pod-pod, pod-pod]}}",
        "{name: x, kind: throughput, axes: {services: [10]}}",
        "{name: x, kind: throughput, parameters: {requests: 10}}",
        "{name: x, kind: throughput, parameters: {port: 80}}",
        "{name: x, kind: throughput, repetition: {rounds: 100}}",
        "{name: x, kind: throughput, repetition: {until_decided: {difference: 2}}}",
        "{name: x, kind: throughput, comment: y}",
        "{kind: throughput}",
    ],
)
def test_what_the_reading_refuses_is_refused(text: str) -> None:
    document = yaml.safe_load(text)
    assert errors(document)
    with pytest.raises(InvalidSpecError):
        resolve(read_spec(document))
