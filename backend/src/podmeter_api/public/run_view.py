"""A run's summaries on the public page."""

from podmeter.services.measured import words
from podmeter.services.summaries.document import CaseFacts, CaseSummary, RunReport
from podmeter_api.public.markup import Html, element, fragment, table


def render(report: RunReport) -> Html:
    """What the run found, its main metrics, all the rest, and what failed."""
    run = report.run
    ended = run.state if run.outcome is None else run.outcome
    main = [one for one in report.summaries if one.main]
    rest = [one for one in report.summaries if not one.main]
    unfit = [one for one in report.cases if not one.counted or one.failed or one.void]
    return fragment(
        element("p", f"Run {run.name}: {run.kind}, {ended}", f": {run.reason}" * bool(run.reason)),
        element("ul", [element("li", text) for text in report.warnings]) if report.warnings else "",
        element("h2", "What the run found"),
        element("ul", [element("li", one.text) for one in report.findings])
        if report.findings
        else element("p", "Nothing that its trials can tell."),
        element("h2", "Summaries"),
        _summaries("Main metrics", main) if main else "",
        element("details", element("summary", "Other metrics"), _summaries("Other metrics", rest))
        if rest
        else "",
        _unfit(unfit) if unfit else "",
        element(
            "p",
            f"Overhead of a trial besides its tool: {words.quantity(report.overhead.median, 's')}"
            f", n = {report.overhead.n}.",
        ),
    )


def _summaries(caption: str, rows: list[CaseSummary]) -> Html:
    return table(
        caption,
        ("case", "metric", "n", "median", "mean", "every trial"),
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


def _unfit(cases: list[CaseFacts]) -> Html:
    return table(
        "Failed, void and missing",
        ("case", "status", "counted", "failed", "void", "why"),
        [
            (
                words.point(one.point),
                one.status,
                str(one.counted),
                str(one.failed),
                str(one.void),
                "; ".join([one.reason or "", *[each.message for each in one.failures]]).strip("; "),
            )
            for one in cases
        ],
    )
