"""What the same experiments said the time before: which verdicts a repetition turned round."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from podmeter.articles.experiments import Experiment
from podmeter.demo.api import Api, DemoError
from podmeter.services.run_results.effect_rows import RATIO

_Document = dict[str, Any]
#: What was judged: loss or effect, its metric and subject, and both sides.
_Judged = tuple[str, ...]


@dataclass(frozen=True)
class RepeatedVerdicts:
    """An experiment that was run before: its verdicts of both times.

    `turned` are those that say the opposite, each in words; `opened` and `settled` count those that
    only the earlier or only the later run decided, `weaker` such as came to be `same` or were it.
    """

    name: str
    since: str
    both: int
    turned: tuple[str, ...]
    opened: int
    settled: int
    weaker: int


def compare_with_previous(
    api: Api, before: Mapping[str, str], key: str, one: Experiment, run: _Document
) -> RepeatedVerdicts | None:
    """The run beside the one before of its specification; None where that is not there any more."""
    if key not in before:
        return None
    try:
        earlier, first = api.get(f"/runs/{before[key]}"), _verdicts(api, before[key])
    except DemoError:
        return None
    second = _verdicts(api, str(run["id"]))
    pairs = {
        judged: (first[judged], verdict) for judged, verdict in second.items() if judged in first
    }
    changes = {judged: pair for judged, pair in pairs.items() if pair[0] != pair[1]}
    turned = tuple(
        f"{' '.join(filter(None, judged[1:]))}: {' then '.join(pair)}"
        for judged, pair in changes.items()
        if set(pair) == {"better", "worse"}
    )
    opened = sum(pair[1] == "undecided" for pair in changes.values())
    settled = sum(pair[0] == "undecided" for pair in changes.values())
    weaker = len(changes) - len(turned) - opened - settled
    return RepeatedVerdicts(
        one.spec["name"], earlier["started_at"], len(pairs), turned, opened, settled, weaker
    )


def summary_line(repeated: RepeatedVerdicts) -> str:
    """The line that the terminal and the page have of it."""
    turned = (
        f"turned round: {'; '.join(repeated.turned)}" if repeated.turned else "none turned round"
    )
    return (
        f"{repeated.both} verdicts as well as on {repeated.since[:16].replace('T', ' ')}: "
        f"{turned}; "
        f"{repeated.settled} that were undecided are not, {repeated.opened} are now; "
        f"{repeated.weaker} to or from the same"
    )


def _verdicts(api: Api, run_id: str) -> dict[_Judged, str]:
    report = api.get(f"/runs/{run_id}/summaries")
    return {**dict(_losses(report)), **dict(_effects(report))}


def _losses(report: _Document) -> Iterator[tuple[_Judged, str]]:
    for one in report["losses"]:
        key = one["key"]
        if one["verdict"] is not None:
            sides = _point(key["point"]), f"against {_point(key['against'])}"
            yield ("loss", key["metric"], key["subject"], *sides), one["verdict"]


def _effects(report: _Document) -> Iterator[tuple[_Judged, str]]:
    for one in report["findings"]:
        for row in one["evidence"].get("rows", ()):
            if row["code"] == RATIO:
                key, point = row["key"], one["point"]
                modes = " against ".join(_values(key[side], point) for side in ("point", "against"))
                judged = ("effect", key["metric"], key["subject"], _point(point), modes)
                yield judged, row["verdict"]


def _values(point: Mapping[str, Any], shared: Mapping[str, Any]) -> str:
    """The values of a point on the axes on which its case is compared."""
    return ", ".join(str(point[axis]) for axis in sorted(point) if axis not in shared)


def _point(point: Mapping[str, Any]) -> str:
    return " ".join(f"{axis}={point[axis]}" for axis in sorted(point))
