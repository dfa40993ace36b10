"""The JSON Schema of an experiment's YAML, by which editors complete and check it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from podmeter.domain.axes import MOST_VALUES, AxisRole, AxisScope
from podmeter.domain.experiment import ExperimentSpec
from podmeter.kinds.registry import KINDS

if TYPE_CHECKING:
    from podmeter.domain.axes import AxisDefinition
    from podmeter.kinds.kind import Kind


def experiment_schema() -> dict[str, Any]:
    """The schema (draft 2020-12): what every experiment has, and each kind's own part."""
    schema = ExperimentSpec.model_json_schema(ref_template="#/$defs/{model}")
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "Podmeter experiment"
    schema["description"] = "What is measured, on which axes, and how often."
    schema["properties"]["kind"] = {
        "oneOf": [{"const": name, "description": kind.description} for name, kind in KINDS.items()]
    }
    schema["allOf"] = [_of_kind(name, kind, schema["$defs"]) for name, kind in KINDS.items()]
    return schema


def _of_kind(name: str, kind: Kind, definitions: dict[str, Any]) -> dict[str, Any]:
    parameters = kind.parameters.model_json_schema(ref_template=f"#/$defs/{name}.{{model}}")
    for model, definition in parameters.pop("$defs", {}).items():
        definitions[f"{name}.{model}"] = definition
    axes = {
        "type": "object",
        "properties": {axis.name: axis_schema(axis) for axis in kind.axes},
        "additionalProperties": False,
    }
    return {
        "if": {"properties": {"kind": {"const": name}}, "required": ["kind"]},
        "then": {"properties": {"axes": axes, "parameters": parameters}},
    }


def axis_schema(axis: AxisDefinition) -> dict[str, Any]:
    """The schema of the values that an experiment names on an axis."""
    if axis.names_pairs or (axis.scope is AxisScope.CLUSTER and not axis.choices):
        # Which there are, only the clusters tell; the words stand for what is found there.
        items: dict[str, Any] = {"type": "string", "examples": list(axis.choices)}
    elif axis.choices:
        items = {"enum": list(axis.choices)}
    else:
        items = {"type": "integer"}
        items |= {} if axis.minimum is None else {"minimum": axis.minimum}
        items |= {} if axis.maximum is None else {"maximum": axis.maximum}
    schema = {"type": "array", "description": axis.description, "items": items, "minItems": 1}
    schema |= {"uniqueItems": True}
    if axis.role is not AxisRole.PAIR:
        schema["maxItems"] = MOST_VALUES
    if axis.default:
        schema["default"] = list(axis.default)
    return schema
