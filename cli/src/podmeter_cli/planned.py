"""A plan for people: cases, time, detectable difference, and obstacles."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from podmeter_cli.exits import CommandError
from podmeter_cli.output import Table
from podmeter_cli.quantities import duration

#: Written in lower case wherever they stand.
_LOWER_CASE_NAMES = frozenset({"ipip", "iptables", "ipvs", "nftables", "vxlan", "wireguard"})
#: By an obstacle's code, the command that removes it.
_COMMANDS = {
    "no_image": "podmeter clusters add {cluster} --image REFERENCE",
    "switch_not_allowed": "podmeter clusters add {cluster} --allow switch_modes",
    "rights_missing": "podmeter clusters add {cluster}{allow}",
    "preflight_missing": "podmeter clusters preflight {cluster}",
    "preflight_failed": "podmeter clusters preflight {cluster}",
    "preflight_old": "podmeter clusters preflight {cluster}",
    "inside_unseen": "podmeter clusters preflight {cluster}",
}


def lines(plan: dict[str, Any], spec: dict[str, Any]) -> list[str]:
    """What the experiment would do."""
    until = plan["repetition"]["until_decided"]
    most = "at most " if until else ""
    size = (
        f"{spec.get('name', 'experiment')} ({plan['kind']}): {len(_measured(plan))} cases, "
        f"{most}{plan['trials']} trials, {plan['mode_switches']} mode switches, "
        f"{most}about {duration(plan['expected_seconds'])}"
    )
    found = [size]
    if until:
        found.append(
            f"Ends as soon as every main case is better, worse, or differs by less than "
            f"{until['difference']:.0%}. No round begins that would end after "
            f"{until['most_minutes']} min of measuring; six to eight rounds are always "
            "measured: as many as can find a difference."
        )
    found += _detectable(plan["sight"], until)
    found += [f"Note: {_sentence(one['text'])}" for one in plan["notes"]]
    found += [f"Impact: {_sentence(one['text'])}" for one in plan["impact"]]
    found += _each_once(
        (one["obstacle"], f"Left out: {one['cases']} cases. ") for one in plan["left_out"]
    )
    if plan["outside_missing"]:
        found.append(f"Refused: {plan['outside_missing']['text']}")
    return found


def obstacles(plan: dict[str, Any], *levels: str) -> list[dict[str, Any]]:
    """The obstacles of these levels."""
    return [one for one in plan["obstacles"] if one["level"] in levels]


def obstacle_lines(plan: dict[str, Any]) -> list[str]:
    """Each obstacle with its remedy."""
    words = {"refused": "Refused", "uncertain": "Uncertain (--force runs anyway)", "note": "Note"}
    return _each_once((one, f"{words[one['level']]}: ") for one in plan["obstacles"])


def check(plan: dict[str, Any], *, force: bool) -> None:
    """Raises CommandError where a run would be refused."""
    against = obstacles(plan, "refused", *(() if force else ("uncertain",)))
    if against:
        said = "\n".join(_each_once((one, "  ") for one in against))
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


def _detectable(sight: dict[str, Any] | None, until: dict[str, Any] | None) -> list[str]:
    """Which difference the rounds will detect; nothing where no modes are compared."""
    if sight is None:
        return []
    if sight["effect"] is None:
        needed, there = sight["rounds_needed"], sight["rounds"]
        return [f"Detects nothing: a verdict needs {needed} rounds, and the plan has {there}."]
    floor = "as measured on this cluster" if sight["noise_floor"] else "an assumption"
    found = (
        f"Detects differences from {sight['effect']:.0%} with 80% probability in "
        f"{sight['rounds']} rounds, if rounds vary by {sight['block_deviation']:.0%} ({floor})."
    )
    if until and sight["effect"] > until["difference"]:
        found += (
            f" Smaller ones may stay undecided, also those of {until['difference']:.0%}: "
            "more rounds (--max) detect smaller ones."
        )
    return [found]


def _each_once(found: Iterable[tuple[dict[str, Any], str]]) -> list[str]:
    """A line for each obstacle; those that differ in their value alone share one."""
    groups: dict[str, tuple[str, dict[str, Any], list[str]]] = {}
    for obstacle, words in found:
        said = [_but_value(obstacle[part]) for part in ("cause", "remedy")]
        key = json.dumps([words, obstacle["cluster"], obstacle["axis"], said], sort_keys=True)
        _, _, values = groups.setdefault(key, (words, obstacle, []))
        if obstacle["value"] is not None:
            values.append(str(obstacle["value"]))
    return [
        words
        + (f"{obstacle['axis']} {', '.join(values)}: " if len(values) > 1 else "")
        + _why(obstacle)
        for words, obstacle, values in groups.values()
    ]


def _but_value(message: dict[str, Any]) -> list[Any]:
    return [message["code"], {k: v for k, v in message["params"].items() if k != "value"}]


def _why(obstacle: dict[str, Any]) -> str:
    said = f"{_sentence(obstacle['cause']['text'])} {_sentence(obstacle['remedy']['text'])}"
    command = _COMMANDS.get(obstacle["code"])
    if command is None:
        return said
    # What measuring lacks is in every manifest: that of less would withdraw what is allowed.
    subject = obstacle["subject"]
    allow = "" if subject == "measure" else f" --allow {subject}"
    return f"{said} Command: {command.format(cluster=obstacle['cluster'], allow=allow)}"


def _sentence(text: str) -> str:
    """A message as a sentence: messages begin in lower case and have no full stop.

    A name such as kube_proxy_mode or iptables stays as it is written.
    """
    first = text.partition(" ")[0]
    name = not (first.isalpha() and first.islower()) or first in _LOWER_CASE_NAMES
    begun = text if name else f"{text[:1].upper()}{text[1:]}"
    return begun + ("" if text.endswith((".", "`")) else ".")
