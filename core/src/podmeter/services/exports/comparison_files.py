"""A comparison in each format. Intervals are in every one; what is refused has no effects."""

from podmeter.domain.comparability import Comparability
from podmeter.services.comparisons import curves
from podmeter.services.comparisons.compare import DOCUMENT
from podmeter.services.comparisons.counted import sets_up
from podmeter.services.comparisons.document import Comparison, Contender, Pair
from podmeter.services.exports import csv_text, json_text, markdown, run_files
from podmeter.services.exports.table import Cell, Table
from podmeter.services.headlines import terms
from podmeter.services.headlines.amounts import tested
from podmeter.services.headlines.client_limits import why_not_flat
from podmeter.services.headlines.run_losses import names_of_runs
from podmeter.services.headlines.same_limits import known_limit
from podmeter.services.run_results import words
from podmeter.services.run_results.client_limits import CLIENT_WARNINGS
from podmeter.services.run_results.curve_rows import CurvePair, pairs
from podmeter.services.run_results.effect_rows import Effect, effects_of
from podmeter.services.run_results.figures import (
    FASTER_AS_OFFERED,
    Figure,
    figure_of,
    warning_text,
)
from podmeter.services.run_results.loss import shares

_ARM = ("n", "median", "low", "high")
#: What a clear difference owes to how it was measured.
_MAY_BE_MORE = CLIENT_WARNINGS | {FASTER_AS_OFFERED}
_FIGURE = ("", " low", " high", " confidence")


def as_json(comparison: Comparison) -> str:
    """The whole comparison."""
    return json_text.write("comparison", DOCUMENT, comparison)


def as_csv(comparison: Comparison) -> str:
    """A row for each metric of each pair; one without effects has a single row that says why."""
    return csv_text.write(_long(comparison))


def as_markdown(comparison: Comparison) -> str:
    """The comparison to read: for each contender the gate, the verdicts, the curves."""
    facts = [
        f"kind {comparison.kind}",
        f"noise threshold {comparison.noise_threshold:.1%}",
        f"intervals of {1 - comparison.alpha:.0%}",
        f"verdicts by method {comparison.method_version}",
    ]
    if comparison.baseline.clusters:
        facts.append(f"clusters: {', '.join(comparison.baseline.clusters)}")
    parts = [
        markdown.heading(f"Baseline: {terms.side(comparison.baseline)}", 1),
        markdown.bullets(facts),
        *markdown.headline(comparison.headline),
    ]
    for one in comparison.contenders:
        parts += _contender(one, comparison.kind)
    if any(shares(run.losses) for run in comparison.losses):
        parts += [markdown.heading("Losses within the runs"), _losses(comparison)]
    return "\n".join(parts)


def _losses(comparison: Comparison) -> str:
    """What the cases lose within their runs, each run by its name where there are several."""
    by_run = [shares(run.losses) for run in comparison.losses]
    every = [loss for losses in by_run for loss in losses]
    if len(by_run) < 2:
        return run_files.loss_table(every)
    names = map(str, names_of_runs(comparison))
    return run_files.loss_table(
        every, [name for name, losses in zip(names, by_run, strict=True) for _ in losses]
    )


def _contender(one: Contender, kind: str) -> list[str]:
    facts = [
        _gate(one),
        f"main metrics: {words.tally(one.tally)}",
    ]
    parts = [markdown.heading(f"Contender: {terms.side(one.side)}"), markdown.bullets(facts)]
    if one.gate.differences:
        parts.append(
            markdown.table(
                ["field that differs", "baseline", "contender", "follows from"],
                [
                    [d.field, str(d.baseline), str(d.contender), d.axis or "no compared axis"]
                    for d in one.gate.differences
                ],
            )
        )
    rows = [_row(pair, effect, kind) for pair in one.pairs for effect in effects_of(pair.effects)]
    if rows:
        header = ["case", "metric", "baseline", "contender", "change", "p", "verdict"]
        parts.append(markdown.table(header, rows))
    if one.curves:
        parts.append(markdown.bullets(map(_curves, pairs(one.curves))))
    silent = [f"{_case(pair, kind)}: {why(pair)}" for pair in one.pairs if not pair.effects]
    alone = [
        f"{case.key} has no counterpart"
        for case in (*one.unpaired_baseline, *one.unpaired_contender)
    ]
    if silent or alone:
        parts.append(markdown.bullets([*silent, *alone]))
    return parts


def _curves(pair: CurvePair) -> str:
    """Two curves, and where the client kept one from being called flat."""
    sides = (("baseline", pair.baseline), ("contender", pair.contender))
    limited = [(name, why_not_flat(one)) for name, one in sides]
    return "; ".join([curves.text(pair), *(f"{name}: {why}" for name, why in limited if why)])


