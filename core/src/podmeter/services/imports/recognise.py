"""A paste as outputs at points."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from podmeter.domain.axes import AxisDefinition, AxisValue
from podmeter.domain.messages import Message, say
from podmeter.domain.planning import Case
from podmeter.domain.problems import Problem, pointer
from podmeter.drivers.pasted import shell
from podmeter.drivers.pasted.output import Connection, Output
from podmeter.drivers.pasted.read import LineKind, Pasted, examine, read
from podmeter.drivers.pasted.text import PasteError, raw_lines, shown
from podmeter.kinds.imported.kind import TOOL_AXIS, VARIANT_AXIS
from podmeter.kinds.registry import IMPORTED
from podmeter.services.imports.document import (
    ImportAxis,
    ImportPreview,
    PastedLines,
    RecognisedConnection,
    RecognisedFigure,
    RecognisedOutput,
    RefusedLine,
)
from podmeter.services.imports.request import ImportRequest, InvalidImportError

#: As many of an output's connections are shown.
MOST_CONNECTIONS = 4
#: The tool tells itself.
_AXES = {axis.name: axis for axis in IMPORTED.axes if axis.name != TOOL_AXIS}
_UNITS = {one.name: one.unit.value for one in IMPORTED.metrics}


@dataclass(frozen=True)
class PlacedOutput:
    """An output at its whole point."""

    number: int
    output: Output
    case: Case


@dataclass(frozen=True)
class Recognised:
    """All outputs of a paste, and the lines that were passed over."""

    placed: tuple[PlacedOutput, ...]
    skipped: tuple[int, ...]


def recognise(request: ImportRequest) -> Recognised:
    """Read the paste and put each output at its point. Raises InvalidImportError."""
    try:
        pasted = read(request.text)
    except PasteError as error:
        raise InvalidImportError([Problem("/text", error.said)]) from error
    return _recognised(request, pasted)


def _recognised(request: ImportRequest, pasted: Pasted) -> Recognised:
    """Each output at its point. Raises InvalidImportError."""
    placed = _placed(request, len(pasted.outputs))
    several = len({one.tool for one in pasted.outputs}) > 1
    found: list[PlacedOutput] = []
    faults: list[Problem] = []
    for number, output in enumerate(pasted.outputs, 1):
        index, own = placed.get(number, (0, {}))
        point = {**request.at, **output.point, **own}
        for axis, given in own.items():
            value = output.point.get(axis, given)
            if value != given:
                where = pointer(["outputs", index, "at", axis])
                faults.append(Problem(where, say("import_told_otherwise", told=value, given=given)))
        if several or not point:
            point[TOOL_AXIS] = output.tool
        found.append(PlacedOutput(number, output, Case.at(point)))
    if faults:
        raise InvalidImportError(faults)
    return Recognised(tuple(found), pasted.skipped)


def preview(request: ImportRequest) -> ImportPreview:
    """What an import would be, as far as the paste can be read; nothing is kept.

    Raises InvalidImportError for values that do not fit.
    """
    pasted = examine(request.text)
    found = _recognised(request, pasted)
    refused = pasted.refused
    environment: dict[str, str] = {}
    for one in found.placed:
        for name, said in one.output.environment.items():
            environment.setdefault(name, said)
    return ImportPreview(
        outputs=[_shown(one) for one in found.placed],
        skipped_lines=list(found.skipped),
        environment=environment,
        axes=[_axis(axis) for axis in _AXES.values()],
        lines=_lines(request.text, pasted),
        refused=RefusedLine(refused.line, refused.text, refused.why) if refused else None,
    )


def _lines(text: str, pasted: Pasted) -> list[PastedLines]:
    """What each line is, those that follow each other and are alike as one.

    Blank lines and rules belong to what is above them.
    """
    lines: list[PastedLines] = []
    for number, line in enumerate(raw_lines(text), 1):
        kind = pasted.kinds.get(number)
        outputs = [place + 1 for place in pasted.outputs_of.get(number, ())]
        blank = shell.is_blank(line.strip()) and kind in (None, LineKind.AROUND)
        if kind is None or (blank and not lines):
            continue
        last = lines[-1] if lines else None
        alike = last is not None and (last.kind, last.outputs) == (kind, outputs)
        if last is not None and (alike or blank):
            lines[-1] = replace(last, last_line=number)
        else:
            lines.append(PastedLines(number, number, kind, outputs, shown(line)))
    return lines


def _placed(request: ImportRequest, count: int) -> dict[int, tuple[int, Mapping[str, AxisValue]]]:
    """By output its place in the request and what was given; raises InvalidImportError."""
    faults = _faults(request.at, ["at"])
    placements: dict[int, tuple[int, Mapping[str, AxisValue]]] = {}
    for index, one in enumerate(request.outputs):
        where = pointer(["outputs", index, "output"])
        if not 1 <= one.output <= count:
            problem = say("import_no_output", number=one.output, count=count)
            faults.append(Problem(where, problem))
        elif one.output in placements:
            faults.append(Problem(where, say("import_twice", number=one.output)))
        placements[one.output] = index, one.at
        faults += _faults(one.at, ["outputs", index, "at"])
    if faults:
        raise InvalidImportError(faults)
    return placements


def _faults(at: Mapping[str, AxisValue], where: list[str | int]) -> list[Problem]:
    faults = []
    for name, value in at.items():
        axis = _AXES.get(name)
        fault: Message | None
        if axis is None:
            fault = say("import_axis", axes=sorted(_AXES))
        elif name == VARIANT_AXIS:
            words = isinstance(value, str) and re.fullmatch(r"[^\x00-\x1f\x7f]{1,60}", value)
            fault = None if words else say("import_variant")
        else:
            fault = axis.problem(value)
        if fault is not None:
            faults.append(Problem(pointer([*where, name]), fault))
    return faults


def _shown(one: PlacedOutput) -> RecognisedOutput:
    output = one.output
    return RecognisedOutput(
        output=one.number,
        tool=output.tool,
        version=output.version,
        first_line=output.first,
        last_line=output.last,
        command=output.command,
        told=dict(output.point),
        point=dict(one.case.point),
        case=one.case.key,
        requests=output.requests,
        samples=output.samples,
        figures=[
            RecognisedFigure(
                metric=figure.metric,
                subject=figure.subject,
                unit=_UNITS[figure.metric],
                value=figure.value,
                printed=figure.printed,
                line=figure.line,
            )
            for figure in output.figures
        ],
        notes=list(output.notes),
        connections=[
            RecognisedConnection(one.local, one.remote)
            for one in sorted(output.account.connections, key=_ends)[:MOST_CONNECTIONS]
        ],
    )


def _ends(one: Connection) -> tuple[str, str]:
    return one.local, one.remote


def _axis(axis: AxisDefinition) -> ImportAxis:
    return ImportAxis(axis.name, list(axis.choices), axis.minimum, axis.maximum)
