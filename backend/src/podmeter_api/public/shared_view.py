"""A shared experiment, and a shared cluster, on the public page."""

import json
from collections.abc import Sequence

from podmeter.services.headlines.text import sentence
from podmeter.services.measured import words
from podmeter.services.measured.figures import SpreadFigure
from podmeter.services.noise_floor.document import FloorFigure
from podmeter.services.snapshots.shared import SharedCluster, SharedExperiment, SharedRun
from podmeter.statistics import format_quantity
from podmeter_api.public import headline_view
from podmeter_api.public.markup import Html, element, fragment, table


def render_experiment(found: SharedExperiment, language: str) -> Html:
    """Its specification, its plan, and what its runs found."""
    plan = found.plan
    return fragment(
        element(
            "p",
            f"An experiment of {found.kind}: {len(plan.cases)} cases in {plan.blocks} blocks, "
            f"{plan.trials} trials, {plan.switches} mode switches.",
        ),
        _notes(found.notes),
        _runs(found.runs, language),
        "" if found.complete else element("p", "Earlier runs are not listed."),
        element("h2", "Specification"),
        element("pre", found.yaml),
        element(
            "details",
            element("summary", "Cases"),
            element("ul", [element("li", words.point(one)) for one in plan.cases]),
        ),
    )


def render_cluster(found: SharedCluster, language: str) -> Html:
    """What its network is, how far it differs from itself, and what was found there last."""
    modes = [
        (one.axis, one.observed or str(one.unclear or "not known"), ", ".join(one.switchable))
        for one in found.modes
    ]
    return fragment(
        element("p", f"Kubernetes {found.kubernetes_version or 'not known'}, {found.nodes} nodes."),
        headline_view.caveat(sentence("shared_host"), language) if found.shared_host else "",
        _notes(found.notes),
        element("h2", "Network"),
        table("Modes", ("axis", "in effect", "can be switched to"), modes)
        if modes
        else element("p", "No preflight has told its modes yet."),
        _fingerprint(found),
        _floor(found),
        _runs(found.runs, language),
    )


def _fingerprint(found: SharedCluster) -> Html | str:
    if found.fingerprint is None:
        return ""
    text = json.dumps(found.fingerprint, indent=2, ensure_ascii=False)
    return element("details", element("summary", "Fingerprint"), element("pre", text))


def _floor(found: SharedCluster) -> Html:
    header = ("case", "metric", "between trials", "between blocks", "between runs")
    tables = [
        table(
            f"{floor.kind}, {len(floor.run_ids)} runs on {floor.days} days",
            header,
            [_figure_row(one) for one in floor.figures],
        )
        for floor in found.noise_floor
    ]
    unknown = "How far it differs from itself was not measured."
    return fragment(element("h2", "Noise floor"), tables or element("p", unknown))


def _figure_row(one: FloorFigure) -> tuple[str, ...]:
    levels = (_deviation(level, one.unit) for level in (one.within, one.blocks, one.runs))
    return (words.point(one.point), words.metric(one.metric, one.subject), *levels)


def _deviation(one: SpreadFigure | None, unit: str) -> str:
    if one is None:
        return "–"
    return f"± {format_quantity(one.deviation, 'ratio' if one.relative else unit)} (n = {one.n})"


def _runs(runs: Sequence[SharedRun], language: str) -> Html:
    if not runs:
        return fragment(element("h2", "Latest runs"), element("p", "None has ended yet."))
    return fragment(element("h2", "Latest runs"), [_run(one, language) for one in runs])


def _run(one: SharedRun, language: str) -> Html:
    ended = "" if one.finished_at is None else f", {one.finished_at:%Y-%m-%d}"
    return fragment(
        element("h3", f"{one.name}: {one.outcome}{ended}"),
        element("p", "Nothing that its trials can tell.")
        if one.headline is None
        else headline_view.in_short(one.headline, language),
    )


def _notes(text: str) -> Html | str:
    return element("p", text, class_="notes") if text else ""
