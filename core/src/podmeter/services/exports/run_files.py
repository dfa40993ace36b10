"""A run's summaries in each format. Intervals are in every one; a failure is never a number."""

from collections.abc import Sequence
from itertools import pairwise

from podmeter.domain.axes import AxisValue
from podmeter.kinds.limits import LimitedBy
from podmeter.kinds.registry import IMPORTED
from podmeter.results.projected import Key, Projected
from podmeter.services.exports import csv_text, json_text, markdown
from podmeter.services.exports.table import Cell, Table
from podmeter.services.headlines.client_limits import limited_trials
from podmeter.services.headlines.same_limits import known_share
from podmeter.services.headlines.text import Text
from podmeter.services.run_results import words
from podmeter.services.run_results.figures import MEAN, MEDIAN, figure_of
from podmeter.services.run_results.loss import shares
from podmeter.services.summaries.document import CaseFacts, RunReport
from podmeter.services.summaries.report import DOCUMENT

_Column = tuple[str, str]
#: The median of one metric of one case, and its mean.
_Summary = tuple[Projected, Projected]


def as_json(report: RunReport) -> str:
    """The whole report."""
    return json_text.write("run", DOCUMENT, report)


def as_csv(report: RunReport) -> str:
    """A row for each case: its axes, its state, and each metric's median with interval and n."""
    return csv_text.write(_wide(report))


def as_markdown(report: RunReport) -> str:
    """The report to read: findings, summaries by metric, losses, what failed."""
    run, summaries = report.run, _summaries(report)
    parts = [
        markdown.heading(run.name, 1),
        markdown.bullets(_facts(report)),
        *markdown.headline(report.headline),
    ]
    if report.findings:
        parts += [markdown.heading("Findings"), markdown.bullets(map(str, report.findings))]
    for metric, subject in _columns(report):
        of_metric = [one for one in summaries if _column(one[0]) == (metric, subject)]
        title = f"{words.metric(metric, subject)} ({_better(of_metric[0][0].key)})"
        parts += [markdown.heading(title), _summary_table(of_metric)]
    if report.losses:
        parts += [markdown.heading("Losses within the run"), loss_table(shares(report.losses))]
    if limited := _limited(report):
        parts += [markdown.heading("What limited the trials"), _limits_table(limited)]
    unfit = [one for one in report.cases if not one.counted or one.failed or one.void]
    if unfit:
        parts += [markdown.heading("Failed, void and missing"), _unfit_table(unfit)]
    return "\n".join(parts)


def _wide(report: RunReport) -> Table:
    axes = words.in_order(report.axes)
    columns = _columns(report)
    units = {one.name: one.unit for one in report.metrics}
    losses = {
        (frozenset(one.key.point.items()), one.key.metric, one.key.subject): one
        for one in shares(report.losses)
    }
    lost = sorted({(metric, subject) for _, metric, subject in losses})
    header = ["case", *axes, "status", "reason", "counted trials", "failed trials", "void trials"]
    limited = bool(_limited(report))
    header += ["limited by"] if limited else []
    for name, subject in columns:
        title, unit = words.metric(name, subject), units[name]
        header += [
            f"{title} n [trials]",
            *[f"{title} {part} [{unit}]" for part in ("median", "low", "high")],
            f"{title} confidence [ratio]",
            *[f"{title} {part} [{unit}]" for part in ("mean", "mean low", "mean high")],
        ]
    for name, subject in lost:
        title = words.metric(name, subject)
        header += [f"{title} [ratio]", f"{title} low [ratio]", f"{title} high [ratio]"]
        header += [f"{title} confidence [ratio]"]
    summaries = {(one[0].number("case_id"), *_column(one[0])): one for one in _summaries(report)}
    rows: list[list[Cell]] = []
    for case in report.cases:
        row: list[Cell] = [case.key, *[case.point.get(axis) for axis in axes]]
        row += [case.status, case.reason, case.counted, case.failed, case.void]
        row += [case.limited_by] if limited else []
        for name, subject in columns:
            row += _cells(summaries.get((case.case_id, name, subject)))
        for name, subject in lost:
            found = losses.get((frozenset(case.point.items()), name, subject))
            row += [None] * 4 if found is None else _lost(found)
        rows.append(row)
    return Table(header, rows)


def _summaries(report: RunReport) -> list[_Summary]:
    rows = report.summaries
    return [pair for pair in pairwise(rows) if [one.code for one in pair] == [MEDIAN, MEAN]]


def _column(one: Projected) -> _Column:
    return one.key.metric, one.key.subject


def _cells(one: _Summary | None) -> list[Cell]:
    if one is None:
        return [None] * 8
    median, mean = one
    confidence = median.number("confidence")
    return [median.n, *_ends(median), confidence, *_ends(mean)]


def _lost(one: Projected) -> list[Cell]:
    return [one.value, one.low, one.high, one.number("confidence")]


def _ends(one: Projected) -> list[Cell]:
    return [one.value, one.low, one.high]


