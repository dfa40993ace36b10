"""A run's summaries on the public page."""

from podmeter.services.measured import words
from podmeter.services.summaries.document import CaseFacts, CaseSummary, RunReport
from podmeter_api.public.chinese import Speak
from podmeter_api.public.headline_view import ENGLISH
from podmeter_api.public.markup import Html, element, fragment, table
from podmeter_api.public.wording import said, word


def render(report: RunReport, language: str, speak: Speak) -> Html:
    """What the run found, its main metrics, all the rest, and what failed."""
    run = report.run
    ended = word(language, run.state if run.outcome is None else run.outcome)
    first = said(language, "Run {name}: {kind}, {ended}", name=run.name, kind=run.kind, ended=ended)
    main = [one for one in report.summaries if one.main]
    rest = [one for one in report.summaries if not one.main]
    others = said(language, "Other metrics")
    unfit = [one for one in report.cases if not one.counted or one.failed or one.void]
    return fragment(
        element("p", first, fragment(": ", speak(run.reason)) if run.reason else ""),
        element("ul", [element("li", speak(one)) for one in report.warnings])
        if report.warnings
        else "",
        element("h2", said(language, "What the run found")),
        element("ul", [element("li", one.text) for one in report.findings], lang=ENGLISH)
        if report.findings
        else element("p", said(language, "Nothing that its trials can tell.")),
        element("h2", said(language, "Summaries")),
        _summaries(said(language, "Main metrics"), main, language) if main else "",
        element("details", element("summary", others), _summaries(others, rest, language))
        if rest
        else "",
        _unfit(unfit, language, speak) if unfit else "",
        element(
            "p",
            said(
                language,
                "Overhead of a trial besides its tool: {overhead}, n = {n}.",
                overhead=words.quantity(report.overhead.median, "s"),
                n=report.overhead.n,
            ),
        ),
    )


def _summaries(caption: str, rows: list[CaseSummary], language: str) -> Html:
    case, metric = said(language, "case"), said(language, "metric")
    figures = (said(language, "median"), said(language, "mean"), said(language, "every trial"))
    return table(
        caption,
        (case, metric, "n", *figures),
        [
            (
                words.point(one.point),
                words.metric(one.metric, one.subject),
                str(one.n),
                words.quantity(one.median, one.unit),
                words.quantity(one.mean, one.unit),
                ", ".join(words.plain(trial.value, one.unit) for trial in one.trials),
            )
            for one in rows
        ],
    )


def _unfit(cases: list[CaseFacts], language: str, speak: Speak) -> Html:
    states = (said(language, "counted"), said(language, "failed"), said(language, "void"))
    return table(
        said(language, "Failed, void and missing"),
        (said(language, "case"), said(language, "status"), *states, said(language, "why")),
        [
            (
                words.point(one.point),
                word(language, one.status),
                str(one.counted),
                str(one.failed),
                str(one.void),
                _why(one, speak),
            )
            for one in cases
        ],
    )


def _why(one: CaseFacts, speak: Speak) -> Html:
    messages = [one.reason, *(each.message for each in one.failures)]
    spoken = [speak(message) for message in messages if message]
    return fragment(*(fragment("; " if number else "", one) for number, one in enumerate(spoken)))
