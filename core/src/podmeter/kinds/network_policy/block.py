"""A network_policy block on a lab: what it needs, proved first, and its trials."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING

from podmeter.domain.errors import PreconditionError, VoidTrialError
from podmeter.domain.fingerprint import Placement
from podmeter.domain.messages import say
from podmeter.domain.ports import Access, PodRequest
from podmeter.drivers import nginx, route, vegeta
from podmeter.kinds import usage
from podmeter.kinds.convergence import RESOLUTION
from podmeter.kinds.network_policy import metrics
from podmeter.kinds.network_policy.axes import (
    BYTES,
    KEEP_ALIVE,
    ON,
    POLICIES,
    RESPONSE_SIZE,
    is_climb,
)
from podmeter.kinds.network_policy.ends import PORT, SHUT_PORT, PolicyEnds, port_of
from podmeter.kinds.network_policy.guard import Guard
from podmeter.kinds.network_policy.ladder import PolicyLadder
from podmeter.kinds.nodes import IDLE_ARGV, choose_end_nodes, share_a_host
from podmeter.kinds.recording import Recorder, run_trial_body
from podmeter.kinds.tools import Toolbox
from podmeter.kinds.usage import UsageSampler

if TYPE_CHECKING:
    from collections.abc import Iterator

    from podmeter.domain.planning import Block, Case, PlannedTrial
    from podmeter.domain.ports import ExecTarget, Lab, Node
    from podmeter.domain.trial import TrialReport
    from podmeter.drivers.route import PacketRoute
    from podmeter.kinds.network_policy.guard import RuleSnapshot
    from podmeter.kinds.network_policy.parameters import NetworkPolicyParameters

_ASK_SECONDS = 30.0
#: How long, and with how many requests in progress, a path is checked.
_CHECK_SECONDS, _CHECK_AT_ONCE = 0.5, 16
#: So often before a rate is refused: a busy moment is not what the path takes.
_CHECK_TRIES = 3
#: Of what it takes so large a share is below saturation.
_BELOW = 0.5
#: It is checked at so many times the rate: enough to show that, and no more load than it takes.
CHECK_FACTOR = 2.5
#: Of the rate that was asked for so much has to be reached.
_REACHED = 0.98
_GRACE_SECONDS = 60.0


@contextmanager
def prepare(
    lab: Lab, parameters: NetworkPolicyParameters, rungs: tuple[int, ...], block: Block
) -> Iterator[NetworkPolicyBlock]:
    """Start the pods, prove that policies are enforced, and that each path takes the rates."""
    nodes = choose_end_nodes(lab.end_nodes(), parameters.client_node, parameters.server_node)
    hosts: tuple[ExecTarget, ...] = ()
    if parameters.read_rules:
        by_node = {place.node: place for place in lab.node_shells()}
        hosts = tuple(by_node[node.name] for node in nodes)
    sizes = {case.text(RESPONSE_SIZE.name) for case in block.cases if not is_climb(case)}
    probed = str(min(BYTES[size] for size in sizes) if sizes else min(BYTES.values()))
    with ExitStack() as stack:
        ports = [PORT, SHUT_PORT, *(port_of(rung) for rung in rungs if rung)]
        serve = nginx.files_argv(ports, sorted({*map(BYTES.__getitem__, sizes), int(probed)}))
        places = lab.start_pods(_requests(lab, nodes, serve))
        stack.callback(lab.remove_pods, places)
        client, stranger, server = places
        ends = PolicyEnds(lab, nodes, client, stranger, server, hosts)
        tools = Toolbox(lab)
        tools.version(vegeta.TOOL, client)
        ladder = PolicyLadder(lab, ends, probed, parameters.convergence_seconds)
        stack.callback(ladder.remove_all)
        ladder.prove()
        routes = [(client, route.argv(server.address))]
        routes += [(host, route.argv(server.address, nodes[1].address)) for host in hosts[:1]]
        prepared = NetworkPolicyBlock(
            parameters=parameters,
            rungs=rungs,
            ends=ends,
            ladder=ladder,
            guard=Guard(lab, ends, ladder, probed),
            tools=tools,
            usage=UsageSampler(lab),
            routes=tuple(
                route.parse(lab.execute(place, argv, timeout_seconds=_ASK_SECONDS))
                for place, argv in routes
            ),
            taken={},
        )
        pairs = {
            (c.text(RESPONSE_SIZE.name), c.text(KEEP_ALIVE.name))
            for c in block.cases
            if not is_climb(c)
        }
        prepared.check_rates(sorted(pairs))
        yield prepared


def _requests(lab: Lab, nodes: tuple[Node, Node], serve: tuple[str, ...]) -> list[PodRequest]:
    stem = f"pm-{lab.run_label}"
    return [
        PodRequest(f"{stem}-client", nodes[0].name, Access.POD, IDLE_ARGV),
        PodRequest(f"{stem}-stranger", nodes[0].name, Access.POD, IDLE_ARGV),
        PodRequest(f"{stem}-server", nodes[1].name, Access.POD, serve),
    ]


@dataclass(frozen=True, slots=True)
class NetworkPolicyBlock:
    """A prepared block. `routes` are the client's to the server, and its node's where it is seen.

    `taken` is how many requests a second of a size, over kept connections or not, the path took
    when it was checked; it may take more.
    """

    parameters: NetworkPolicyParameters
    rungs: tuple[int, ...]
    ends: PolicyEnds
    ladder: PolicyLadder
    guard: Guard
    tools: Toolbox
    usage: UsageSampler
    routes: tuple[PacketRoute, ...]
    taken: dict[tuple[str, str], float]

    def placement(self, case: Case) -> Placement:
        """The nodes of both ends."""
        client, server = self.ends.nodes
        nic = self.routes[1].nic if len(self.routes) > 1 else None
        return Placement(client_node=client.name, server_node=server.name, nic=nic)

    def run_trial(self, trial: PlannedTrial) -> TrialReport:
        """One trial on its rung, which is climbed to first where it does not stand."""

        def body(recorder: Recorder) -> None:
            recorder.facts["shared_host"] = str(share_a_host(*self.ends.nodes)).lower()
            names = ("route", "node_route")
            recorder.facts |= {n: seen.said for n, seen in zip(names, self.routes, strict=False)}
            (self._climb if is_climb(trial.case) else self._request)(recorder, trial.case)

        return run_trial_body(self.tools, trial, body)

    def check_rates(self, pairs: list[tuple[str, str]]) -> None:
        """See that the path takes far more than the rates; PreconditionError where it does not."""
        for size, keep_alive in pairs:
            options, most = self._options(size, keep_alive, at_once=_CHECK_AT_ONCE), 0.0
            for _ in range(_CHECK_TRIES):
                most = max(most, self._taken_by_path(options))
                if options.rate <= _BELOW * most:
                    break
            else:
                raise PreconditionError(
                    say("rate_saturates", size=size, rate=options.rate, most=round(most))
                )
            self.taken[size, keep_alive] = most

    def _taken_by_path(self, options: vegeta.Options) -> float:
        """Requests a second that the path takes of the rate at which it is checked."""
        argv = vegeta.check_argv(options, CHECK_FACTOR, _CHECK_SECONDS)
        output = self.ends.lab.execute(
            self.ends.client, argv, timeout_seconds=_CHECK_SECONDS + _GRACE_SECONDS
        )
        return vegeta.parse(output, options).requests_per_second

    def _climb(self, recorder: Recorder, case: Case) -> None:
        height = case.number(POLICIES.name)
        # From the rung below, also when a single rung is tried again: only then is it the same.
        with recorder.waiting_for_the_cluster():
            self.ladder.reach(max((rung for rung in self.rungs if rung < height), default=0))
        climb = self.ladder.reach(height)
        if climb is None:
            raise VoidTrialError(say("policies_stood", height=height))
        took = climb.convergence
        recorder.tool_seconds += took.seconds
        recorder.facts["policies_created"] = str(climb.created)
        recorder.measure(metrics.POLICY_CONVERGENCE.name, took.without_api)
        recorder.measure(metrics.POLICY_READY.name, took.seconds)
        recorder.measure(RESOLUTION.name, took.resolution)
        if climb.create_seconds > 0:
            rate = climb.created / climb.create_seconds
            recorder.measure(metrics.POLICY_CREATE_RATE.name, rate)
        self._describe(recorder, self.guard.before())

    def _request(self, recorder: Recorder, case: Case) -> None:
        with recorder.waiting_for_the_cluster():
            self.ladder.reach(case.number(POLICIES.name))
        size, keep_alive = case.text(RESPONSE_SIZE.name), case.text(KEEP_ALIVE.name)
        options, kept = self._options(size, keep_alive), keep_alive == ON
        before = self.guard.before()
        self.guard.room_for(before, options.at_once if kept else options.requests)
        recorder.warnings += self.guard.blind_spots(before)
        self._describe(recorder, before)
        recorder.facts["load"] = (
            f"{options.rate} requests a second of at least {self.taken[size, keep_alive]:.0f} that "
            "the path takes"
        )
        roles = {"client": self.ends.client, "server": self.ends.server}
        with self.usage.over(recorder, roles) as used:
            seconds = options.requests / options.rate + _GRACE_SECONDS
            output = recorder.run_tool(
                vegeta.TOOL, self.ends.client, vegeta.argv(options), timeout_seconds=seconds
            )
        answer = vegeta.parse(output, options)
        sent, reached = len(answer.seconds), answer.requests_per_second
        if sent < options.requests or reached < _REACHED * options.rate:
            raise VoidTrialError(
                say(
                    "rate_not_reached",
                    sent=sent,
                    requests=options.requests,
                    rate=options.rate,
                    reached=f"{reached:.0f}",
                )
            )
        self.guard.unchanged(before, self.guard.after(), sent, kept=kept)
        _record(recorder, answer.seconds[: options.requests], reached)
        used.share(recorder, usage.NODE_CPU_PER_REQUEST, sent)

    def _options(self, size: str, keep_alive: str, at_once: int = 100) -> vegeta.Options:
        body = BYTES[size]
        return vegeta.Options(
            url=self.ends.url(str(body)),
            requests=self.parameters.requests,
            rate=self.parameters.rate(body),
            keepalive=keep_alive == ON,
            body_bytes=body,
            at_once=at_once,
        )

    def _describe(self, recorder: Recorder, look: RuleSnapshot) -> None:
        """Store a trial's surrounding state with it."""
        ends = self.ends
        recorder.facts["client"] = f"{ends.client.name} on {ends.client.node}"
        recorder.facts["server"] = f"{ends.server.name} on {ends.server.node} at {ends.url('')}"
        if not self.ladder.height:
            recorder.facts["position"] = "not applicable: there is no policy"
        elif look.rules is None:
            recorder.facts["position"] = "unknown: no rule that can be read names a policy"
        else:
            rules = look.rules
            recorder.facts["position"] = f"{rules.matching} of {rules.policies} policies"


def _record(recorder: Recorder, seconds: tuple[float, ...], rate: float) -> None:
    # Here, not above: an idle worker need not hold numpy's 20 MB.
    import numpy as np

    recorder.measure(metrics.REQUEST_MEAN.name, fmean(seconds))
    recorder.measure(metrics.REQUEST_MEDIAN.name, median(seconds))
    for metric, percent in ((metrics.REQUEST_P90, 90), (metrics.REQUEST_P99, 99)):
        recorder.measure(metric.name, float(np.percentile(seconds, percent)))
    recorder.measure(metrics.REQUEST_RATE.name, rate)
