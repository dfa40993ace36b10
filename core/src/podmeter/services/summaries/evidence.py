"""What a finding rests on, by what it was found with; `kind` tells them apart."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from podmeter.domain.axes import AxisValue
from podmeter.results.projected import Projected
from podmeter.services.comparisons.document import Gate
from podmeter.services.measured.figures import Figure

#: Links by what they have in common, as evidence names it.
LINK, BOTH_WAYS, NODE, FROM_NODE, TO_NODE = "link", "both_ways", "node", "from_node", "to_node"


@dataclass(frozen=True, slots=True)
class GateEvidence:
    """Why two values of a mode's axis cannot be compared."""

    kind: Literal["gate"]
    gate: Gate
    baseline_value: str | None = None
    contender_value: str | None = None


@dataclass(frozen=True, slots=True)
class RowEvidence:
    """The rows that it is found by: an effect, a loss, a curve, or the curves of two modes."""

    kind: Literal["rows"]
    rows: list[Projected]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkEvidence:
    """Which of so many `links` are worse than all the others, or that the worst one is not.

    `what` says what the `members` that are have in common: one link alone (`link`), both directions
    of one (`both_ways`), a node (`node`), or that it sends (`from_node`) or receives (`to_node`);
    `value` is that pair of nodes or that node. `member` and `other` are the pairs, one of each
    side, that are hardest to tell apart, with the medians of both; `ratio`, p and the verdict are
    of the first against the second, and p is corrected for all that was looked at in the run.
    """

    kind: Literal["link"]
    what: str
    value: str
    axis: str
    subject: str
    unit: str
    direction: str
    links: int
    members: int
    member: str
    figure: Figure | None
    other: str
    other_figure: Figure | None
    ratio: Figure | None
    p: float | None
    adjusted_p: float | None
    looked_at: int
    verdict: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PathMtuEvidence:
    """With which path MTUs, in bytes, two values of a mode's axis were measured.

    `cases` are the points it holds for, on the axes that tell them from others; with one that has
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
    GateEvidence | RowEvidence | LinkEvidence | PathMtuEvidence | PodMtuEvidence,
    Field(discriminator="kind"),
]
