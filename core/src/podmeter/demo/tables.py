"""A comparison and a run's findings as tables in the terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from podmeter.statistics.units import format_quantity

VERDICT_STYLE = {"better": "green", "worse": "red", "same": "cyan", "inconclusive": "yellow"}


def show_comparison(console: Console, comparison: dict[str, Any]) -> None:
    """The main metrics of every pair: both medians, the effect with its interval, the verdict."""
    baseline = _name(comparison["baseline"])
    for contender in comparison["contenders"]:
        label = _name(contender["side"])
        shared = _shared_axes(contender["pairs"])
        table = Table(title=f"{label} against {baseline}", title_justify="left")
        for axis in shared:
            table.add_column(axis)
        for heading in (baseline, label, "difference", "interval"):
            table.add_column(heading, justify="right")
        table.add_column("verdict")
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
        for curve in contender["curves"]:
            console.print(f"  {curve['text']}")


def show_findings(console: Console, report: dict[str, Any]) -> None:
    """What the run itself found, and what Podmeter took besides the tools."""
    for finding in report["findings"]:
        console.print(f"  {finding['text']}")
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
    # An axis on which all pairs lie alike tells nothing.
    return [axis for axis in axes if len({str(pair["shared"].get(axis)) for pair in pairs}) > 1]


def _cells(pair: dict[str, Any], effect: dict[str, Any], shared: list[str]) -> list[str]:
    unit, ratio = effect["unit"], effect["ratio"]
    style = VERDICT_STYLE.get(effect["verdict"], "white")
    interval = ""
    if ratio and ratio["low"] is not None:
        interval = f"{ratio['low'] - 1:+.1%} to {ratio['high'] - 1:+.1%}"
    return [
        *(str(pair["shared"].get(axis, "")) for axis in shared),
        format_quantity(_value(effect["baseline"]["median"]), unit),
        format_quantity(_value(effect["contender"]["median"]), unit),
        f"{ratio['value'] - 1:+.1%}" if ratio else "",
        interval,
        f"[{style}]{effect['verdict']}[/{style}]",
    ]


def _value(figure: dict[str, Any] | None) -> float | None:
    return None if figure is None else float(figure["value"])


def _interval(figure: dict[str, Any] | None, unit: str) -> str:
    if figure is None or figure["low"] is None:
        return "too few trials"
    return f"{format_quantity(figure['low'], unit)} to {format_quantity(figure['high'], unit)}"
