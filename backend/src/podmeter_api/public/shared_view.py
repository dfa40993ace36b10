"""A shared experiment, and a shared cluster, on the public page."""

import json
from collections.abc import Sequence

from podmeter.services.headlines.text import sentence
from podmeter.services.measured import words
from podmeter.services.measured.figures import SpreadFigure
from podmeter.services.noise_floor.document import FloorFigure
from podmeter.services.snapshots.shared import (
    SharedCluster,
    SharedExperiment,
    SharedMode,
    SharedRun,
)
from podmeter.statistics import format_quantity
from podmeter_api.public import headline_view
from podmeter_api.public.chinese import Speak
from podmeter_api.public.markup import Html, element, fragment, table
from podmeter_api.public.wording import said, word


def render_experiment(found: SharedExperiment, language: str) -> Html:
    """Its specification, its plan, and what its runs found."""
    plan = found.plan
    return fragment(
        element(
            "p",
            said(
                language,
                "An experiment of {kind}: {cases} cases in {blocks} blocks, {trials} trials, "
                "{switches} mode switches.",
                kind=found.kind,
                cases=len(plan.cases),
                blocks=plan.blocks,
                trials=plan.trials,
                switches=plan.switches,
            ),
        ),
        _notes(found.notes),
        _runs(found.runs, language),
        "" if found.complete else element("p", said(language, "Earlier runs are not listed.")),
        element("h2", said(language, "Specification")),
        element("pre", found.yaml),
        element(
            "details",
            element("summary", said(language, "Cases")),
            element("ul", [element("li", words.point(one)) for one in plan.cases]),
        ),
    )


def render_cluster(found: SharedCluster, language: str, speak: Speak) -> Html:
    """What its network is, how far it differs from itself, and what was found there last."""
    version = found.kubernetes_version or said(language, "not known")
    modes = [
        (one.axis, one.observed or _unclear(one, language, speak), ", ".join(one.switchable))
        for one in found.modes
    ]
    return fragment(
        element(
            "p",
            said(
                language,
                "Kubernetes {version}, {nodes} nodes.",
                version=version,
                nodes=found.nodes,
            ),
        ),
        headline_view.caveat(sentence("shared_host"), language) if found.shared_host else "",
        _notes(found.notes),
        element("h2", said(language, "Network")),
        table(
            said(language, "Modes"),
            (
                said(language, "axis"),
                said(language, "in effect"),
                said(language, "can be switched to"),
            ),
            modes,
        )
        if modes
        else element("p", said(language, "No preflight has told its modes yet.")),
        _fingerprint(found, language),
        _floor(found, language),
        _runs(found.runs, language),
    )


def _unclear(one: SharedMode, language: str, speak: Speak) -> Html:
    if one.unclear is None:
        return fragment(said(language, "not known"))
    return speak(one.unclear)


def _fingerprint(found: SharedCluster, language: str) -> Html | str:
    if found.fingerprint is None:
        return ""
    text = json.dumps(found.fingerprint, indent=2, ensure_ascii=False)
    return element(
        "details", element("summary", said(language, "Fingerprint")), element("pre", text)
    )


def _floor(found: SharedCluster, language: str) -> Html:
    header = (
        said(language, "case"),
        said(language, "metric"),
        said(language, "between trials"),
        said(language, "between blocks"),
        said(language, "between runs"),
    )
    tables = [
        table(
            said(
                language,
                "{kind}, {runs} runs on {days} days",
                kind=floor.kind,
                runs=len(floor.run_ids),
                days=floor.days,
            ),
            header,
            [_figure_row(one) for one in floor.figures],
        )
        for floor in found.noise_floor
    ]
    unknown = said(language, "How far it differs from itself was not measured.")
    return fragment(element("h2", said(language, "Noise floor")), tables or element("p", unknown))


def _figure_row(one: FloorFigure) -> tuple[str, ...]:
    levels = (_deviation(level, one.unit) for level in (one.within, one.blocks, one.runs))
    return (words.point(one.point), words.metric(one.metric, one.subject), *levels)


def _deviation(one: SpreadFigure | None, unit: str) -> str:
    if one is None:
        return "–"
    return f"± {format_quantity(one.deviation, 'ratio' if one.relative else unit)} (n = {one.n})"


def _runs(runs: Sequence[SharedRun], language: str) -> Html:
    none = element("p", said(language, "None has ended yet."))
    heading = element("h2", said(language, "Latest runs"))
    return fragment(heading, [_run(one, language) for one in runs] or none)


def _run(one: SharedRun, language: str) -> Html:
    outcome = word(language, str(one.outcome))
    if one.finished_at is None:
        title = said(language, "{name}: {outcome}", name=one.name, outcome=outcome)
    else:
        day = f"{one.finished_at:%Y-%m-%d}"
        title = said(language, "{name}: {outcome}, {day}", name=one.name, outcome=outcome, day=day)
    return fragment(
        element("h3", title),
        element("p", said(language, "Nothing that its trials can tell."))
        if one.headline is None
        else headline_view.in_short(one.headline, language),
    )


def _notes(text: str) -> Html | str:
    return element("p", text, class_="notes") if text else ""
