"""A comparison and a run in the terminal: what was found, and the tables it rests on."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from podmeter.results.projected import Projected
from podmeter.services.comparisons.curves import text
from podmeter.services.measured.curve_rows import pairs
from podmeter.statistics.units import format_change, format_quantity

_ROWS = TypeAdapter(list[Projected])
VERDICT_STYLE = {"better": "green", "worse": "red", "same": "cyan", "inconclusive": "yellow"}


def show_headline(console: Console, document: dict[str, Any]) -> None:
    """What was found, in the words that the pages, exports and links have too."""
    headline = document.get("headline") or {"sentences": [], "caveats": []}
    for place, one in enumerate(headline["sentences"]):
        console.print(f"  {one['text']}", style="bold" if place == 0 else None, markup=False)
    for one in headline["caveats"]:
        console.print(f"  {one['text']}", style="yellow", markup=False)


def show_comparison(console: Console, comparison: dict[str, Any]) -> None:
    """The main metrics of every pair: both medians, the effect with its interval, the verdict."""
    baseline = _name(comparison["baseline"])
    for contender in comparison["contenders"]:
        label = _name(contender["side"])
        shared = _shared_axes(contender["pairs"])
        table = Table(
            title=f"{label} against {baseline}",
            title_justify="left",
            box=box.SIMPLE_HEAD,
            padding=(0, 0, 0, 1),
            pad_edge=False,
        )
        for axis in shared:
            table.add_column(axis, no_wrap=True)
        for heading in (baseline, label):
            table.add_column(heading, justify="right", no_wrap=True)
        # Where the terminal is narrow, the interval goes onto a line of its own.
        table.add_column("difference, interval", justify="right")
        table.add_column("verdict", no_wrap=True)
        for pair in contender["pairs"]:
            for effect in pair["effects"]:
                if effect["main"]:
                    table.add_row(*_cells(pair, effect, shared))
        console.print(table)
        if contender["gate"]["verdict"] != "comparable":
            console.print(f"[yellow]{contender['gate']['verdict']}:[/yellow]")
            for field in contender["gate"]["differences"]:
                both = f"{field['baseline']} against {field['contender']}"
                console.print(f"  {field['field']}: {both}")
        for curves in pairs(_ROWS.validate_python(contender["curves"])):
            console.print(f"  {text(curves)}")


def show_overhead(console: Console, report: dict[str, Any]) -> None:
    """What Podmeter took besides the tools."""
    overhead = report["overhead"]
    if overhead and overhead["median"]:
        median = format_quantity(overhead["median"]["value"], "s")
        console.print(f"  overhead of a trial besides its tool: median {median}")


def show_summaries(console: Console, report: dict[str, Any]) -> None:
    """The main metric of every case, where nothing is compared."""
    table = Table(title=report["run"]["name"], title_justify="left")
    for heading in ("case", "metric", "median", "interval", "n"):
        table.add_column(heading)
    for summary in report["summaries"]:
        if not summary["main"]:
            continue
        point = ", ".join(f"{axis} {value}" for axis, value in summary["point"].items())
        median = summary["median"]
        table.add_row(
            point,
            summary["metric"],
            format_quantity(median and median["value"], summary["unit"]),
            _interval(median, summary["unit"]),
            str(summary["n"]),
        )
    console.print(table)


def _name(side: dict[str, Any]) -> str:
    """What a person calls a side: the modes it is of, else the run."""
    return ", ".join(str(value) for value in side["where"].values()) or str(side["label"])


def _shared_axes(pairs: list[dict[str, Any]]) -> list[str]:
    axes = {axis: None for pair in pairs for axis in pair["shared"]}
    # An axis on which all pairs that have it lie alike tells nothing.
    return [
        axis
        for axis in axes
        if len({str(pair["shared"][axis]) for pair in pairs if axis in pair["shared"]}) > 1
    ]


def _cells(pair: dict[str, Any], effect: dict[str, Any], shared: list[str]) -> list[str]:
    unit, ratio = effect["unit"], effect["ratio"]
    style = VERDICT_STYLE.get(effect["verdict"], "white")
    difference = "" if ratio is None else _change(ratio)
    where = [str(pair["shared"].get(axis, "")) for axis in shared]
    if shared and not any(where):
        # The set-up of a mode is at no point: its metric says what it is of.
        where[0] = effect["metric"]
    return [
        *where,
        format_quantity(_value(effect["baseline"]["median"]), unit),
        format_quantity(_value(effect["contender"]["median"]), unit),
        escape(difference),
        f"[{style}]{effect['verdict']}[/{style}]",
    ]


def _change(ratio: dict[str, Any]) -> str:
    ends = (None if ratio[end] is None else ratio[end] - 1 for end in ("low", "high"))
    change, low, high = format_change(ratio["value"] - 1, *ends)
    return f"{change} [{low}, {high}]" if low and high else change


def _value(figure: dict[str, Any] | None) -> float | None:
    return None if figure is None else float(figure["value"])


def _interval(figure: dict[str, Any] | None, unit: str) -> str:
    if figure is None or figure["low"] is None:
        return "too few trials"
    return f"{format_quantity(figure['low'], unit)} to {format_quantity(figure['high'], unit)}"
