"""Metrics, and the values that trials give them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field, computed_field

from podmeter.texts import ENGLISH, Localized, catalog


class Unit(StrEnum):
    """Base units; every measurement is in one of them, prefixes are for the display.

    `s/byte` is what a byte costs in CPU, `1/byte` how often something happens for each.
    """

    BITS_PER_SECOND = "bit/s"
    SECONDS = "s"
    PER_SECOND = "1/s"
    BYTES = "bytes"
    RATIO = "ratio"
    COUNT = "count"
    SECONDS_PER_BYTE = "s/byte"
    PER_BYTE = "1/byte"


class Direction(StrEnum):
    """Which way a metric is better; `none` describes a circumstance and has no verdict."""

    HIGHER = "higher"
    LOWER = "lower"
    NONE = "none"


class Derivation(BaseModel):
    """How a derived metric follows from another one: 1 - source(case) / source(baseline).

    The baseline is the case of the *same run* that differs from the case only in `axis`, which
    has the value `baseline` there. The value may be negative: noise can favour a longer path.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str
    axis: str
    baseline: str | int


class MetricDefinition(Localized, BaseModel):
    """What a metric is called, its base unit, which direction is better, and what it means.

    A case is about the first of its kind's `main` metrics that its trials measured: of a ladder
    a climb is about its convergence, a probe about its rate.

    `noise` is the largest effect, in the unit, that is taken for noise however large a share of
    the figure it is: what a reader would call the same. `capped_by` names metrics of the same
    trials, one of which a trial may have: it cannot exceed that, because no more was asked for.
    `reciprocal_of` names the rate of the same trials that it restates: a constant divided by it.
    `parts` are its subjects, in their order, where their values add up to one whole. A `sporadic`
    one is measured in some of a case's rounds alone: its first value stands against the other
    side's first, its second against the second, whichever rounds these are of. A `cost` is what a
    mode takes or spoils in addition to what its cases are about: a recommendation names it where
    it clearly changes.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    SPOKEN: ClassVar[str] = "description"

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    unit: Unit
    direction: Direction
    main: bool = False
    noise: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    capped_by: tuple[str, ...] = ()
    reciprocal_of: str | None = None
    parts: tuple[str, ...] = ()
    sporadic: bool = False
    cost: bool = False
    derivation: Derivation | None = None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def description(self) -> str:
        """What it means, in English: the web UI has the catalog of each language."""
        return catalog(ENGLISH)[f"metric_description.{self.name}"]


def duration(
    name: str, *, main: bool = False, noise: float = 0.0, reciprocal_of: str | None = None
) -> MetricDefinition:
    """A metric in seconds, of which fewer are better; `noise` in seconds."""
    return MetricDefinition(
        name=name,
        unit=Unit.SECONDS,
        direction=Direction.LOWER,
        main=main,
        noise=noise,
        reciprocal_of=reciprocal_of,
    )


@dataclass(frozen=True, slots=True)
class Measurement:
    """One metric's value, in the metric's base unit, of one trial.

    `subject` distinguishes several values of one metric in a trial, such as the node a CPU share
    was read on; '' where there is one. Raises ValueError for a value that is not finite: what
    could not be measured has no measurement at all.
    """

    metric: str
    value: float
    subject: str = ""

    def __post_init__(self) -> None:
        if not math.isfinite(self.value):
            raise ValueError(f"{self.metric} is {self.value}: only finite values are measurements")


@dataclass(frozen=True, slots=True)
class Series:
    """A metric over the time of one trial: `values[i]` at `offsets[i]` seconds after its start."""

    metric: str
    offsets: tuple[float, ...]
    values: tuple[float, ...]
    subject: str = ""

    def __post_init__(self) -> None:
        if len(self.offsets) != len(self.values):
            raise ValueError(
                f"{self.metric}: {len(self.offsets)} offsets, {len(self.values)} values"
            )
