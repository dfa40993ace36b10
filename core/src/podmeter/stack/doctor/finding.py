"""What the doctor finds, and looking with a deadline at what may not answer at all."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

#: No check takes longer; a later response counts as missing.
DEADLINE_S = 10.0


class Level(StrEnum):
    """How it stands with what was looked at."""

    OK = "ok"
    WARNING = "warning"
    FAULT = "fault"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Finding:
    """One line: what was looked at, how it stands, in words, and how to fix it."""

    check: str
    level: Level
    said: str
    mend: str = ""


@dataclass(frozen=True)
class Check:
    """Something to look at; `mend` is for where the look itself fails."""

    name: str
    look: Callable[[], Iterable[Finding]]
    mend: str = ""
    deadline_s: float = DEADLINE_S


def looked(checks: Sequence[Check]) -> list[Finding]:
    """What all checks find, in their order, each within its deadline, all at the same time."""
    going = [(check, _Check(check)) for check in checks]
    return [finding for check, look in going for finding in look.found(check)]


class _Check:
    def __init__(self, check: Check) -> None:
        self._findings: list[Finding] | None = None
        self._error: Exception | None = None
        # One that hangs does not keep the command from ending.
        self._thread = threading.Thread(target=self._look, args=(check,), daemon=True)
        self._thread.start()

    def _look(self, check: Check) -> None:
        try:
            self._findings = list(check.look())
        except Exception as error:
            self._error = error

    def found(self, check: Check) -> list[Finding]:
        self._thread.join(check.deadline_s)
        if self._findings is not None:
            return self._findings
        why = _first_line(self._error) if self._error else f"no answer in {check.deadline_s:g} s"
        return [Finding(check.name, Level.FAULT, why, check.mend)]


def _first_line(error: Exception) -> str:
    told = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
    return told or type(error).__name__
