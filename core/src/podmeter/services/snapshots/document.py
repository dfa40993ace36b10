"""What a snapshot holds: the document, how it was measured, what was kept on purpose."""

import uuid
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pydantic import computed_field

from podmeter.domain.moment import Moment
from podmeter.services.comparisons.document import Comparison
from podmeter.services.headlines.document import Headline
from podmeter.services.reproduction.document import Reproduction
from podmeter.services.snapshots.method_texts import statistics
from podmeter.services.snapshots.shared import SharedCluster, SharedExperiment
from podmeter.services.summaries.document import RunReport
from podmeter.texts import Localized, document_language

#: What a snapshot can be of.
SubjectName = Literal["run", "comparison", "experiment", "cluster", "reproduction"]


@dataclass(frozen=True, slots=True)
class ToolCommand:
    """A command that counted trials ran, its tool's version, and how often it ran."""

    tool: str
    version: str
    argv: list[str]
    count: int


@dataclass(frozen=True, slots=True)
class RunMethod:
    """How one run measured: its settings, and its tools.

    `commands` are at most as many as `method.MOST_COMMANDS`; `complete` says if those are all.
    """

    run_id: uuid.UUID
    name: str
    parameters: dict[str, Any]
    axes: dict[str, Any]
    repetition: dict[str, Any]
    commands: list[ToolCommand]
    complete: bool


@dataclass(frozen=True, slots=True)
class Environment:
    """A fingerprint that cases were measured in; without the cluster's own UID."""

    fingerprint: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Method(Localized):
    """How it was measured.

    `version` is that of how its verdicts were reached (`podmeter.statistics.method`). What the API
    gives says in sentences, in `statistics`, how the figures of that version were made.
    """

    SPOKEN: ClassVar[str] = "statistics"

    runs: list[RunMethod]
    environments: list[Environment]
    version: int

    @computed_field  # type: ignore[prop-decorator]
    @property
    def statistics(self) -> str:
        """How figures were made; '' in what is stored."""
        return "" if document_language() is None else statistics(self.version)


@dataclass(frozen=True, slots=True)
class SnapshotContent:
    """All that a link shows. Exactly one subject is set; of a
    reproduction an article each, and in `summary` what came of them.

    `withheld` says what kinds of names were replaced, `kept` what was left in on purpose.
    """

    subject: SubjectName
    title: str
    taken_at: Moment
    run: RunReport | None
    comparison: Comparison | None
    method: Method
    withheld: list[str]
    kept: list[str]
    experiment: SharedExperiment | None = None
    cluster: SharedCluster | None = None
    reproduction: list[Reproduction] | None = None
    summary: Headline | None = None

    @property
    def headline(self) -> Headline | None:
        """What was found; of an experiment and a cluster by the latest run that found anything."""
        if self.summary is not None:
            return self.summary
        subject = self.run or self.comparison
        if subject is not None:
            return subject.headline
        shared = self.experiment or self.cluster
        runs = () if shared is None else shared.runs
        return next((one.headline for one in runs if one.headline is not None), None)
