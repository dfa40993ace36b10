"""A row of the results table: one metric of one trial. What is stored of a trial yields rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from podmeter.domain.node_pairs import NODE_PAIR
from podmeter.domain.trial import TrialStatus

if TYPE_CHECKING:
    import uuid

    from podmeter.domain.axes import AxisValue
    from podmeter.domain.measurement import MetricDefinition, Unit

#: (case, trial, round, status, failure code, metric, subject, value), as the database has it; a
#: trial without measurements has one with None for the last three.
StoredRow = tuple[int, int, int, TrialStatus, str | None, str | None, str | None, float | None]


@dataclass(frozen=True, slots=True)
class RowCase:
    """What the rows of a case share: its run with the run's labels, its key and point.

    `node_pair` gives the pair of nodes of a round, None where pairs do not change by round.
    """

    run_id: uuid.UUID
    key: str
    point: Mapping[str, AxisValue]
    labels: Mapping[str, str] = field(default_factory=dict)
    node_pair: Callable[[int], str | None] = lambda round_: None


@dataclass(frozen=True, slots=True)
class Row:
    """One metric of one trial of a case, in the metric's base unit.

    A failed or void trial is one row without metric and value; `reason` is its failure's code.
    Rows in state `counted` are evidence, no others. A metric that this version does not know has
    no unit.
    """

    case: RowCase
    metric: str | None
    subject: str
    unit: Unit | None
    round: int
    trial: int
    value: float | None
    state: TrialStatus
    reason: str | None

    def on(self, axis: str) -> AxisValue | None:
        """The value on an axis: the case's, or the pair of nodes of the round."""
        value = self.case.point.get(axis)
        return self.case.node_pair(self.round) if value is None and axis == NODE_PAIR else value


def rows(
    stored: Iterable[StoredRow],
    cases: Mapping[int, RowCase],
    metrics: Mapping[uuid.UUID, Mapping[str, MetricDefinition]],
) -> Iterator[Row]:
    """The rows of what is stored, in its order; those of other cases are left out.

    `cases` are by their ids, `metrics` by run and name.
    """
    for case_id, trial, round_, status, reason, metric, subject, value in stored:
        case = cases.get(case_id)
        if case is None:
            continue
        known = None if metric is None else metrics[case.run_id].get(metric)
        yield Row(
            case=case,
            metric=metric,
            subject=subject or "",
            unit=None if known is None else known.unit,
            round=round_,
            trial=trial,
            value=value,
            state=status,
            reason=reason,
        )


#: The columns of a table of rows besides those of its axes, which follow the case, and those of
#: its runs' labels, which come last.
LEADING, FOLLOWING = (
    ("run", "case"),
    ("metric", "subject", "unit", "round", "trial", "state", "reason", "value"),
)
#: What a label's column has before the label's key.
LABEL = "label_"
Cell = str | int | float | None


def header(axes: Sequence[str], labels: Sequence[str] = ()) -> list[str]:
    """The columns of a table of rows on these axes, whose runs have labels with these keys."""
    return [*LEADING, *axes, *FOLLOWING, *(f"{LABEL}{key}" for key in labels)]


def cells(row: Row, axes: Sequence[str], labels: Sequence[str] = ()) -> list[Cell]:
    """A row in the table's columns; an axis or a label that its case does not have is empty."""
    return [
        str(row.case.run_id),
        row.case.key,
        *[row.on(axis) for axis in axes],
        row.metric,
        row.subject,
        None if row.unit is None else row.unit.value,
        row.round,
        row.trial,
        row.state.value,
        row.reason,
        row.value,
        *[row.case.labels.get(key) for key in labels],
    ]
