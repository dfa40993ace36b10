"""Every kind, and reading a spec against its kind. A new kind is one line in `_REGISTERED`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from podmeter.domain.axes import axis_problems
from podmeter.domain.errors import InvalidSpecError
from podmeter.domain.experiment import ExperimentSpec, parse_shape
from podmeter.domain.planning import Block, plan_blocks
from podmeter.domain.problems import Problem, from_validation
from podmeter.experiments.service_scale.kind import ServiceScale
from podmeter.experiments.throughput.kind import Throughput

if TYPE_CHECKING:
    from podmeter.drivers.tool import Tool
    from podmeter.experiments.kind import Kind

_REGISTERED: tuple[Kind, ...] = (
    Throughput(),
    ServiceScale(),
)
KINDS = {kind.name: kind for kind in _REGISTERED}


def tools() -> tuple[Tool, ...]:
    """The tools of all kinds, each once."""
    return tuple({tool.name: tool for kind in KINDS.values() for tool in kind.tools}.values())


def kind_of(spec: ExperimentSpec) -> Kind:
    """The spec's kind; raises InvalidSpecError for one that this version does not run."""
    kind = KINDS.get(spec.kind)
    if kind is None:
        offered = ", ".join(KINDS)
        raise InvalidSpecError([Problem("/kind", f"{spec.kind} is not offered; {offered} are")])
    return kind


def read_spec(document: object) -> ExperimentSpec:
    """Read a parsed YAML or JSON document and check it whole: shape, parameters, axes, cases.

    Raises InvalidSpecError with all faults by JSON pointer.
    """
    spec = parse_shape(document)
    kind = kind_of(spec)
    problems = [*axis_problems(spec.axes, kind.axes)]
    try:
        kind.parameters.model_validate(dict(spec.parameters))
    except ValidationError as error:
        problems += from_validation(error, "parameters")
    if not problems and not kind.cases(spec):
        problems.append(Problem("/axes", "these axes leave no case to run"))
    if problems:
        raise InvalidSpecError(problems)
    return spec


def plan(spec: ExperimentSpec) -> tuple[Block, ...]:
    """The blocks of a spec, with their cases and the order of their trials."""
    kind = kind_of(spec)
    return plan_blocks(kind.cases(spec), kind.axes, spec.repetition.resolve())
