"""How far a run has got, by its plan and its events; no drawing."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

#: Before so much of a run is done, its own pace says little beside the plan's.
_TELLING = 0.1
#: A run until decided may end earlier: the remaining time is an upper limit.
_STATES_BEFORE = ("queued", "preflight")
#: Messages of a run that measures until decided that say why it began no further round.
CONCLUSIONS = frozenset(
    {
        "ended_decided",
        "ended_on_request",
        "ended_hopeless",
        "ended_client_limited",
        "ended_out_of_time",
    }
)


@dataclass
class CaseProgress:
    """A case of the matrix."""

    name: str
    status: str
    trials: int = 0


@dataclass
class Progress:
    """A run in progress. `seconds` are what its plan expects, `trials` the most that it takes."""

    name: str
    trials: int
    seconds: float
    at_most: bool
    cases: dict[int, CaseProgress]
    clock: Callable[[], float] = time.monotonic
    state: str = "queued"
    outcome: str | None = None
    reason: str = ""
    last_line: str = ""
    #: What the plan says of each block, by its position, and how many rounds there are.
    blocks: dict[int, dict[str, Any]] = field(default_factory=dict)
    rounds: int = 0
    #: So long a run measures at most that ends once it is decided, in seconds.
    most_seconds: float = inf
    #: Why a run that measures until decided began no further round; "" of others.
    conclusion: str = ""
    _block: int | None = None
    _case: int | None = None
    _activity: str = ""
    _seen: set[int] = field(default_factory=set)
    _begun: float | None = None

    @classmethod
    def of(
        cls, run: dict[str, Any], plan: dict[str, Any] | None, cases: Sequence[dict[str, Any]]
    ) -> Progress:
        """At the beginning of its events."""
        points = [case["point"] for case in cases]
        apart = {axis for axis in _axes(points) if len({str(one.get(axis)) for one in points}) > 1}
        return cls(
            name=run["name"],
            trials=plan["trials"] if plan else 0,
            seconds=_planned_seconds(plan),
            at_most=bool(plan and plan["repetition"]["until_decided"]),
            cases={case["id"]: CaseProgress(_case_name(case, apart), "pending") for case in cases},
            blocks={one["position"]: one for one in plan["blocks"]} if plan else {},
            rounds=plan["repetition"]["rounds"] if plan else 0,
            most_seconds=_most_seconds(plan),
        )

    def take(self, kind: str, content: dict[str, Any]) -> None:
        """What an event changes."""
        if kind == "state":
            self.state = content["state"]
            self.outcome = content.get("outcome")
            self.reason = (content.get("reason") or {}).get("text", "")
            if self.state not in _STATES_BEFORE and self._begun is None:
                self._begun = self.clock()
        elif kind == "cancel_requested":
            self.last_line = "cancelling: cleaning up and restoring what was switched"
        elif kind == "block":
            self._block = content["block"] if content["status"] == "running" else None
            self._case, self._activity = None, ""
        elif kind == "case" and content["case"] in self.cases:
            self.cases[content["case"]].status = content["status"]
            self._case = content["case"] if content["status"] == "running" else self._case
        elif kind == "trial":
            self._trial(content)
        elif kind == "log":
            self.last_line = self._activity = content["message"]["text"]
            if content["message"]["code"] in CONCLUSIONS:
                self.conclusion = self.last_line

    def _trial(self, content: dict[str, Any]) -> None:
        if content["trial"] in self._seen:
            return
        self._seen.add(content["trial"])
        self._case, self._activity = content["case"], ""
        case = self.cases.get(content["case"])
        if case is not None:
            case.trials += 1
            if case.status == "pending":
                case.status = "running"

    @property
    def where(self) -> str:
        """Round, modes, case and step of the moment: "round 2 of 6, iptables, services 5000"."""
        block = self.blocks.get(-1 if self._block is None else self._block)
        case = None if self._case is None else self.cases.get(self._case)
        parts = []
        if block is not None:
            parts.append(f"round {block['round']} of {self.rounds}")
            parts += [f"{axis} {value}" for axis, value in block["modes"].items()]
        if case is not None:
            parts.append(f"latest case {case.name}")
        return ", ".join(filter(None, [*parts, self._activity]))

    @property
    def done(self) -> int:
        """Trials that are stored."""
        return len(self._seen)

    @property
    def share(self) -> float:
        """How much of the plan is done."""
        return min(1.0, self.done / self.trials) if self.trials else 0.0

    @property
    def seconds_left(self) -> float | None:
        """About how long it takes yet; at most that where it ends once it is decided. Unknown once
        its time is over: it measures six to eight rounds, however long they take.
        """
        if self.state == "finished" or not self.seconds:
            return None
        if self._begun is None:
            return min(self.seconds, self.most_seconds)
        passed = self.clock() - self._begun
        if passed >= self.most_seconds:
            return None
        if self.share >= _TELLING:
            left = passed * (1 - self.share) / self.share
        else:
            left = max(self.seconds - passed, self.seconds * 0.05)
        return min(left, self.most_seconds - passed)

    @property
    def counts(self) -> str:
        """Cases by status: "3 succeeded, 1 running"."""
        found = Counter(case.status for case in self.cases.values())
        return ", ".join(f"{count} {status}" for status, count in found.items())


def _planned_seconds(plan: dict[str, Any] | None) -> float:
    if plan is None:
        return 0.0
    return float((plan["measuring_seconds"] or 0.0) + plan["switching_seconds"])


def _most_seconds(plan: dict[str, Any] | None) -> float:
    until = plan["repetition"]["until_decided"] if plan else None
    return 60.0 * ((until or {}).get("most_minutes") or inf)


def _axes(points: Sequence[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(axis for point in points for axis in point))


def _case_name(case: dict[str, Any], apart: set[str]) -> str:
    named = {axis: value for axis, value in case["point"].items() if axis in apart}
    shown = named or case["point"]
    return ", ".join(str(value) for value in shown.values()) or case["key"]
