"""What is stored of trials becomes rows, and rows a table."""

import uuid

from podmeter.domain.measurement import Unit
from podmeter.domain.trial import TrialStatus
from podmeter.kinds.registry import every, metrics_of
from podmeter.results.rows import FOLLOWING, LABEL, LEADING, RowCase, cells, header, rows

RUN = uuid.UUID(int=1)
CASE = RowCase(RUN, "path=pod-pod,streams=8", {"path": "pod-pod", "streams": 8})
METRICS = {RUN: metrics_of("throughput")}


def _row(*stored):
    (row,) = rows([stored], {7: CASE}, METRICS)
    return row


def test_a_measurement_is_a_row_in_its_base_unit():
    row = _row(7, 40, 2, TrialStatus.COUNTED, None, "throughput", "", 2.5e9)
    assert (row.unit, row.value, row.state) == (Unit.BITS_PER_SECOND, 2.5e9, TrialStatus.COUNTED)
    assert dict(zip(header(["path", "streams"]), cells(row, ["path", "streams"]), strict=True)) == {
        "run": str(RUN),
        "case": CASE.key,
        "path": "pod-pod",
        "streams": 8,
        "metric": "throughput",
        "subject": "",
        "unit": "bit/s",
        "round": 2,
        "trial": 40,
        "state": "counted",
        "reason": None,
        "value": 2.5e9,
    }


def test_a_failure_has_its_reason_and_no_number():
    row = _row(7, 41, 2, TrialStatus.FAILED, "tool_failed", None, None, None)
    assert (row.metric, row.value, row.unit, row.reason) == (None, None, None, "tool_failed")


def test_a_metric_that_nobody_knows_has_no_unit():
    assert _row(7, 42, 1, TrialStatus.COUNTED, None, "once_known", "", 1.0).unit is None


def test_rows_of_other_cases_are_left_out():
    stored = [(8, 40, 1, TrialStatus.COUNTED, None, "throughput", "", 1.0)]
    assert list(rows(stored, {7: CASE}, METRICS)) == []


def test_an_axis_is_never_called_like_another_column():
    axes = {axis.name for kind in every() for axis in kind.axes}
    assert axes.isdisjoint({*LEADING, *FOLLOWING})
    assert not [axis for axis in axes if axis.startswith(LABEL)]


def test_labels_are_the_last_columns_and_empty_where_a_run_has_none():
    case = RowCase(RUN, CASE.key, CASE.point, {"branch": "main"})
    stored = (7, 40, 2, TrialStatus.COUNTED, None, "throughput", "", 1.0)
    (row,) = rows([stored], {7: case}, METRICS)
    labels = ["branch", "commit"]
    assert header([], labels)[-3:] == ["value", "label_branch", "label_commit"]
    assert cells(row, [], labels)[-3:] == [1.0, "main", None]
