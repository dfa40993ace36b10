"""Kinds of experiment, in the API's shape."""

from typing import Any

from pydantic import BaseModel, Field

from podmeter.domain.axes import AxisDefinition
from podmeter.domain.experiment import KindName
from podmeter.domain.measurement import MetricDefinition
from podmeter.kinds.kind import Kind
from podmeter.kinds.registry import metrics_of


class KindView(BaseModel):
    """A kind: what it measures, its metrics, axes and the schema of its parameters."""

    name: KindName
    description: str
    metrics: list[MetricDefinition]
    axes: list[AxisDefinition]
    parameters: dict[str, Any] = Field(description="JSON Schema of a spec's `parameters`")

    @classmethod
    def of(cls, kind: Kind) -> "KindView":
        """The kind's shape."""
        return cls(
            name=kind.name,
            description=kind.description,
            metrics=list(metrics_of(kind.name).values()),
            axes=list(kind.axes),
            parameters=kind.parameters.model_json_schema(),
        )