def _gate(one: Contender) -> str:
    """Whether the environments are the same, as far as that is known."""
    if one.gate.verdict == Comparability.UNKNOWN:
        return "unknown whether the environments are the same: no case was measured on both sides"
    return f"{one.gate.verdict} on {', '.join(one.compared_axes) or 'no axis'}"


def why(pair: Pair) -> str:
    """Why a pair has no effects."""
    if pair.comparability == "refused":
        return "refused: the environments differ"
    sides = (("baseline", pair.baseline), ("contender", pair.contender))
    states = [
        f"{name} {case.status}" + (f" ({case.reason})" if case.reason else "")
        for name, case in sides
    ]
    return f"nothing to compare: {', '.join(states)}"


def change(effect: Effect) -> str:
    """The effect with its interval: relative where it can be, else in the metric's unit."""
    if effect.ratio is not None:
        return words.change(effect.ratio)
    return words.difference(effect.shift, effect.unit)


def centres(effect: Effect) -> list[str]:
    """The sides' centres, from which the effect is computed, each with its interval and n."""
    return [
        f"{words.quantity(centre or figure_of(median), effect.unit)}, n = {median.n}"
        for centre, median in zip(effect.centres, effect.medians, strict=True)
    ]


def _case(pair: Pair, kind: str) -> str:
    """Where both cases lie. The only case of each side may share nothing with the other's."""
    shared = words.point(pair.shared)
    if sets_up(pair, kind):
        return f"mode setup, {shared}" if shared else "mode setup"
    return shared or "only case"


def _row(pair: Pair, effect: Effect, kind: str) -> list[str]:
    row = effect.judged
    return [
        _case(pair, kind),
        words.metric(effect.key.metric, effect.key.subject),
        *centres(effect),
        change(effect),
        str(tested(row.number("p"), row.number("adjusted_p"), effect.looked_at) or "–"),
        _verdict(effect),
    ]


def _verdict(effect: Effect) -> str:
    """The verdict with its reason, and how it may be more, or less, than what was measured."""
    told = [run_files.judged_as(effect.judged, known_limit(effect))]
    told += [warning_text(**one) for one in effect.judged.warnings if one["code"] in _MAY_BE_MORE]
    told += run_files.at_limit(effect.judged)
    told.append(words.not_counted(effect.not_counted))
    return "; ".join(filter(None, told))


def _long(comparison: Comparison) -> Table:
    axes = words.in_order(
        {axis for one in comparison.contenders for pair in one.pairs for axis in pair.shared}
    )
    # One table holds several metrics, so the unit of these columns is in the row.
    units = {"n": "trials", "median": "unit", "low": "unit", "high": "unit"}
    header = ["baseline", "contender", *axes, "comparability", "metric", "subject", "unit"]
    header += ["direction", "verdict", "reason"]
    for side in ("baseline", "contender"):
        header += [f"{side} {part} [{units[part]}]" for part in _ARM]
    header += ["baseline centre [unit]", "contender centre [unit]", "centres are"]
    header += [f"shift{part} [{'ratio' if 'conf' in part else 'unit'}]" for part in _FIGURE]
    header += [f"contender/baseline{part} [ratio]" for part in _FIGURE]
    header += ["p [ratio]", "p corrected [ratio]", "looked at [count]", "evidence"]
    header += ["rounds [count]", "note"]
    width = len(header)
    rows: list[list[Cell]] = []
    for one in comparison.contenders:
        for pair in one.pairs:
            sides = comparison.baseline, one.side
            start: list[Cell] = [str(terms.side(side)) for side in sides]
            start += [pair.shared.get(axis) for axis in axes]
            start.append(pair.comparability)
            rows += [[*start, *_cells(effect)] for effect in effects_of(pair.effects)]
            if not pair.effects:
                empty = [None] * (width - len(start) - 1)
                rows.append([*start, *empty, why(pair)])
    return Table(header, rows)


def _cells(effect: Effect) -> list[Cell]:
    key, row = effect.key, effect.judged
    cells: list[Cell] = [key.metric, key.subject, effect.unit, key.direction]
    cells += [effect.verdict, effect.reason]
    for median in effect.medians:
        cells += [median.n, median.value, median.low, median.high]
    cells += [None if centre is None else centre.value for centre in effect.centres]
    cells.append(row.text("estimator") or None)
    tested = [row.number("p"), row.number("adjusted_p"), effect.looked_at]
    level = row.text("level") or None
    return [
        *cells,
        *_figure(effect.shift),
        *_figure(effect.ratio),
        *tested,
        level,
        effect.rounds,
        "; ".join(filter(None, (words.warnings(row), words.not_counted(effect.not_counted)))),
    ]


def _figure(found: Figure | None) -> list[Cell]:
    if found is None:
        return [None] * 4
    return [found.value, found.low, found.high, found.confidence]
