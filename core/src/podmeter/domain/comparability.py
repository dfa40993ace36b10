"""Whether two environments may be compared, and every field that stands against it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from podmeter.domain.axes import AxisScope
from podmeter.domain.fingerprint import USER_MODE_LINUX, flatten

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from pydantic import JsonValue

    from podmeter.domain.axes import AxisDefinition
    from podmeter.domain.fingerprint import Fingerprint


class Comparability(StrEnum):
    """`confounded` may be shown, with what else differs; `refused` may not.

    `unknown` is of sides without any case that was measured on both, whose environments nothing
    compares.
    """

    COMPARABLE = "comparable"
    CONFOUNDED = "confounded"
    REFUSED = "refused"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Difference:
    """A field that differs. `axis` is the compared axis it follows from, None if there is none."""

    field: str
    baseline: JsonValue
    contender: JsonValue
    axis: str | None

    def __hash__(self) -> int:
        """Of what can always be hashed: a value may be a list."""
        return hash((self.field, self.axis))


@dataclass(frozen=True, slots=True)
class Judgement:
    """How comparable two environments are, and every differing field, explained ones included."""

    comparability: Comparability
    differences: tuple[Difference, ...]


def differences(
    baseline: Mapping[str, JsonValue],
    contender: Mapping[str, JsonValue],
    compared_axes: Collection[AxisDefinition] = (),
) -> tuple[Difference, ...]:
    """The leaves that differ, by field, each with the compared axis that it follows from.

    A field that only one of the two knows differs: unknown is not equal to anything but unknown.
    """
    axes = sorted(compared_axes, key=lambda axis: axis.name)
    return tuple(
        Difference(field, one, other, _axis_of(field, axes, None in (one, other)))
        for field in sorted(baseline.keys() | contender.keys())
        if (one := baseline.get(field)) != (other := contender.get(field))
    )


def judge(
    baseline: Fingerprint, contender: Fingerprint, compared_axes: Collection[AxisDefinition]
) -> Judgement:
    """Whether the two may be compared on `compared_axes`.

    comparable: nothing differs but what follows from a compared axis. confounded: other fields
    differ too and clusters are compared. refused: other fields differ, or the kernel of one alone
    is a process.
    """
    found = differences(flatten(baseline), flatten(contender), compared_axes)
    comparability = Comparability.COMPARABLE
    if any(difference.axis is None for difference in found):
        # A kernel that is a process slows some calls far more than others: what two clusters differ
        # by would be mostly that, however they are named beside it.
        kinds_differ = _user_mode(baseline) != _user_mode(contender)
        clusters = any(axis.scope is AxisScope.CLUSTER for axis in compared_axes)
        confounded = clusters and not kinds_differ
        comparability = Comparability.CONFOUNDED if confounded else Comparability.REFUSED
    return Judgement(comparability, found)


def independent_fields(
    fingerprint: Fingerprint, axes: Collection[AxisDefinition]
) -> dict[str, JsonValue]:
    """The leaves that follow from none of the axes: what an environment is, whatever its modes."""
    patterns = [pattern for axis in axes for pattern in (*axis.follows, *axis.absent_with)]
    return {
        field: value
        for field, value in flatten(fingerprint).items()
        if not any(fnmatchcase(field, pattern) for pattern in patterns)
    }


def _user_mode(fingerprint: Fingerprint) -> bool:
    return any(node.hypervisor == USER_MODE_LINUX for node in fingerprint.nodes)


def _axis_of(field: str, compared_axes: Sequence[AxisDefinition], absent: bool) -> str | None:
    for axis in compared_axes:
        patterns = (*axis.follows, *(axis.absent_with if absent else ()))
        if any(fnmatchcase(field, pattern) for pattern in patterns):
            return axis.name
    return None