def _columns(report: RunReport) -> list[_Column]:
    """The (metric, subject) pairs that have a summary, in the order of the kind's metrics."""
    order = {one.name: place for place, one in enumerate(report.metrics)}
    found = {_column(one) for one in report.summaries}
    return sorted(found, key=lambda one: (order[one[0]], one[1]))


def _facts(report: RunReport) -> list[str]:
    run = report.run
    ended = run.state if run.outcome is None else f"{run.state}, {run.outcome}"
    facts = [f"kind {run.kind}, {ended}" + (f": {run.reason}" if run.reason else "")]
    if run.clusters:
        facts.append(f"clusters: {', '.join(run.clusters)}")
    # Of an import nobody knows how it was planned.
    if run.kind != IMPORTED.name:
        plan = report.repetition
        facts.append(
            f"{plan['trials']} counted trials in each of {plan['rounds']} rounds, "
            f"{plan['warmup']} warm-up"
        )
    if report.parameters:
        # All of them: which are the defaults changes from version to version.
        named = (
            f"{name} {value}"
            for name, value in sorted(report.parameters.items())
            if value not in (None, "")
        )
        facts.append(f"parameters: {', '.join(named)}")
    over = report.overhead[0]
    if over.n:
        facts.append(f"overhead of a trial: {words.quantity(figure_of(over), 's')}, n = {over.n}")
    return [*facts, *report.warnings]


def _better(key: Key) -> str:
    ways = {"higher": "higher is better", "lower": "lower is better"}
    return f"{key.unit}, {ways.get(key.direction, 'a circumstance')}"


def _summary_table(rows: list[_Summary]) -> str:
    return markdown.table(
        ["case", "n", "median [interval]", "mean [interval]", "warnings"],
        [
            [
                words.point(median.key.point),
                str(median.n),
                words.quantity(figure_of(median), median.key.unit),
                words.quantity(figure_of(mean), mean.key.unit),
                words.warnings(median),
            ]
            for median, mean in rows
        ],
    )


def loss_table(losses: Sequence[Projected], runs: Sequence[str] = ()) -> str:
    """What cases lose against another one of their run, with the verdict.

    `runs` names the run of each loss, where there are several.
    """
    header = ["case", "metric", "against", "loss [interval]", "n", "verdict", "warnings"]
    return markdown.table(
        ["run", *header] if runs else header,
        [
            [
                *runs[place : place + 1],
                words.point(one.key.point),
                one.key.metric,
                words.point(_apart(one.key)),
                words.share(figure_of(one)),
                f"{one.n} and {one.number('n_against')}",
                _verdict(one),
                words.warnings(one),
            ]
            for place, one in enumerate(losses)
        ],
    )


def _apart(key: Key) -> dict[str, AxisValue]:
    """Where a row's baseline lies, on what it differs in."""
    return {axis: at for axis, at in (key.against or {}).items() if key.point.get(axis) != at}


def _verdict(one: Projected) -> str:
    """What the case is against the other one, and why."""
    if one.verdict is None:
        return "–"
    return "; ".join([judged_as(one, known_share(one)), *at_limit(one)])


def judged_as(row: Projected, limit: Text | None) -> str:
    """A row's verdict with its reason, and within what it is the same."""
    within = "" if limit is None else f" within {limit}"
    return f"{row.verdict}{within}: {words.reason(row.text('reason'))}"


def at_limit(row: Projected) -> list[str]:
    """In how many trials of which side the client was at its limit; nothing where in few."""
    here, there = row.key.point, row.key.against or {}
    apart = [axis for axis in here if here[axis] != there.get(axis)]
    names = [words.point({axis: at[axis] for axis in apart if axis in at}) for at in (there, here)]
    sides = Text(names[0] or "the baseline"), Text(names[1] or "the contender")
    trials = limited_trials([row], sides)
    return [] if trials is None else [f"client at its limit in {trials}"]


def _limited(report: RunReport) -> list[CaseFacts]:
    """The cases whose limit is known; none of a run of an older version."""
    return [one for one in report.cases if one.limits.keys() - {LimitedBy.UNKNOWN.value}]


def _limits_table(cases: list[CaseFacts]) -> str:
    return markdown.table(
        ["case", "limited by", "trials"],
        [
            [words.point(one.point), words.limit(code), f"{count} of {one.counted}"]
            for one in cases
            for code, count in sorted(one.limits.items(), key=lambda each: -each[1])
        ],
    )


def _unfit_table(cases: list[CaseFacts]) -> str:
    return markdown.table(
        ["case", "status", "counted", "failed", "void", "why"],
        [
            [
                words.point(one.point),
                one.status,
                str(one.counted),
                str(one.failed),
                str(one.void),
                "; ".join(
                    ([one.reason] if one.reason else [])
                    + [f"{each.count} × {each.code}: {each.message}" for each in one.failures]
                ),
            ]
            for one in cases
        ],
    )
