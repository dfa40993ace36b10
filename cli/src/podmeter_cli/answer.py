"""What a run or a comparison answers: lines for people, and the exit code for CI."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from podmeter_cli.exits import ExitCode
from podmeter_cli.incomplete import sentence
from podmeter_cli.output import Table

_TOLD_IN_ORDER = ("worse", "better", "undecided", "same")


@dataclass(frozen=True)
class Line:
    """One main metric of one case: what is compared, its size, the verdict."""

    case: str
    metric: str
    baseline: str
    contender: str
    difference: str
    verdict: str
    budget: str | None = None
    #: What a new run would need to decide it; "" where it is decided, or nobody knows.
    advice: str = ""
    #: The difference in percent with both ends of its interval, for a chart.
    ends: tuple[float, float, float] | None = None
    #: What limited most trials of either side; "" where it is unknown.
    limited_by: str = ""
    #: The pairs of nodes that the verdict rests on.
    node_pairs: frozenset[str] = frozenset()
    #: Why it has no say in the verdict; "" where it has one.
    not_counted: str = ""

    @property
    def fails(self) -> bool:
        """Whether it is worse, or costs more than its budget allows."""
        if self.not_counted:
            return False
        return self.budget == "no" or (self.verdict == "worse" and self.budget != "yes")

    @property
    def is_open(self) -> bool:
        """Whether nobody knows yet if it fails."""
        return not self.not_counted and self.verdict == "undecided" and self.budget != "yes"


@dataclass(frozen=True)
class Part:
    """One contender against the baseline; a refused one has no lines, and says why."""

    baseline: str
    contender: str
    lines: Sequence[Line] = ()
    refused: Sequence[str] = ()

    @property
    def title(self) -> str:
        """What is compared."""
        return f"{self.contender} against {self.baseline}"

    @property
    def why_refused(self) -> str:
        """Why it may not be compared; "" where it may."""
        return sentence("; ".join(self.refused)) if self.refused else ""

    @property
    def evidence(self) -> str:
        """What is compared, and the pairs of nodes that it rests on."""
        pairs = frozenset[str]().union(*(line.node_pairs for line in self.lines))
        if not pairs:
            return self.title
        several = f"over {len(pairs)} node pairs"
        return f"{self.title} ({several if len(pairs) > 1 else f'on {_arrow(*pairs)}'})"


@dataclass(frozen=True)
class Answer:
    """All that is said: in the order in which people read it."""

    title: str
    sentences: Sequence[str]
    caveats: Sequence[str]
    parts: Sequence[Part]
    link: str
    #: Of a run without modes to compare: the value of each case.
    figures: Table | None = None
    #: Why there is no answer.
    failed: str = ""
    #: Why a run succeeded in part.
    incomplete: str = ""
    #: Which cases did not succeed: their verdicts are missing, or rest on fewer rounds than were
    #: asked for.
    missing: str = ""
    #: How parts of a run without modes are compared.
    hint: str = ""
    #: Of a run that continues until what its paths lose is decided: how many losses are not.
    open_losses: int = 0
    documents: Sequence[dict[str, Any]] = field(default=(), repr=False)

    @property
    def lines(self) -> list[Line]:
        """Every line of every part."""
        return [line for part in self.parts for line in part.lines]

    @property
    def faults(self) -> str:
        """Why there is no answer, or none to everything: whole sentences."""
        return " ".join(filter(None, (self.failed or self.incomplete, self.missing)))

    @property
    def code(self) -> ExitCode:
        """The exit code that it stands for."""
        if self.failed:
            return ExitCode.FAILED
        if any(line.fails for line in self.lines):
            return ExitCode.WORSE
        unknown = any(line.is_open for line in self.lines)
        refused = any(part.refused for part in self.parts)
        if unknown or self.open_losses or refused or self.missing:
            return ExitCode.UNDECIDED
        return ExitCode.FINE

    @property
    def word(self) -> str:
        """The exit code in words; of several lines, how many have each verdict."""
        if self.code is ExitCode.FAILED:
            return "failed"
        if not self.parts:
            return "measured"
        verdicts = Counter(line.verdict for line in self.lines if not line.not_counted)
        if self.code is ExitCode.FINE:
            return "all within budget" if verdicts["worse"] else "nothing is worse"
        single = "worse" if self.code is ExitCode.WORSE else "undecided"
        if verdicts.total() < 2 or not verdicts[single]:
            return single
        return ", ".join(f"{verdicts[one]} {one}" for one in _TOLD_IN_ORDER if verdicts[one])

    def table(self, part: Part) -> Table:
        """A part as a table."""
        headings = ["case", "metric", part.baseline, part.contender, "difference", "verdict"]
        rows = [
            [one.case, one.metric, one.baseline, one.contender, one.difference, one.verdict]
            for one in part.lines
        ]
        for heading, cells in (
            ("limited by", [one.limited_by for one in part.lines]),
            ("to decide it", [one.advice for one in part.lines]),
            ("not counted", [one.not_counted for one in part.lines]),
        ):
            if any(cells):
                headings.append(heading)
                rows = [[*row, cell] for row, cell in zip(rows, cells, strict=True)]
        return Table(headings, rows, frozenset({2, 3, 4}), part.evidence)


def _arrow(pair: str) -> str:
    """A pair of nodes as people read it."""
    return pair.replace("~", " → ")
