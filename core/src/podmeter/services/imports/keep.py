"""Keeping an import as a finished run of kind `import`."""

import uuid
from collections.abc import Sequence
from datetime import datetime

from podmeter.db.base import now
from podmeter.db.models import (
    Block,
    CaseRecord,
    InvocationRecord,
    MeasurementRecord,
    Role,
    Run,
    Trial,
)
from podmeter.db.repositories.journal import JournalRepository
from podmeter.db.repositories.runs import RunRepository
from podmeter.db.repositories.trials import TrialRepository
from podmeter.domain.axes import AxisValue, ResolvedAxis
from podmeter.domain.experiment import Repetition, ResolvedSpec
from podmeter.domain.messages import say
from podmeter.domain.run import CaseStatus, Outcome, RunState
from podmeter.domain.trial import TrialStatus
from podmeter.drivers.pasted.output import Output
from podmeter.drivers.pasted.text import split
from podmeter.kinds.registry import IMPORTED
from podmeter.services.accounts.principal import Principal
from podmeter.services.imports.recognise import PlacedOutput, recognise
from podmeter.services.imports.request import ImportRequest
from podmeter.services.runs.recording import compress
from podmeter.services.work import Work

#: Where a trial's command ran.
_PLACE = "imported"


def keep(work: Work, principal: Principal, request: ImportRequest) -> Run:
    """Read a paste and keep it: a case for each point, a trial for each output.

    It measures no cluster of ours, so no noise floor and no overview counts it, and no worker
    takes it. Raises RoleError, InvalidImportError.
    """
    principal.require(Role.OPERATOR)
    placed = recognise(request).placed
    spec = _spec(request, placed)
    moment = now()
    run = _run(principal, request, spec, moment)
    block = Block(
        organization_id=run.organization_id,
        run_id=run.id,
        position=0,
        round=1,
        modes={},
        status=CaseStatus.SUCCEEDED,
    )
    cases = _cases(run, placed)
    runs = RunRepository(work.session, principal.organization_id)
    runs.add(run, [], [block], cases.values())
    trials = TrialRepository(work.session, principal.organization_id)
    in_order = sorted(split(request.text), key=lambda one: one.number)
    lines = [one.text for one in in_order]
    numbers: dict[str, int] = {}
    for one in placed:
        key = one.case.key
        numbers[key] = numbers.get(key, 0) + 1
        trial = _trial(run, cases[key], block, one.output, numbers[key])
        trials.add(trial, [_invocation(one.output, lines)], _measurements(one.output), [])
    journal = JournalRepository(work.session, principal.organization_id)
    journal.add_event(run.id, "state", {"state": run.state, "attempt": run.attempt})
    work.audit.to("run", run.id, run.name, outputs=len(placed))
    work.session.refresh(run)
    return run


def _spec(request: ImportRequest, placed: Sequence[PlacedOutput]) -> ResolvedSpec:
    """What it is of, frozen: the environment as it was given, and the axes that its points use."""
    values: dict[str, dict[AxisValue, None]] = {}
    for one in placed:
        for axis, value in one.case.point:
            values.setdefault(axis, {})[value] = None
    axes = [
        ResolvedAxis(
            name=axis.name,
            scope=axis.scope,
            ladder=axis.ladder,
            staged=False,
            values=tuple(sorted(values[axis.name], key=int) if axis.ladder else values[axis.name]),
        )
        for axis in IMPORTED.axes
        if axis.name in values
    ]
    most = max(sum(other.case == one.case for other in placed) for one in placed)
    return ResolvedSpec(
        name=request.name,
        kind=IMPORTED.name,
        kind_version=IMPORTED.version,
        description="",
        parameters=request.environment.model_dump(mode="json"),
        axes=tuple(axes),
        repetition=Repetition(
            trials=most, seconds=0, rounds=1, warmup=0, void_replacements=0, seed=0
        ),
    )


def _run(principal: Principal, request: ImportRequest, spec: ResolvedSpec, moment: datetime) -> Run:
    return Run(
        id=uuid.uuid4(),
        organization_id=principal.organization_id,
        experiment_id=None,
        name=request.name,
        kind=spec.kind,
        spec=spec.model_dump(mode="json"),
        written={"name": request.name, "kind": spec.kind},
        state=RunState.FINISHED,
        outcome=Outcome.SUCCEEDED,
        warnings=[say("import_given")],
        created_by=principal.user_id,
        created_at=moment,
        queued_at=moment,
        # Nobody here knows when it began.
        finished_at=moment,
    )


def _cases(run: Run, placed: Sequence[PlacedOutput]) -> dict[str, CaseRecord]:
    """A case for each point, in the order in which they were pasted."""
    found: dict[str, CaseRecord] = {}
    for one in placed:
        if one.case.key not in found:
            found[one.case.key] = CaseRecord(
                organization_id=run.organization_id,
                run_id=run.id,
                position=len(found),
                key=one.case.key,
                point=dict(one.case.point),
                status=CaseStatus.SUCCEEDED,
            )
    return found


def _trial(run: Run, case: CaseRecord, block: Block, output: Output, number: int) -> Trial:
    facts = {"lines": f"{output.first}-{output.last}"}
    facts |= {
        name: str(count)
        for name, count in (("requests", output.requests), ("samples", output.samples))
        if count is not None
    }
    return Trial(
        organization_id=run.organization_id,
        run_id=run.id,
        case_id=case.id,
        block_id=block.id,
        round=1,
        number=number,
        warmup=False,
        attempt=1,
        status=TrialStatus.COUNTED,
        failure_message="",
        warnings=list(output.notes),
        facts=facts,
        seconds=_seconds(output),
        tool_seconds=_seconds(output),
    )


def _invocation(output: Output, lines: Sequence[str]) -> InvocationRecord:
    """The lines that the figures are of, as they were pasted."""
    return InvocationRecord(
        position=0,
        tool=output.tool,
        version=output.version,
        argv=[output.command] if output.command else [],
        place=_PLACE,
        seconds=_seconds(output),
        stdout=compress("\n".join(lines[output.first - 1 : output.last]) + "\n"),
        stderr=compress(""),
    )


def _seconds(output: Output) -> float | None:
    """How long it ran, where the text tells: 0.00 s was rounded, and tells nothing."""
    return output.seconds or None


def _measurements(output: Output) -> list[MeasurementRecord]:
    return [
        MeasurementRecord(metric=one.metric, subject=one.subject, value=one.value)
        for one in output.figures
    ]
