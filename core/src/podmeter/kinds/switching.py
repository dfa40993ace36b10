"""How long setting up a block's modes takes, and Services with it: one case of every kind.

Its point is the block's modes alone, and its one trial in a round is the set-up itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.load import NO_LOAD, Load
from podmeter.domain.measurement import Direction, Measurement, MetricDefinition, Unit
from podmeter.domain.messages import say
from podmeter.domain.modes import KUBE_PROXY_MODE
from podmeter.domain.planning import Case
from podmeter.domain.trial import Invocation, TrialReport, TrialStatus
from podmeter.drivers.service_watch import TOOL_NAME
from podmeter.kinds.outage import Outage, outage_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from podmeter.domain.experiment import ResolvedSpec
    from podmeter.domain.switching import NodeWatch, Switched
    from podmeter.kinds.recording import Recorder

#: So many nodes' own figures and answers are kept with a trial, the slowest ones.
_MOST_NODES = 20


def _metric(
    name: str, direction: Direction = Direction.LOWER, noise: float = 0.0
) -> MetricDefinition:
    return MetricDefinition(
        name=name,
        unit=Unit.SECONDS,
        direction=direction,
        main=direction is not Direction.NONE and not name.endswith("outage"),
        noise=noise,
        sporadic=True,
        cost=name.endswith("outage"),
    )


CONVERGENCE = _metric("switch_convergence", noise=0.1)
OUTAGE = _metric("switch_outage", noise=0.1)
SECONDS = _metric(
    "switch_seconds",
    # The nodes are checked five times a second, one after another.
    noise=0.5,
)
ROLL_OUTAGE = _metric("roll_outage", noise=0.1)
ROLL_SECONDS = _metric("roll_seconds", noise=0.5)
RESOLUTION = _metric("switch_resolution", Direction.NONE)
METRICS = (CONVERGENCE, OUTAGE, SECONDS, ROLL_SECONDS, ROLL_OUTAGE, RESOLUTION)


def cases(spec: ResolvedSpec, measured: Iterable[Case]) -> tuple[Case, ...]:
    """The set-up of every set of modes that cases are measured in, where kube-proxy's is switched.

    No other switch has what could be asked all the while: pods are recreated with the pod network.
    """
    if KUBE_PROXY_MODE not in spec.matrix:
        return ()
    sets = dict.fromkeys(case.modes for case in measured)
    return tuple(Case(modes, once=True) for modes in sets)


#: All nodes together connect so often to a Service while a switch is watched.
WATCH_CONNECTIONS_PER_SECOND = 500


def load(spec: ResolvedSpec) -> Load:
    """What watching its switches puts on a cluster at most, however many nodes there are."""
    if KUBE_PROXY_MODE not in spec.matrix:
        return NO_LOAD
    return Load(requests_per_second=float(WATCH_CONNECTIONS_PER_SECOND))


@dataclass(frozen=True)
class SwitchReport:
    """What is known of a switch once it is over."""

    measurements: tuple[Measurement, ...]
    facts: Mapping[str, str]
    warnings: tuple[str, ...]
    invocations: tuple[Invocation, ...]


def told(one: Switched, watches: Sequence[NodeWatch]) -> SwitchReport:
    """What a switch of kube-proxy's mode comes to.

    What one node does not tell is not known of all of them: then there is a warning and no number.
    """
    found: list[Measurement] = []
    if one.accepted:
        took = one.effective - min(one.accepted.values())
        found.append(Measurement(_of(one, SECONDS, ROLL_SECONDS), took))
    outages, unknown = _outages(one, watches)
    if outages and not unknown:
        found += _worst(one, list(outages.values()))
    stood = {"mode_stood": str(not one.changed).lower()}
    if one.nodes is not None:
        stood["switched_nodes"] = ", ".join(one.nodes)
    return SwitchReport(
        measurements=tuple(found),
        facts=stood | _by_node(one, outages),
        warnings=tuple(unknown),
        invocations=tuple(_invocations(watches)),
    )


def record(recorder: Recorder, one: Switched, watches: Sequence[NodeWatch]) -> None:
    """A switch inside a trial of a kind."""
    known = told(one, watches)
    recorder.measurements += known.measurements
    recorder.invocations += known.invocations
    recorder.warnings += known.warnings
    recorder.facts |= known.facts


def report(
    switched: Sequence[Switched], watches: Sequence[NodeWatch], seconds: float
) -> TrialReport:
    """A block's set-up of so many seconds as a trial, of kube-proxy's mode among the others."""
    (known,) = [told(one, watches) for one in switched if one.axis == KUBE_PROXY_MODE]
    return TrialReport(
        status=TrialStatus.COUNTED,
        measurements=known.measurements,
        invocations=known.invocations,
        warnings=known.warnings,
        facts=tuple(sorted(known.facts.items())),
        seconds=seconds,
        tool_seconds=seconds,
    )


def _of(one: Switched, switch: MetricDefinition, roll: MetricDefinition) -> str:
    return (switch if one.changed else roll).name


def _outages(one: Switched, watches: Sequence[NodeWatch]) -> tuple[dict[str, Outage], list[str]]:
    """By node, and why the others are unknown."""
    found: dict[str, Outage] = {}
    unknown: list[str] = []
    latest = max(one.accepted.values(), default=None)
    for watch in watches:
        accepted = one.accepted.get(watch.node, latest)
        try:
            if accepted is None:
                raise ToolError(say("switch_not_accepted"))
            found[watch.node] = outage_of(watch, accepted)
        except ToolError as error:
            unknown.append(say("switch_unseen", node=watch.node, why=error.said))
    left_out = len(unknown) - _MOST_NODES
    if left_out > 0:
        unknown[_MOST_NODES:] = [say("switch_unseen_more", count=left_out)]
    return found, unknown


def _worst(one: Switched, outages: Sequence[Outage]) -> list[Measurement]:
    found = [
        Measurement(_of(one, OUTAGE, ROLL_OUTAGE), max(each.seconds for each in outages)),
        Measurement(RESOLUTION.name, max(each.resolution for each in outages)),
    ]
    if one.changed:
        slowest = max(each.convergence for each in outages)
        found.insert(0, Measurement(CONVERGENCE.name, slowest))
    return found


def _by_node(one: Switched, outages: dict[str, Outage]) -> dict[str, str]:
    """Each node's own figures, as text."""
    slowest = sorted(outages.items(), key=lambda item: -item[1].convergence)[:_MOST_NODES]
    if not slowest:
        return {}
    told = {_of(one, OUTAGE, ROLL_OUTAGE): {node: each.seconds for node, each in slowest}}
    if one.changed:
        told[CONVERGENCE.name] = {node: each.convergence for node, each in slowest}
    return {
        name: ", ".join(f"{node}: {seconds:.3f} s" for node, seconds in by_node.items())
        for name, by_node in told.items()
    }


def _invocations(watches: Sequence[NodeWatch]) -> list[Invocation]:
    return [
        Invocation(
            tool=TOOL_NAME,
            version="1",
            argv=watch.argv,
            place=watch.place,
            exit_code=watch.output.exit_code,
            stdout=watch.output.stdout[:_MOST_CHARACTERS],
            stderr=watch.output.stderr[:_MOST_CHARACTERS],
            seconds=watch.output.seconds,
        )
        for watch in watches[:_MOST_NODES]
        if watch.output is not None
    ]


#: Of an answer that is longer nothing is believed, and no more is kept.
_MOST_CHARACTERS = 200_000
