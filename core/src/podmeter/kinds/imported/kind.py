"""The kind `import`: its axes are those of all kinds, its parameters the environment given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.axes import AxisDefinition, AxisRole, AxisScope
from podmeter.drivers.pasted.terms import FORWARD, REVERSE, TOOLS
from podmeter.kinds.imported.environment import GivenEnvironment
from podmeter.kinds.imported.metrics import pasted_metrics

if TYPE_CHECKING:
    from collections.abc import Iterable

    from podmeter.domain.measurement import MetricDefinition

NAME = "import"
TOOL_AXIS = "tool"
#: Distinguishes what no other axis does; any words are allowed.
VARIANT_AXIS = "variant"
_OF_TOOLS = (
    AxisDefinition(
        name=TOOL_AXIS,
        description="The measuring tool, if there is more than one.",
        choices=(*TOOLS, *(f"k8s-netperf ({one})" for one in ("netperf", "iperf3", "uperf"))),
        role=AxisRole.APART,
    ),
    AxisDefinition(
        name="data_flow",
        description="Which end sent the data, if not only the client.",
        choices=(FORWARD, REVERSE),
    ),
    AxisDefinition(
        name="bidirectional",
        description="Whether both directions were tested at once.",
        choices=("both",),
        role=AxisRole.APART,
    ),
    AxisDefinition(
        name="netperf_test",
        description="The test of netperf, k8s-netperf or cilium.",
        choices=(
            *("TCP_STREAM", "UDP_STREAM", "TCP_RR", "UDP_RR", "TCP_CRR"),
            *("TCP_STREAM_MULTI", "UDP_STREAM_MULTI"),
        ),
        role=AxisRole.APART,
    ),
    AxisDefinition(
        name="message_bytes",
        description="The length of a message.",
        minimum=1,
        maximum=2**31 - 1,
        role=AxisRole.CURVE,
    ),
    AxisDefinition(
        name="request_bytes",
        description="The length of a request.",
        minimum=1,
        maximum=2**31 - 1,
        role=AxisRole.CURVE,
    ),
    AxisDefinition(
        name="response_bytes",
        description="The length of a response.",
        minimum=1,
        maximum=2**31 - 1,
        role=AxisRole.CURVE,
    ),
    AxisDefinition(
        name="concurrency",
        description="Number of concurrent requests.",
        minimum=1,
        maximum=10**9,
        role=AxisRole.CURVE,
    ),
    AxisDefinition(
        name="keep_alive",
        description="Whether requests reuse connections, or each opens a new one.",
        choices=("off", "on"),
    ),
    AxisDefinition(
        name=VARIANT_AXIS,
        description="A label that distinguishes outputs, in the user's own words.",
    ),
)


class Imported:
    """What was pasted. It has no cases to plan and nothing to run."""

    name = NAME
    version = 1
    timed = False
    parameters = GivenEnvironment

    def __init__(self, axes: Iterable[AxisDefinition], metrics: Iterable[MetricDefinition]) -> None:
        """`axes` and `metrics` are those of all kinds; values of axes of one name are joined."""
        self.metrics = pasted_metrics(metrics)
        found: dict[str, AxisDefinition] = {}
        for one in (*axes, *_OF_TOOLS):
            if one.scope in (AxisScope.CLUSTER, AxisScope.BLOCK) or one.role is AxisRole.PAIR:
                # A cluster is given once for all; arms are made by anyone who measures them, and
                # pairs are of a cluster's own nodes.
                continue
            known = found.get(one.name, one)
            choices = dict.fromkeys((*known.choices, *one.choices))
            changed = {
                "choices": tuple(choices),
                "default": (),
                "quick": (),
                "control": None,
                "control_for": (),
            }
            found[one.name] = known.model_copy(update=changed)
        self.axes = tuple(found.values())
