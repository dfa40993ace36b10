"""Requests for comparisons, in the API's shape."""

import uuid
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from podmeter.domain.axes import AxisValue
from podmeter.services.comparisons.request import PublishedSide, Request, Side
from podmeter.services.run_results.runs import MetricChoice

_Axis = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]


class SideBody(BaseModel):
    """A run, the part of it whose cases lie on `where` (axis to value), or one case of it."""

    model_config = ConfigDict(extra="forbid")

    run_id: uuid.UUID
    case_id: int | None = Field(default=None, ge=1, lt=2**63)
    where: dict[_Axis, AxisValue] = Field(default_factory=dict, max_length=20)

    def side(self) -> Side:
        """The service's word for it."""
        return Side(self.run_id, self.case_id, dict(self.where))


class BaselineBody(BaseModel):
    """As a contender, or a reference: of the part that lies on `where` what was published.

    Published figures have no repetitions: the change is shown, and cannot be tested.
    """

    model_config = ConfigDict(extra="forbid")

    run_id: uuid.UUID | None = None
    reference_id: str | None = Field(default=None, pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")
    case_id: int | None = Field(default=None, ge=1, lt=2**63)
    where: dict[_Axis, AxisValue] = Field(default_factory=dict, max_length=20)

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.run_id is None) == (self.reference_id is None):
            raise ValueError("either run_id or reference_id")
        if self.reference_id is not None and self.case_id is not None:
            raise ValueError("a reference has no cases; `where` picks a part of it")
        return self

    def side(self) -> Side | PublishedSide:
        """The service's word for it."""
        if self.run_id is None:
            return PublishedSide(self.reference_id or "", dict(self.where))
        return Side(self.run_id, self.case_id, dict(self.where))


class NewComparison(BaseModel):
    """A baseline and its contenders; both may be parts of one run.

    Cases are paired by the axes that both sides have. An axis is compared where a side picks a
    value of it, or where each side has just one value on it and the two differ.
    """

    model_config = ConfigDict(extra="forbid")

    baseline: BaselineBody
    contenders: list[SideBody] = Field(min_length=1, max_length=20)
    metrics: MetricChoice = Field(
        default=MetricChoice.MAIN, description="what the cases are about, or all they measured"
    )
    noise_threshold: float = Field(
        default=0.03, ge=0, le=0.5, description="share of the baseline up to which is noise"
    )
    alpha: float = Field(
        default=0.05, ge=0.001, le=0.2, description="risk of a test; intervals have 1 - alpha"
    )

    def request(self) -> Request:
        """The service's word for it."""
        return Request(
            baseline=self.baseline.side(),
            contenders=tuple(one.side() for one in self.contenders),
            metrics=self.metrics,
            noise_threshold=self.noise_threshold,
            alpha=self.alpha,
        )
