"""Rows of links: which of a run's links are worse than all the others, or that the worst is not.

A group of links stands out if each of its links is worse than each other link. `APART` compares the
two that decide this: the best link of the group and the worst of the others, as a ratio with the
verdict; p is corrected for all comparisons of the run.

`what` says what the `members` of so many `links` that are worse have in common: one link alone
(`LINK`), both directions of one (`BOTH_WAYS`), a node (`NODE`), or that it sends (`FROM_NODE`) or
receives (`TO_NODE`); `shared` is that pair of nodes or that node. The medians of both follow.
`by_round`: rounds took the pairs in turn.

Where pairs change by round, a mode's effect may lie apart on one of them (`node_pair`):
`EFFECT_APART` is the mean ratio of the rounds on that pair, `EFFECT_ELSEWHERE` that of all other
rounds, both of the contender against the baseline.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from podmeter.domain.axes import AxisValue
from podmeter.results.projected import Projected

APART = "link_apart"
EFFECT_APART, EFFECT_ELSEWHERE = "effect_apart", "effect_elsewhere"
LINK, BOTH_WAYS, NODE, FROM_NODE, TO_NODE = "link", "both_ways", "node", "from_node", "to_node"


@dataclass(frozen=True, slots=True)
class Links:
    """The rows of a finding on links."""

    apart: Projected
    median: Projected
    other: Projected

    @property
    def member(self) -> AxisValue:
        """The pair of nodes of the link that is worse."""
        return self.median.key.point[self.apart.text("axis")]

    @property
    def compared(self) -> AxisValue:
        """The pair of nodes of the link that it is compared with."""
        return self.other.key.point[self.apart.text("axis")]

    @property
    def count(self) -> int:
        """How many links were looked at."""
        return int(self.apart.number("links") or 0)

    @property
    def by_round(self) -> bool:
        """Whether rounds took the pairs in turn."""
        return self.apart.holds("by_round")

    @property
    def members(self) -> int:
        """How many of them are worse than the others."""
        return int(self.apart.number("members") or 0)


def links_of(rows: Sequence[Projected]) -> Links | None:
    """What rows say of links; None where they are of another analysis."""
    return Links(*rows) if rows and rows[0].code == APART else None
