"""A request_latency block on a lab: servers, a Service over them, and its trials."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.errors import PreconditionError, ToolError, VoidTrialError
from podmeter.domain.labels import OWN_DOMAIN
from podmeter.domain.messages import say
from podmeter.drivers import curl, nginx
from podmeter.kinds import replicas, request_times
from podmeter.kinds.path_ends import PathEnds, not_ours, set_up_ends
from podmeter.kinds.paths import ENDS, Path
from podmeter.kinds.recording import Recorder, run_trial_body
from podmeter.kinds.services import Destination, IngressEntry, Servers, Spread
from podmeter.kinds.tools import Toolbox
from podmeter.kinds.usage import UsageSampler
from podmeter.kinds.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from podmeter.domain.fingerprint import Placement
    from podmeter.domain.planning import Block, Case, PlannedTrial
    from podmeter.domain.ports import CommandOutput, ExecTarget, Lab
    from podmeter.domain.trial import TrialReport
    from podmeter.kinds.request_latency.parameters import RequestLatencyParameters

#: No public name is below it (ICANN reserved it for private use in 2024).
_ASK_SECONDS = 15.0
_START_SECONDS = 60.0
#: How long a request may take, and how long a process may besides.
_REQUEST_SECONDS, _GRACE_SECONDS = 5.0, 30.0


@contextmanager
def prepare(
    lab: Lab, parameters: RequestLatencyParameters, block: Block
) -> Iterator[RequestLatencyBlock]:
    """Start what the block's paths need, see every path answer, and take it all away again."""
    port = parameters.port
    paths = sorted({Path(case.text("path")) for case in block.cases})
    servers = Servers(
        nginx.server_argv(port, parameters.body_bytes, named=True),
        port,
        replicas=parameters.replicas,
        spread=Spread(parameters.placement),
    )
    with set_up_ends(
        lab,
        paths,
        servers,
        client_node=parameters.client_node,
        server_node=parameters.server_node,
        entry=_entry(lab, parameters),
    ) as ends:
        tools = Toolbox(lab)
        for path in paths:
            tools.version(curl.TOOL, ends.client(path))
        answering = dict.fromkeys(server for path in paths for server in ends.servers(path))
        hosts = {server.name: _host_of(lab, server, port) for server in answering}

        def reached(output: CommandOutput, servers: Sequence[ExecTarget]) -> bool:
            host = _answered(output)
            if host not in (None, *(hosts[server.name] for server in servers)):
                raise PreconditionError(not_ours(servers[0]))
            return host is not None

        ends.reach_all(_once, reached)
        yield RequestLatencyBlock(parameters, ends, hosts, tools, UsageSampler(lab))


def _entry(lab: Lab, parameters: RequestLatencyParameters) -> IngressEntry:
    """How an Ingress is asked: by the name that is asked for, or one of the run's own."""
    given = parameters.ingress_address
    return IngressEntry(
        host=(parameters.host_name or f"pm-{lab.run_label}.{OWN_DOMAIN}").lower(),
        port=parameters.ingress_port,
        class_name=parameters.ingress_class,
        address=None if given is None else str(given),
    )


def _once(to: Destination) -> tuple[str, ...]:
    return curl.argv(
        curl.Options(to.url, 1, timeout_seconds=1.0, first_counts=True, host_name=to.asked_for)
    )


def _answered(output: CommandOutput) -> str | None:
    """The name of who answered one request, None where nobody did."""
    try:
        (request,) = curl.parse(output, curl.Options("", 1, first_counts=True))
    except ToolError:
        return None
    return request.server


def _host_of(lab: Lab, server: ExecTarget, port: int) -> str:
    """The name by which a server answers, asked for inside of its own pod once it listens."""

    def told() -> str | None:
        asked = _once(Destination.at(server.address, port))
        return _answered(lab.execute(server, asked, timeout_seconds=_ASK_SECONDS))

    what = f"{server.name} listens on port {port} of {server.node}"
    return until(lab, what, told, deadline_seconds=_START_SECONDS)


@dataclass(frozen=True, slots=True)
class RequestLatencyBlock:
    """A prepared block. `hosts` are the names by which its servers answer, by their pods' names."""

    parameters: RequestLatencyParameters
    ends: PathEnds
    hosts: Mapping[str, str]
    tools: Toolbox
    usage: UsageSampler

    def placement(self, case: Case) -> Placement:
        """The nodes of both ends; of several servers the first one's."""
        return self.ends.placement(Path(case.text("path")))

    def run_trial(self, trial: PlannedTrial) -> TrialReport:
        """One run of curl, the nodes' memory around it."""
        return run_trial_body(
            self.tools, trial, lambda recorder: self._measure(recorder, trial.case)
        )

    def _measure(self, recorder: Recorder, case: Case) -> None:
        path = Path(case.text("path"))
        client, server, to = (
            self.ends.client(path),
            self.ends.server(path),
            self.ends.destination(path),
        )
        options = curl.Options(
            to.url,
            self.parameters.requests,
            _REQUEST_SECONDS,
            first_counts=self.parameters.first_counts,
            host_name=to.asked_for or self.parameters.host_name,
            body_bytes=self.parameters.body_bytes,
        )
        self.ends.describe(recorder, path)
        roles = {"client": client, "server": server}
        with self.usage.over(recorder, roles, load=False):
            output = recorder.run_tool(
                curl.TOOL,
                client,
                curl.argv(options),
                timeout_seconds=options.made * _REQUEST_SECONDS + _GRACE_SECONDS,
            )
        requests = curl.parse(output, options)
        self._record_who(recorder, path, requests)
        request_times.record(recorder, requests)
        request_times.record_parts(recorder, requests)

    def _record_who(self, recorder: Recorder, path: Path, requests: Sequence[curl.Request]) -> None:
        """Who answered; VoidTrialError where that was not the path's own."""
        to, servers = self.ends.destination(path), self.ends.servers(path)
        for one in requests:
            if one.address != to.address:
                raise VoidTrialError(say("asked_elsewhere", host=to.host, address=one.address))
        answered = [one.server for one in requests]
        if ENDS[path].through_service:
            hosts = {server.name: self.hosts[server.name] for server in servers}
            replicas.record_split(recorder, hosts, answered)
            return
        if set(answered) != {self.hosts[servers[0].name]}:
            raise VoidTrialError(not_ours(servers[0]))
        recorder.facts["answered"] = servers[0].name
