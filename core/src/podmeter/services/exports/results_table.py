"""The results table of runs and of comparisons: every row of them, as a stream."""

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from podmeter.db.models import Run
from podmeter.db.repositories.rows import RowRepository
from podmeter.db.repositories.runs import RunRepository
from podmeter.domain.axes import AxisValue
from podmeter.domain.experiment import FROZEN
from podmeter.domain.node_pairs import NODE_PAIR
from podmeter.kinds.registry import metrics_of
from podmeter.results.rows import Row, RowCase, rows
from podmeter.services.accounts.principal import Principal
from podmeter.services.comparisons import compare
from podmeter.services.comparisons.document import ComparedRun
from podmeter.services.errors import NotFoundError
from podmeter.services.run_results.words import in_order
from podmeter.services.work import Work


@dataclass(frozen=True)
class ResultsTable:
    """Rows with the axes that their cases lie on, outermost first, and each axis' values, and with
    the keys of their runs' labels.

    `rows` are read while they are taken, once.
    """

    name: str
    axes: Mapping[str, Sequence[AxisValue]]
    labels: Sequence[str]
    rows: Iterator[Row]


def of_run(work: Work, principal: Principal, run_id: uuid.UUID) -> ResultsTable:
    """All rows of a run. Raises NotFoundError."""
    run = _run(work, principal, run_id)
    return _table(work, principal, run.name, [run], lambda _, __: True)


def of_comparison(work: Work, principal: Principal, comparison_id: uuid.UUID) -> ResultsTable:
    """All rows of the cases that a comparison's sides are of, as they are stored now.

    Raises NotFoundError where it, or one of its runs, is not there any more.
    """
    found = compare.get(work, principal, comparison_id)
    sides = [
        side
        for side in (found.baseline, *(one.side for one in found.contenders))
        if side.run_id is not None
    ]
    ids = dict.fromkeys(side.run_id for side in sides if side.run_id is not None)
    runs = [_run(work, principal, run_id) for run_id in ids]

    def compared(case_id: int, case: RowCase) -> bool:
        return any(_is_of(side, case_id, case) for side in sides)

    return _table(work, principal, f"comparison {found.id}", runs, compared)


def _is_of(side: ComparedRun, case_id: int, case: RowCase) -> bool:
    return (
        side.run_id == case.run_id
        and side.case_id in (None, case_id)
        and side.where.items() <= case.point.items()
    )


def _table(
    work: Work,
    principal: Principal,
    name: str,
    runs: Sequence[Run],
    wanted: Callable[[int, RowCase], bool],
) -> ResultsTable:
    repository = RowRepository(work.session, principal.organization_id)
    ids = [run.id for run in runs]
    labels = {run.id: dict(label.split("=", 1) for label in run.labels) for run in runs}
    specs = {run.id: FROZEN.read(run.spec) for run in runs}
    known = {
        case_id: RowCase(run_id, key, point, labels[run_id], specs[run_id].node_pair)
        for case_id, run_id, key, point in repository.cases(ids)
    }
    cases = {case_id: case for case_id, case in known.items() if wanted(case_id, case)}
    axes: dict[str, dict[AxisValue, None]] = {}
    for case in cases.values():
        for axis, value in case.point.items():
            axes.setdefault(axis, {})[value] = None
    for run_id in {case.run_id for case in cases.values()}:
        for pair in specs[run_id].rotated_pairs:
            axes.setdefault(NODE_PAIR, {})[pair] = None
    return ResultsTable(
        name=name,
        axes={axis: tuple(axes[axis]) for axis in in_order(axes)},
        labels=sorted({key for of_run in labels.values() for key in of_run}),
        rows=rows(repository.stored(ids), cases, {run.id: metrics_of(run.kind) for run in runs}),
    )


def _run(work: Work, principal: Principal, run_id: uuid.UUID) -> Run:
    run = RunRepository(work.session, principal.organization_id).get(run_id)
    if run is None:
        raise NotFoundError("run")
    return run
