"""Why a run did not succeed, and which cases of it are incomplete, in whole sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from podmeter_cli.client import Client
from podmeter_cli.names import case_name, side_name, varying_axes

#: At most so many incomplete cases are named.
_MOST_NAMED = 10
#: The reason that itself says how many cases did not succeed; cleaning up may add faults to it.
_COUNTS_CASES, _ADDS_FAULTS = "cases_short", "ended_and_faults"
#: Outcomes but for success, as a sentence has them.
_ENDED = {
    "partial": "succeeded in part",
    "failed": "failed",
    "cancelled": "was cancelled",
    "interrupted": "was interrupted",
}


def sentence(text: str) -> str:
    """Text with a full stop, so that another sentence can follow."""
    text = text.rstrip()
    return text if text.endswith((".", "!", "?")) else f"{text}."


def why_ended(run: dict[str, Any]) -> str:
    """Why a run did not succeed; "" of a run that did."""
    if run["outcome"] == "succeeded":
        return ""
    reason = (run["reason"] or {}).get("text", "")
    return sentence(f"The run {_ENDED[run['outcome']]}" + (f": {reason}" if reason else ""))


def cases_of_run(client: Client, run: dict[str, Any]) -> str:
    """The cases of a run that did not succeed, and how many, unless the run's reason counts them.

    "" of none.
    """
    cases = list(client.pages(f"/runs/{run['id']}/cases"))
    return _listed("Incomplete cases", cases, count=not _counted(run))


def cases_of_comparison(comparison: dict[str, Any], judged: dict[str, Any] | None) -> str:
    """The cases of each side that did not succeed, as far as they are compared; "" of none.

    All cases count of the run that is `judged`, also those that the baseline does not have.
    """
    judged_id = "" if judged is None else judged["id"]
    counted_id = "" if judged is None or not _counted(judged) else judged_id
    contenders = comparison["contenders"]
    sides = [comparison["baseline"], *(one["side"] for one in contenders)]
    # The contenders share the baseline, but not always the cases that they have of it.
    pairs = [pair for one in contenders for pair in one["pairs"]]
    cases = [list({pair["baseline"]["case_id"]: pair["baseline"] for pair in pairs}.values())]
    for one in contenders:
        alone = one["unpaired_contender"] if one["side"]["run_id"] == judged_id else []
        cases.append([*(pair["contender"] for pair in one["pairs"]), *alone])
    found = [
        _listed(f"Incomplete cases of {name}", of_side, count=side["run_id"] != counted_id)
        for name, side, of_side in zip(_distinct(sides), sides, cases, strict=True)
    ]
    return " ".join(filter(None, found))


def _distinct(sides: Sequence[dict[str, Any]]) -> list[str]:
    """The names of sides, with the run's id where two have the same name."""
    names = [side_name(one) for one in sides]
    counts = Counter(names)
    return [
        name if counts[name] == 1 else f"{name}, run {side['run_id']}"
        for name, side in zip(names, sides, strict=True)
    ]


def _listed(heading: str, cases: Sequence[dict[str, Any]], *, count: bool) -> str:
    short = [one["point"] for one in cases if one["status"] != "succeeded"]
    if not short:
        return ""
    axes = varying_axes(one["point"] for one in cases)
    named = [case_name(point, axes) for point in short[:_MOST_NAMED]]
    if others := len(short) - len(named):
        named.append(f"{others} more")
    counts = f" ({len(short)} of {len(cases)})" if count else ""
    return f"{heading}{counts}: {'; '.join(named)}."


def _counted(run: dict[str, Any]) -> bool:
    """Whether the run's reason says how many cases did not succeed."""
    reason = run["reason"]
    while isinstance(reason, dict) and reason["code"] == _ADDS_FAULTS:
        reason = reason["params"]["reason"]
    return isinstance(reason, dict) and reason["code"] == _COUNTS_CASES
