"""A plan for people: cases, time, detectable difference, and obstacles."""

from __future__ import annotations

from typing import Any

from podmeter_cli.exits import CommandError
from podmeter_cli.output import Table
from podmeter_cli.quantities import duration


def lines(plan: dict[str, Any], spec: dict[str, Any]) -> list[str]:
    """What the experiment would do."""
    until = plan["repetition"]["until_decided"]
    most = "at most " if until else ""
    size = (
        f"{spec.get('name', 'experiment')} ({plan['kind']}): {len(_measured(plan))} cases, "
        f"{most}{plan['trials']} trials, {len(plan['switches'])} mode switches, "
        f"{most or 'about '}{duration(plan['expected_seconds'])}"
    )
    found = [size]
    if until:
        found.append(
            f"Ends as soon as every main case is better, worse, or differs by less than "
            f"{until['difference']:.0%}."
        )
    found += [f"Note: {one['text']}" for one in plan["notes"]]
    for one in plan["left_out"]:
        found.append(f"Left out: {one['cases']} cases. {_why(one['obstacle'])}")
    for one in plan["unavailable"]:
        found.append(f"Not available here: {_why(one)}")
    if plan["outside_missing"]:
        found.append(f"Refused: {plan['outside_missing']['text']}")
    return found


def obstacles(plan: dict[str, Any], *levels: str) -> list[dict[str, Any]]:
    """The obstacles of these levels."""
    return [one for one in plan["obstacles"] if one["level"] in levels]


def obstacle_lines(plan: dict[str, Any]) -> list[str]:
    """Each obstacle with its remedy."""
    words = {"refused": "Refused", "uncertain": "Uncertain (--force goes past it)", "note": "Note"}
    return [f"{words[one['level']]}: {_why(one)}" for one in plan["obstacles"]]


def check(plan: dict[str, Any], *, force: bool) -> None:
    """Raises CommandError where a run would be refused."""
    against = obstacles(plan, "refused", *(() if force else ("uncertain",)))
    if against:
        said = "\n".join(f"  {_why(one)}" for one in against)
        raise CommandError(f"The run would be refused:\n{said}")


def table(plan: dict[str, Any]) -> Table:
    """The cases."""
    points = _measured(plan)
    axes = list(dict.fromkeys(axis for point in points for axis in point))
    return Table(axes, [[str(point.get(axis, "any")) for axis in axes] for point in points])


def _measured(plan: dict[str, Any]) -> list[dict[str, Any]]:
    """The cases on the kind's own axes: setting up a block's modes is timed besides."""
    modes = set(plan["blocks"][0]["modes"]) if plan["blocks"] else set()
    points = [case["point"] for case in plan["cases"]]
    return [point for point in points if not point or not point.keys() <= modes]


def _why(obstacle: dict[str, Any]) -> str:
    return f"{obstacle['cause']['text']}. {obstacle['remedy']['text']}"
