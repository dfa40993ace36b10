"""How far a run has got, by its plan and its events; no drawing."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import inf
from typing import Any

#: Between two requests for the time left: when events are replayed, many blocks end at once.
_ASK_SECONDS = 1.0
#: Events that change how long a run still takes.
_CHANGING = frozenset({"state", "block", "cancel_requested"})
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
    """A run in progress. `trials` are the most that it takes; None without a plan. A run until
    decided may end earlier: its time left is an upper limit.
    """

    name: str
    trials: int | None
    at_most: bool
    cases: dict[int, CaseProgress]
    clock: Callable[[], float] = time.monotonic
    #: The server's clock, as far as this machine's agrees with it.
    wall_clock: Callable[[], float] = time.time
    state: str = "queued"
    outcome: str | None = None
    reason: str = ""
    last_line: str = ""
    #: What the plan says of each block, by its position, and how many rounds there are.
    blocks: dict[int, dict[str, Any]] = field(default_factory=dict)
    rounds: int = 0
    #: How long it still measures, as the server computes it; None where nothing tells.
    time_left: dict[str, Any] | None = None
    #: Why a run that measures until decided began no further round; "" of others.
    conclusion: str = ""
    _block: int | None = None
    _case: int | None = None
    _activity: str = ""
    _seen: set[int] = field(default_factory=set)

    @classmethod
    def of(
        cls, run: dict[str, Any], plan: dict[str, Any] | None, cases: Sequence[dict[str, Any]]
    ) -> Progress:
        """At the beginning of its events."""
        points = [case["point"] for case in cases]
        apart = {axis for axis in _axes(points) if len({str(one.get(axis)) for one in points}) > 1}
        return cls(
            name=run["name"],
            trials=plan["trials"] if plan else None,
            at_most=bool(plan and plan["repetition"]["until_decided"]),
            cases={case["id"]: CaseProgress(_case_name(case, apart), "pending") for case in cases},
            blocks={one["position"]: one for one in plan["blocks"]} if plan else {},
            rounds=plan["repetition"]["rounds"] if plan else 0,
        )

    def take(self, kind: str, content: dict[str, Any]) -> None:
        """What an event changes."""
        if kind == "state":
            self.state = content["state"]
            self.outcome = content.get("outcome")
            self.reason = (content.get("reason") or {}).get("text", "")
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
    def share(self) -> float | None:
        """How much of the plan is done."""
        return min(1.0, self.done / self.trials) if self.trials else None

    @property
    def seconds_left(self) -> float | None:
        """About how long it still measures; at most that where it ends once it is decided."""
        if self.state == "finished" or self.time_left is None:
            return None
        until = self.time_left["block_until"]
        running = 0.0 if until is None else _seconds(until) - self.wall_clock()
        return max(0.0, running) + float(self.time_left["seconds_after"])

    def timed(
        self,
        events: Iterator[tuple[str, dict[str, Any]]],
        ask: Callable[[], dict[str, Any] | None],
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """The events, with the time left asked for where one of them changes it."""
        stale, asked = True, -inf
        for kind, content in events:
            stale = stale or kind in _CHANGING
            if stale and self.clock() - asked >= _ASK_SECONDS:
                stale, asked = False, self.clock()
                self.time_left = ask()
            yield kind, content

    @property
    def counts(self) -> str:
        """Cases by status: "3 succeeded, 1 running"."""
        found = Counter(case.status for case in self.cases.values())
        return ", ".join(f"{count} {status}" for status, count in found.items())


def _seconds(moment: str) -> float:
    return datetime.fromisoformat(moment).timestamp()


def _axes(points: Sequence[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(axis for point in points for axis in point))


def _case_name(case: dict[str, Any], apart: set[str]) -> str:
    named = {axis: value for axis, value in case["point"].items() if axis in apart}
    shown = named or case["point"]
    return ", ".join(str(value) for value in shown.values()) or case["key"]
