"""Shared experiments and clusters in each format."""

from collections.abc import Sequence

from pydantic import TypeAdapter

from podmeter.domain.moment import rfc3339
from podmeter.services.exports import csv_text, json_text, markdown
from podmeter.services.exports.table import Cell, Table
from podmeter.services.measured import words
from podmeter.services.measured.figures import SpreadFigure
from podmeter.services.noise_floor.document import FloorFigure, MeasuredFloor
from podmeter.services.snapshots.shared import SharedCluster, SharedExperiment, SharedRun
from podmeter.statistics import format_quantity

_EXPERIMENT = TypeAdapter(SharedExperiment)
_CLUSTER = TypeAdapter(SharedCluster)
_LEVELS = ("within", "blocks", "runs")


def experiment_as_json(found: SharedExperiment) -> str:
    """All of it."""
    return json_text.write("experiment", _EXPERIMENT.dump_python(found, mode="json"))


def experiment_as_csv(found: SharedExperiment) -> str:
    """A row for each run that ended, with what it found."""
    header = ["run", "kind", "finished", "outcome", "clusters", "shared host", "found"]
    return csv_text.write(Table(header, [_run_row(one) for one in found.runs]))


def experiment_as_markdown(found: SharedExperiment) -> str:
    """To read: the specification, its plan, what its runs found."""
    plan = found.plan
    facts = [
        f"kind {found.kind}",
        f"{len(plan.cases)} cases, {plan.blocks} blocks, {plan.trials} trials",
        f"{plan.switches} mode switches",
    ]
    return "\n".join(
        [
            markdown.heading(found.name, 1),
            markdown.bullets(facts),
            *_prose(found.notes),
            markdown.heading("Specification"),
            markdown.fenced(found.yaml, "yaml"),
            *_runs(found.runs),
        ]
    )


def cluster_as_json(found: SharedCluster) -> str:
    """All of it."""
    return json_text.write("cluster", _CLUSTER.dump_python(found, mode="json"))


def cluster_as_csv(found: SharedCluster) -> str:
    """A row for each figure of the noise floor: standard deviations by what varies."""
    axes = words.in_order({axis for _, one in _figures(found) for axis in one.point})
    header = ["kind", *axes, "metric", "subject", "unit", "relative"]
    for name in _LEVELS:
        header += [f"{name} {part}" for part in ("n", "deviation", "low", "high")]
    rows: list[list[Cell]] = []
    for floor, one in _figures(found):
        levels = [one.within, one.blocks, one.runs]
        relative = next((level.relative for level in levels if level is not None), None)
        row: list[Cell] = [floor.kind, *[one.point.get(axis) for axis in axes]]
        row += [one.metric, one.subject, one.unit, None if relative is None else str(relative)]
        for level in levels:
            row += _level(level)
        rows.append(row)
    return csv_text.write(Table(header, rows))


def cluster_as_markdown(found: SharedCluster) -> str:
    """To read: its modes, its noise floor, what was found there last."""
    hosts = {True: "nodes are one machine", False: "nodes are machines of their own"}
    facts = [
        f"Kubernetes {found.kubernetes_version or 'not known'}, {found.nodes} nodes",
        *([] if found.shared_host is None else [hosts[found.shared_host]]),
        *(f"{one.axis}: {one.observed or one.unclear or 'not known'}" for one in found.modes),
    ]
    rows = [
        [
            floor.kind,
            words.point(one.point),
            words.metric(one.metric, one.subject),
            *(_deviation(level, one.unit) for level in (one.within, one.blocks, one.runs)),
        ]
        for floor, one in _figures(found)
    ]
    header = ["kind", "case", "metric", "between trials", "between blocks", "between runs"]
    return "\n".join(
        [
            markdown.heading(found.cluster, 1),
            markdown.bullets(facts),
            *_prose(found.notes),
            *([markdown.heading("Noise floor"), markdown.table(header, rows)] if rows else []),
            *_runs(found.runs),
        ]
    )


def _figures(found: SharedCluster) -> list[tuple[MeasuredFloor, FloorFigure]]:
    return [(floor, one) for floor in found.noise_floor for one in floor.figures]


def _level(one: SpreadFigure | None) -> list[Cell]:
    return [None] * 4 if one is None else [one.n, one.deviation, one.low, one.high]


def _deviation(one: SpreadFigure | None, unit: str) -> str:
    if one is None:
        return "–"
    return f"± {format_quantity(one.deviation, 'ratio' if one.relative else unit)} (n = {one.n})"


def _run_row(one: SharedRun) -> list[Cell]:
    said = [] if one.headline is None else [each.en for each in one.headline.every]
    return [
        one.name,
        one.kind,
        None if one.finished_at is None else rfc3339(one.finished_at),
        one.outcome,
        ", ".join(one.clusters),
        str(one.shared_host),
        " ".join(said),
    ]


def _runs(runs: Sequence[SharedRun]) -> list[str]:
    parts = [markdown.heading("Latest runs")] if runs else []
    for one in runs:
        ended = "" if one.finished_at is None else f", {rfc3339(one.finished_at)}"
        said = ["Nothing that its trials can tell."]
        if one.headline is not None:
            said = [each.en for each in one.headline.every]
        parts += [markdown.heading(f"{one.name}: {one.outcome}{ended}", 3), markdown.bullets(said)]
    return parts


def _prose(text: str) -> list[str]:
    return [f"{markdown.escape(text)}\n"] if text else []
