"""What of the articles is done, kept in a file, so that it is not done again after a kill."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class ArticleProgress:
    """Runs by the cluster and specification that they are of, and what was started for them.

    `in_part` are runs that succeeded in part and are repeated: each counts until its repetition
    has as many results. `started` names what must be stopped again: `testbed`, `stack`, `rights`.
    `seconds` is how long a finished run took. `before` are the runs of the last time that each was
    done, by specification alone; `latest` is the same by template, each with the articles that it
    is set beside: what one cluster does not have, another one may have had.
    """

    file: Path
    runs: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    started: list[str] = field(default_factory=list)
    before: dict[str, str] = field(default_factory=dict)
    latest: dict[str, list[str]] = field(default_factory=dict)
    in_part: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, file: Path) -> ArticleProgress:
        """What is kept; nothing where there is no file, or none that can be read."""
        try:
            content = json.loads(file.read_text())
            runs, seconds, before = (dict(content[one]) for one in ("runs", "seconds", "before"))
            latest, in_part = (dict(content.get(one, {})) for one in ("latest", "in_part"))
            return cls(file, runs, seconds, content["started"], before, latest, in_part)
        except (OSError, ValueError, KeyError, TypeError):
            return cls(file)

    def note(self, what: str) -> None:
        """That it was started for this."""
        if what not in self.started:
            self.started.append(what)
        self.write()

    def add(self, key: str, run_id: str) -> None:
        """A run that has begun."""
        self.runs[key] = run_id
        self.write()

    def repeat(self, key: str, run_id: str) -> None:
        """A run that has begun in the place of one that succeeded in part."""
        self.in_part[key] = self.runs[key]
        self.add(key, run_id)

    def repeated(self, key: str) -> None:
        """The run has as many results as the run in part that it may repeat, and replaces it."""
        if self.in_part.pop(key, None) is not None:
            self.write()

    def keep(self, key: str) -> None:
        """The run in part has more results than its repetition, and counts again."""
        self.add(key, self.in_part.pop(key))

    def took(self, key: str, seconds: float) -> None:
        """How long a run took, now that it is finished."""
        self.seconds[key] = seconds
        self.write()

    def forget_runs(self) -> None:
        """The next command starts again."""
        self.runs, self.in_part, self.seconds = {}, {}, {}
        self.write()

    def done(self, runs: dict[str, str], latest: dict[str, list[str]]) -> None:
        """Everything is done: nothing is left to continue or end, and these are the earlier runs.

        `runs` by their specifications; `latest` by their templates, a run and then its articles.
        """
        self.runs, self.in_part, self.seconds, self.started = {}, {}, {}, []
        self.before |= runs
        self.latest |= latest
        self.write()

    def write(self) -> None:
        """Keep it, whole or not at all."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        content = {name: value for name, value in asdict(self).items() if name != "file"}
        beside = self.file.with_suffix(".new")
        beside.write_text(json.dumps(content, indent=1))
        os.replace(beside, self.file)


def key_of(cluster_uid: str | None, spec: dict[str, Any]) -> str:
    """What a run is of: another cluster or specification is another run."""
    told = json.dumps([cluster_uid, spec], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()[:16]
