"""What a finding rests on, by what it was found with; `kind` tells them apart."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from podmeter.domain.axes import AxisValue
from podmeter.results.projected import Projected
from podmeter.services.comparisons.document import Gate


@dataclass(frozen=True, slots=True)
class GateEvidence:
    """Why two values of a mode's axis cannot be compared."""

    kind: Literal["gate"]
    gate: Gate
    baseline_value: str | None = None
    contender_value: str | None = None


@dataclass(frozen=True, slots=True)
class RowEvidence:
    """The rows that it is found by: an effect, a loss, links, a curve, or two modes' curves."""

    kind: Literal["rows"]
    rows: list[Projected]


@dataclass(frozen=True, slots=True, kw_only=True)
class PathMtuEvidence:
    """With which path MTUs, in bytes, two values of a mode's axis were measured.

    `cases` are the points it holds for, on the axes that distinguish them; with an axis that has
    no axes it holds for all. `overhead` is what packets are wrapped in between nodes; null where
    they cross none, or it is not known. `share` is how much of a full packet is TCP's payload, and
    `ratio` what the contender's packets carry against the baseline's at one packet rate; the
    `_timestamped` ones are of packets with TCP's timestamps.
    """

    kind: Literal["path_mtu"]
    axis: str
    baseline_value: str
    contender_value: str
    cases: list[dict[str, AxisValue]]
    baseline_mtu: int
    contender_mtu: int
    baseline_overhead: int | None
    contender_overhead: int | None
    baseline_share: float
    contender_share: float
    ratio: float
    baseline_share_timestamped: float
    contender_share_timestamped: float
    ratio_timestamped: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PodMtuEvidence:
    """How pods' MTU goes with the NIC that their packets leave their node by, in bytes.

    `cases` as of a path's MTU. `most` is what leaves the node whole, `difference` by how much pods'
    MTU is larger or smaller. What is `wrapped_in` something ("" is nothing) is so in `overhead`
    bytes.
    """

    kind: Literal["pod_mtu"]
    cases: list[dict[str, AxisValue]]
    pod_mtu: int
    most: int
    difference: int
    wrapped_in: str
    overhead: int
    nic_mtu: int


Evidence = Annotated[
    GateEvidence | RowEvidence | PathMtuEvidence | PodMtuEvidence,
    Field(discriminator="kind"),
]
