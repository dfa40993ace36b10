"""Shared experiments and clusters in each format."""

from collections.abc import Sequence

from pydantic import TypeAdapter

from podmeter.domain.moment import rfc3339
from podmeter.results.projected import Key, Projected
from podmeter.services.exports import csv_text, json_text, markdown
from podmeter.services.exports.table import Cell, Table
from podmeter.services.run_results import words
from podmeter.services.snapshots.shared import SharedCluster, SharedExperiment, SharedRun
from podmeter.statistics import format_quantity

_EXPERIMENT = TypeAdapter(SharedExperiment)
_CLUSTER = TypeAdapter(SharedCluster)
_LEVELS = ("within", "blocks", "runs")


def experiment_as_json(shared: SharedExperiment) -> str:
    """All of it."""
    return json_text.write("experiment", _EXPERIMENT, shared)


def experiment_as_csv(shared: SharedExperiment) -> str:
    """A row for each run that ended, with what it found."""
    header = ["run", "kind", "finished", "outcome", "clusters", "shared host", "found"]
    return csv_text.write(Table(header, [_run_row(one) for one in shared.runs]))


def experiment_as_markdown(shared: SharedExperiment) -> str:
    """To read: the specification, its plan, what its runs found."""
    plan = shared.plan
    facts = [
        f"kind {shared.kind}",
        f"{len(plan.cases)} cases, {plan.blocks} blocks, {plan.trials} trials",
        f"{plan.switches} mode switches",
    ]
    return "\n".join(
        [
            markdown.heading(shared.name, 1),
            markdown.bullets(facts),
            *_prose(shared.notes),
            markdown.heading("Specification"),
            markdown.fenced(shared.yaml, "yaml"),
            *_runs(shared.runs),
        ]
    )


def cluster_as_json(shared: SharedCluster) -> str:
    """All of it."""
    return json_text.write("cluster", _CLUSTER, shared)


def cluster_as_csv(shared: SharedCluster) -> str:
    """A row for each figure of the noise floor: standard deviations by what varies."""
    figures = _figures(shared)
    axes = words.in_order({axis for _, key, _ in figures for axis in key.point})
    header = ["kind", *axes, "metric", "subject", "unit"]
    for name in _LEVELS:
        header += [f"{name} {part}" for part in ("n", "deviation", "low", "high")]
    rows: list[list[Cell]] = []
    for kind, key, levels in figures:
        row: list[Cell] = [kind, *[key.point.get(axis) for axis in axes]]
        row += [key.metric, key.subject, key.unit]
        for name in _LEVELS:
            row += _level(levels.get(name))
        rows.append(row)
    return csv_text.write(Table(header, rows))


def cluster_as_markdown(shared: SharedCluster) -> str:
    """To read: its modes, its noise floor, what was found there last."""
    hosts = {True: "nodes are one machine", False: "nodes are machines of their own"}
    facts = [
        f"Kubernetes {shared.kubernetes_version or 'unknown'}, {shared.nodes} nodes",
        *([] if shared.shared_host is None else [hosts[shared.shared_host]]),
        *(f"{one.axis}: {one.observed or one.unclear or 'unknown'}" for one in shared.modes),
    ]
    rows = [
        [
            kind,
            words.point(key.point),
            words.metric(key.metric, key.subject),
            *(_deviation(levels.get(name)) for name in _LEVELS),
        ]
        for kind, key, levels in _figures(shared)
    ]
    header = ["kind", "case", "metric", "between trials", "between blocks", "between runs"]
    return "\n".join(
        [
            markdown.heading(shared.cluster, 1),
            markdown.bullets(facts),
            *_prose(shared.notes),
            *([markdown.heading("Noise floor"), markdown.table(header, rows)] if rows else []),
            *_runs(shared.runs),
        ]
    )


def _figures(shared: SharedCluster) -> list[tuple[str, Key, dict[str, Projected]]]:
    """The kind, what it is of, and its deviations by their level, of each figure."""
    figures: dict[tuple[object, ...], tuple[str, Key, dict[str, Projected]]] = {}
    for place, floor in enumerate(shared.noise_floor):
        for row in floor.figures:
            of = place, row.key.metric, row.key.subject, frozenset(row.key.point.items())
            figures.setdefault(of, (floor.kind, row.key, {}))[2][row.code] = row
    return list(figures.values())


def _level(one: Projected | None) -> list[Cell]:
    return [None] * 4 if one is None else [one.n, one.value, one.low, one.high]


def _deviation(one: Projected | None) -> str:
    if one is None or one.value is None:
        return "–"
    return f"± {format_quantity(one.value, one.key.unit)} (n = {one.n})"


def _run_row(one: SharedRun) -> list[Cell]:
    sentences = [] if one.headline is None else list(map(str, one.headline.every))
    return [
        one.name,
        one.kind,
        None if one.finished_at is None else rfc3339(one.finished_at),
        one.outcome,
        ", ".join(one.clusters),
        str(one.shared_host),
        " ".join(sentences),
    ]


def _runs(runs: Sequence[SharedRun]) -> list[str]:
    parts = [markdown.heading("Latest runs")] if runs else []
    for one in runs:
        ended = "" if one.finished_at is None else f", {rfc3339(one.finished_at)}"
        lines = ["Its trials show no result."]
        if one.headline is not None:
            lines = list(map(str, one.headline.every))
        parts += [markdown.heading(f"{one.name}: {one.outcome}{ended}", 3), markdown.bullets(lines)]
    return parts


def _prose(text: str) -> list[str]:
    return [f"{markdown.escape(text)}\n"] if text else []
