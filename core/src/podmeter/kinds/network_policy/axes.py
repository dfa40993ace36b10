"""The axes of network_policy, and its cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.axes import AxisDefinition, AxisRole
from podmeter.domain.planning import Case, points

if TYPE_CHECKING:
    from podmeter.domain.experiment import ResolvedSpec

#: Bytes of an answer's body, by the value of the axis.
BYTES = {"0.5k": 512, "1k": 1024, "10k": 10 * 1024, "100k": 100 * 1024, "1M": 1024 * 1024}
ON = "on"

POLICIES = AxisDefinition(
    name="policies",
    description="Number of NetworkPolicies that select the server's pod and do not match its "
    "requests, in addition to the matching one; 0 means no policy at all.",
    minimum=0,
    maximum=5_000,
    default=(0, 10, 50, 100, 200),
    ladder=True,
    role=AxisRole.CURVE,
)
RESPONSE_SIZE = AxisDefinition(
    name="response_size",
    description="Size of a response, in KiB or MiB.",
    choices=tuple(BYTES),
    default=tuple(BYTES),
    role=AxisRole.ORDERED,
)
KEEP_ALIVE = AxisDefinition(
    name="keep_alive",
    description="Whether requests reuse connections, or each opens a new one.",
    choices=("off", ON),
    default=("off", ON),
    role=AxisRole.APART,
)
AXES = (POLICIES, RESPONSE_SIZE, KEEP_ALIVE)


def cases(spec: ResolvedSpec) -> tuple[Case, ...]:
    """The matrix, and once for each number of policies how long they took to be enforced."""
    found: dict[str, Case] = {}
    for point in points(spec.matrix):
        asked = (RESPONSE_SIZE.name, KEEP_ALIVE.name)
        rung = {axis: value for axis, value in point.items() if axis not in asked}
        climb = Case.at(rung, once=True)
        for case in (climb, Case.at(point)) if point[POLICIES.name] else (Case.at(point),):
            found.setdefault(case.key, case)
    return tuple(found.values())


def is_climb(case: Case) -> bool:
    """Whether the case is the way up to its rung, and no requests on it."""
    return case.get(RESPONSE_SIZE.name) is None
