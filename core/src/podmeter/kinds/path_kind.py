"""What kinds have in common whose cases lie on the axis `path`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.kinds.kind import Kind
from podmeter.kinds.path_ends import nodes_of
from podmeter.kinds.paths import ENDS, PATH, ROLES, Path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from podmeter.domain.experiment import ResolvedSpec
    from podmeter.domain.planning import Case
    from podmeter.domain.ports import Access


class PathKind(Kind):
    """A kind that measures paths, with both ends where the path has them."""

    def access(self, spec: ResolvedSpec, cases: Iterable[Case]) -> frozenset[Access]:
        """How close to the nodes the ends of the cases' paths come."""
        ends = [ENDS[Path(case.text(PATH))] for case in cases]
        return frozenset(ROLES[name][1] for end in ends for name in (end.client, end.server))

    def nodes(self, spec: ResolvedSpec, case: Case) -> int:
        """What crosses nodes sits on two."""
        return nodes_of(Path(case.text(PATH)))
