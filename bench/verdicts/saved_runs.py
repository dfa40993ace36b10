"""What runs said, one line of JSON each, so that what is done is not done again after a kill."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class RunVerdicts:
    """What one run's main comparison said; `seconds` is how long the run took."""

    subject: str
    busy: bool
    verdict: str
    reason: str
    change: float | None
    p: float | None
    seconds: float
    finished_at: str
    method_version: int


def read(file: Path) -> list[RunVerdicts]:
    """What is kept; a line that a kill has cut is passed over."""
    if not file.exists():
        return []
    found = []
    for line in file.read_text().splitlines():
        try:
            found.append(RunVerdicts(**json.loads(line)))
        except (json.JSONDecodeError, TypeError):
            continue
    return found


def add(file: Path, said: RunVerdicts) -> None:
    """Keep one more, on a line of its own also where the one before it was cut."""
    file.parent.mkdir(parents=True, exist_ok=True)
    cut = file.exists() and not file.read_bytes().endswith(b"\n") and file.stat().st_size > 0
    with file.open("a") as output:
        output.write(("\n" if cut else "") + json.dumps(asdict(said)) + "\n")


def left(
    known: list[RunVerdicts], subjects: tuple[str, ...], runs: int, method_version: int
) -> list[tuple[str, bool]]:
    """(subject, beside busy processes) of the remaining runs, the subjects in turn.

    Half of a subject's runs are beside busy processes. What an older method said does not count.
    """
    wanted = []
    for number in range(runs):
        wanted += [(subject, number % 2 == 1) for subject in subjects]
    have = [(one.subject, one.busy) for one in known if one.method_version == method_version]
    found = []
    for one in wanted:
        if one in have:
            have.remove(one)
        else:
            found.append(one)
    return found
