"""What limited the trials of a run's cases, from the counters that they left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.kinds.failed_trials import FAILED_TRIALS
from podmeter.kinds.limits import COUNTER_NAMES, CaseLimits, limited_by
from podmeter.kinds.registry import load_shape_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from podmeter.domain.axes import AxisValue
    from podmeter.domain.experiment import ResolvedSpec
    from podmeter.kinds.limits import LoadShape
    from podmeter.services.run_results.runs import MeasuredSample


def load_shapes_of(
    spec: ResolvedSpec, points: Mapping[int, Mapping[str, AxisValue]]
) -> dict[int, LoadShape]:
    """How the trials of each case load the path; points are by case. Cases without are left out."""
    found = ((case_id, load_shape_of(spec, point)) for case_id, point in points.items())
    return {case_id: load for case_id, load in found if load is not None}


def counters_of(loads: Iterable[LoadShape]) -> set[str]:
    """The metrics that show what limited these loads; none without a load."""
    names: set[str] = set()
    for load in loads:
        names |= {*COUNTER_NAMES, *load.lost, *([load.rate] if load.rate else [])}
    return names


def case_limits(
    loads: Mapping[int, LoadShape], samples: Mapping[int, Iterable[MeasuredSample]]
) -> dict[int, CaseLimits]:
    """By case what limited its counted trials; samples are by case."""
    found: dict[int, CaseLimits] = {}
    for case_id, load in loads.items():
        values: dict[int, dict[tuple[str, str], float]] = {}
        for one in samples.get(case_id, ()):
            if one.metric is FAILED_TRIALS:
                continue  # of trials that did not count
            for trials, measured in zip(one.trials, one.sample.rounds, strict=True):
                for trial, value in zip(trials, measured, strict=True):
                    values.setdefault(trial, {})[one.metric.name, one.subject] = value
        if values:
            found[case_id] = CaseLimits.of(limited_by(load, one) for one in values.values())
    return found
