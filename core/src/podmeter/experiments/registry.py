"""Every kind, and reading a spec against its kind. A new kind is one line in `KINDS`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from podmeter.domain.axes import axis_problems, complete
from podmeter.domain.errors import InvalidSpecError, PreconditionError
from podmeter.domain.experiment import ExperimentSpec, KindName, ResolvedSpec, parse_shape
from podmeter.domain.planning import Block, plan_blocks
from podmeter.domain.problems import Problem, from_validation
from podmeter.experiments.service_scale.kind import ServiceScale
from podmeter.experiments.throughput.kind import Throughput

if TYPE_CHECKING:
    from podmeter.experiments.kind import Kind

KINDS: dict[KindName, Kind] = {
    KindName.THROUGHPUT: Throughput(),
    KindName.SERVICE_SCALE: ServiceScale(),
}


def kind_of(spec: ExperimentSpec | ResolvedSpec) -> Kind:
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
    if not problems and not kind.cases(resolve(spec)):
        problems.append(Problem("/axes", "these axes leave no case to run"))
    if problems:
        raise InvalidSpecError(problems)
    return spec


def resolve(spec: ExperimentSpec) -> ResolvedSpec:
    """A spec that `read_spec` read, with today's defaults of its kind and profile filled in.

    This is the only place where they are.
    """
    kind = kind_of(spec)
    return ResolvedSpec(
        name=spec.name,
        kind=spec.kind,
        kind_version=kind.version,
        description=spec.description,
        parameters=kind.parameters.model_validate(dict(spec.parameters)).model_dump(mode="json"),
        axes=complete(spec.axes, kind.axes),
        repetition=spec.repetition.resolve(),
    )


def plan(spec: ResolvedSpec) -> tuple[Block, ...]:
    """The blocks of a spec, with their cases and the order of their trials.

    For a run that is not started yet; a started one's follow from the cases it keeps.
    """
    return plan_blocks(kind_of(spec).cases(spec), spec.axes, spec.repetition)


def why_not_measured(spec: ResolvedSpec) -> str | None:
    """Why this version cannot measure what a run has left to do, or None."""
    kind = KINDS.get(spec.kind)
    if kind is None:
        return f"this version does not offer {spec.kind}"
    if kind.version != spec.kind_version:
        return (
            f"the run was started with version {spec.kind_version} of {spec.kind}, which is "
            f"{kind.version} now; start a new run instead"
        )
    always = {axis.name for axis in kind.axes if axis.default}
    if not always <= spec.matrix.keys() <= {axis.name for axis in kind.axes}:
        return f"the run was started with other axes than {spec.kind} has; start a new run instead"
    try:
        spec.parameters_as(kind.parameters)
    except PreconditionError as error:
        return f"{error}; start a new run instead"
    return None
