"""A figure of the table, and a section: the figures that are measured together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]


class BenchError(Exception):
    """Why a section could not be measured."""


@dataclass(frozen=True)
class Row:
    """One figure; without a bar it is there to be read beside the others."""

    what: str
    value: float
    unit: str
    bar: float | None = None
    higher_is_better: bool = False
    note: str = ""

    @property
    def met(self) -> bool:
        """Whether the bar is met; a figure without one cannot miss it."""
        if self.bar is None:
            return True
        return self.value >= self.bar if self.higher_is_better else self.value <= self.bar


@dataclass(frozen=True)
class BenchEnvironment:
    """Where to measure. `quick` proves that a section works; its figures are not kept.

    `kubeconfig` and `kubectl` are of the testbed, for sections that need it.
    """

    quick: bool
    kubeconfig: Path
    kubectl: tuple[str, ...]


@dataclass(frozen=True)
class Section:
    """Figures that are measured together; `name` is what ONLY= calls it."""

    name: str
    title: str
    needs_testbed: bool
    measure: Callable[[BenchEnvironment], Sequence[Row]]
