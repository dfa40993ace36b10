"""What an analysis gives: rows again, each with a key, a figure and what is said of it."""

from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler, JsonValue
from pydantic_core import core_schema

from podmeter.domain.axes import AxisValue

#: What rows have as parameters, by whichever analysis: a row of another one may lack any of them.
PARAMETERS = frozenset(
    {"confidence", "source", "source_direction", "n_against", "warnings", "needed", "found"}
    | {"reason", "p", "adjusted_p", "looked_at", "before"}
    | {"axis", "xs", "shape", "controlled", "side", "degrades_more", "contender_leads_after"}
    | {"run_id", "case_id", "of", "against", "why_not"}
    | {"main", "cost", "level", "method", "least_p", "agreement_p", "rounds", "round_shifts"}
    | {"round_medians"}
    | {"estimator", "correlation", "within_budget", "advice", "comparability"}
    | {"same_within", "same_amount", "not_counted"}
    | {"values", "relative", "trials", "quantiles", "minimum", "maximum", "standard_deviation"}
    | {"what", "shared", "links", "members", "limited_by", "client_limited"}
    | {"client_limited_trials"}
    | {"by_round", "node_pair", "round_node_pairs"}
)


class _AsWritten:
    """Takes an object of JSON as it is: checking each value of it would take longer than reading.

    Rows are written by projections alone, never by who asks.
    """

    @classmethod
    def __get_pydantic_core_schema__(
        cls, _source: Any, _handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema())


Parameters = Annotated[dict[str, JsonValue], _AsWritten]


@dataclass(frozen=True, slots=True)
class Key:
    """What a projected row is of: a metric of the cases at a point, against another point or not.

    `point` has the axes that the row's cases share. `direction` is the metric's better one, or
    `none`.
    """

    metric: str
    subject: str
    unit: str
    direction: str
    point: dict[str, AxisValue]
    against: dict[str, AxisValue] | None = None


@dataclass(frozen=True, slots=True)
class Projected:
    """A row of an analysis: a figure with its interval, of `n` counted trials, and its verdict.

    `code` says what the row is, with `parameters` for its text and for who asks how it was decided.
    What is not known is null, never 0: of some rows an older version did not keep how many trials.
    """

    key: Key
    value: float | None
    low: float | None
    high: float | None
    n: int | None
    verdict: str | None
    code: str
    parameters: Parameters = field(default_factory=dict)

    def text(self, name: str) -> str:
        """A parameter that is text; '' where the row has none."""
        found = self.parameters.get(name)
        return found if isinstance(found, str) else ""

    def number(self, name: str) -> float | None:
        """A parameter that is a number; None where the row has none."""
        found = self.parameters.get(name)
        return found if isinstance(found, (int, float)) else None

    def numbers(self, name: str) -> list[float]:
        """A parameter that is several numbers; [] where the row has none."""
        return _numbers(self.parameters.get(name))

    def groups(self, name: str) -> list[list[float]]:
        """A parameter that is groups of numbers, of rounds say; [] where the row has none."""
        found = self.parameters.get(name)
        return [_numbers(one) for one in found] if isinstance(found, list) else []

    def holds(self, name: str) -> bool:
        """Whether the row has a parameter that is true."""
        return self.parameters.get(name) is True

    @property
    def warnings(self) -> list[dict[str, Any]]:
        """Warnings about the figure: each with its `code`, and `needed` and `found` where known."""
        found = self.parameters.get("warnings")
        return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _numbers(found: JsonValue) -> list[float]:
    every = found if isinstance(found, list) else []
    return [one for one in every if isinstance(one, (int, float))]
