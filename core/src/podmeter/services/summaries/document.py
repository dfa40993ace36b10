"""A run's summaries as they are shown, exported and shared. Values are in base units."""

import uuid
from dataclasses import dataclass, field
from typing import Any

from pydantic import computed_field

from podmeter.domain.axes import AxisValue
from podmeter.domain.messages import Message, Reason
from podmeter.domain.moment import Moment
from podmeter.results.projected import Projected
from podmeter.services.comparisons.document import NextRun
from podmeter.services.headlines.document import Headline
from podmeter.services.run_results.facts import AxisFacts, MetricFacts
from podmeter.services.summaries.evidence import Evidence
from podmeter.services.summaries.texts import finding_text
from podmeter.texts import ENGLISH, Language, Localized, document_language

Point = dict[str, AxisValue]


@dataclass(frozen=True, slots=True)
class SummarizedRun:
    """The run, as it is at the moment of the summary."""

    run_id: uuid.UUID
    name: str
    kind: str
    state: str
    outcome: str | None
    reason: Reason
    attempt: int
    clusters: list[str]
    created_at: Moment
    started_at: Moment | None
    finished_at: Moment | None


@dataclass(frozen=True, slots=True)
class TrialFailures:
    """How many trials of a case failed or are void for one reason, and one of the messages."""

    status: str
    code: str
    message: Message
    count: int


@dataclass(frozen=True, slots=True)
class CaseFacts:
    """A case and how many of its trials ended how. Without counted ones it has no summary.

    `limited_by` is what limited most of its counted trials (`kinds.limits`), null where no tool
    loads the path; `limits` has how many were limited by what.
    """

    case_id: int
    key: str
    point: Point
    status: str
    reason: Reason
    counted: int
    warmup: int
    void: int
    failed: int
    failures: list[TrialFailures]
    limited_by: str | None = None
    limits: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finding(Localized):
    """Something that the run itself found, by its evidence; `point` is what it holds for.

    What the API gives has its text besides, in the language of the request's `Accept-Language`.
    Documents of older versions have an English text, `as_written`, which is used where they lack
    what a text is made of.
    """

    code: str
    metric: str
    point: Point
    evidence: Evidence
    as_written: str | None = None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def text(self) -> str:
        """The finding as a sentence; '' in what is stored."""
        language = document_language()
        return "" if language is None else self.text_in(language)

    def text_in(self, language: Language) -> str:
        """The finding as a sentence in a language, without a full stop."""
        return finding_text(self.point, self.evidence, language) or self.as_written or self.code

    def __str__(self) -> str:
        """In English."""
        return self.text_in(ENGLISH)


@dataclass(frozen=True, slots=True)
class RunReport:
    """All of it. `axes` are the values that the run's cases take, in their order.

    `axis_facts` say what they are in a chart; a report frozen before there were any has none.
    `summaries` are rows as `services.summaries.cases` has them, `losses` as
    `services.run_results.loss`, and `overhead` as `services.summaries.overhead`.
    `shared_host` says that nodes it was measured on are one machine, `services_by_cni` that Cilium
    and not kube-proxy answered what pods asked of Services. `one_assignment` are the rungs on which
    no node swapped the mode that it had beside others: differences there may be the nodes'. A
    report that was frozen before there were headlines has none; anyone who reads it makes it of the
    rest. `next_run` is what would decide what its modes do, where that is not clear and a new run
    of the same would. `method_version` says which method computed all of it, as a comparison's
    does; a report frozen before it was there has none.
    """

    run: SummarizedRun
    parameters: dict[str, Any]
    repetition: dict[str, Any]
    axes: dict[str, list[AxisValue]]
    metrics: list[MetricFacts]
    cases: list[CaseFacts]
    summaries: list[Projected]
    losses: list[Projected]
    overhead: list[Projected]
    findings: list[Finding]
    warnings: list[Message]
    axis_facts: list[AxisFacts] = field(default_factory=list)
    shared_host: bool = False
    services_by_cni: bool = False
    one_assignment: list[dict[str, AxisValue]] = field(default_factory=list)
    headline: Headline | None = None
    next_run: NextRun | None = None
    method_version: int | None = None
