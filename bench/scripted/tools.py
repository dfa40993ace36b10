"""What each command answers in the pods and on the nodes of a fake cluster.

One answer serves all tests: those of kinds and of the runner ask through the `Lab` port
(`lab.py`), browsers, the command line and the benchmarks through the Kubernetes API (`exec.py`).
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from threading import local
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from core.tests.captures import captured, version_folder

from bench.scripted import outputs
from bench.scripted.commands import Argv, connections, tool_of
from bench.scripted.outputs import printed
from podmeter.domain.ports import (
    Access,
    CommandOutput,
    ExecTarget,
    IngressPolicy,
    IngressRoute,
    Service,
    ServicePort,
)
from podmeter.drivers import program

#: kube-proxy's mode -> what the probe for rules calls the backend that has them.
BACKENDS = {"iptables": "iptables-nft", "nftables": "nftables", "ipvs": "ipvs"}
#: Where an Ingress's controller is asked, unless the Ingress names another address.
CONTROLLER = "192.0.2.80"
#: Rules of every node, Services or not, and those of a Service's port with one endpoint.
_RULES_ANYWAY, _RULES_A_PORT = 40, 4
#: What changes a backend's rules -> where its output was captured.
_CHANGERS = {
    "iptables-nft": "iptables-nft-1.8.11",
    "iptables-legacy": "iptables-legacy-1.8.11",
    "nft": "nft-1.1.3",
    "ipvsadm": "ipvsadm-1.31",
}
_NEXT = "::next::"
_BODY = re.compile(r'return 200 "(x*)"')


class HeldPort(NamedTuple):
    """A Service's port that a kernel holds."""

    service: Service
    port: ServicePort


@dataclass
class Tools(ABC):
    """Answers commands by what the cluster holds: each by the method of its name.

    Of a tool `x` that is `_x`, of a command `a-b` of `podmeter-measure` `_a_b`. Versions are the
    newest that was captured. `accepted` counts the connections that measured servers accepted,
    `capacity` is how many requests a path takes in a second, `names_policies` is whether rules name
    the policies that they are of.
    """

    #: The measuring pods and what they run, by name.
    places: dict[str, ExecTarget] = field(default_factory=dict)
    pod_commands: dict[str, tuple[str, ...]] = field(default_factory=dict)
    #: The run's Services by name, and the addresses that they lead to by their cluster IP.
    services: dict[str, Service] = field(default_factory=dict)
    endpoints: dict[str, tuple[str, ...]] = field(default_factory=dict)
    ingresses: dict[str, IngressRoute] = field(default_factory=dict)
    #: The NetworkPolicies that the kernels enforce, by name.
    enforced: dict[str, IngressPolicy] = field(default_factory=dict)
    accepted: int = 0
    capacity: int = 8000
    names_policies: bool = True
    proxy_restarts: int = 0
    #: The runner asks from several threads at a time.
    _thread: local = field(default_factory=local, init=False)
    _turns: int = field(default=0, init=False)
    _syncs: int = field(default=0, init=False)
    _in_sets: Sequence[HeldPort] = field(default=(), init=False)
    #: What runs of iperf3 were, by cookie, until their server is asked.
    _iperf3_runs: dict[str, tuple[str, int]] = field(default_factory=dict, init=False)

    @property
    def place(self) -> ExecTarget:
        """Where the command runs that this thread has asked."""
        place: ExecTarget = self._thread.place
        return place

    @place.setter
    def place(self, place: ExecTarget) -> None:
        self._thread.place = place

    @abstractmethod
    def backends_here(self) -> Iterable[str]:
        """The backends that hold kube-proxy's rules in the kernel of the place."""

    def answer(self, argv: Argv) -> CommandOutput:
        """What a command prints at `place`."""
        tool = tool_of(argv)
        self.accepted += connections(tool, argv)
        method: Callable[[Argv], CommandOutput] | None = getattr(self, f"_{tool}", None)
        if method is None:
            return self._unanswered(tool, argv)
        return self._prepared(tool) or method(argv)

    def _prepared(self, tool: str) -> CommandOutput | None:
        """What a test wants the tool to answer instead."""
        return None

    def _unanswered(self, tool: str, argv: Argv) -> CommandOutput:
        raise AssertionError(
            f"no answer to {' '.join(argv)}: "
            f"add a method _{tool} to Tools (bench/scripted/tools.py)"
        )

    # The program and its surroundings

    def _version(self, argv: Argv) -> CommandOutput:
        folder = version_folder(tuple(argv))
        return captured(folder, "version") if folder else printed("iptables v1.8.11 (nf_tables)\n")

    def _program_version(self, argv: Argv) -> CommandOutput:
        return printed(f"{program.NAME} {program.INTERFACE}\n")

    def _silent(self, argv: Argv) -> CommandOutput:
        return printed()

    _true = _once = _can_serve = _revive = _silent

    def _bundle(self, argv: Argv) -> CommandOutput:
        commands = [
            list(group) for ends, group in groupby(argv[2:], lambda word: word == _NEXT) if not ends
        ]
        return outputs.bundle(self.answer(command) for command in commands)

    def _room(self, argv: Argv) -> CommandOutput:
        return outputs.room()

    def _counters(self, argv: Argv) -> CommandOutput:
        return outputs.counters(self.accepted)

    def _sampler(self, argv: Argv) -> CommandOutput:
        return captured("proc-6.18", "samples")

    def _watch(self, argv: Argv) -> CommandOutput:
        return captured("proc-6.18", "datagrams")

    def _forget(self, argv: Argv) -> CommandOutput:
        return printed(captured("conntrack-1.4.8", "forgotten").stdout)

    def _kube_proxy(self, argv: Argv) -> CommandOutput:
        """Its metrics; it has synced once more since the last look at them."""
        self._syncs += 1
        return outputs.kube_proxy_metrics(self._syncs, restarts=self.proxy_restarts)

    def _route(self, argv: Argv) -> CommandOutput:
        """As a pod sees it, or a node whose pods are behind VXLAN."""
        return captured("iproute2-6.15", "vxlan" if argv[-1] else "route")

    # iperf3

    def _reach(self, argv: Argv) -> CommandOutput:
        return captured(outputs.IPERF3, "tcp")

    def _iperf3(self, argv: Argv) -> CommandOutput:
        many = argv[argv.index("--parallel") + 1] == "8"
        name = ("udp" if "--udp" in argv else "tcp") + ("-8-streams" if many else "")
        seconds = int(argv[argv.index("--time") + 1])
        cookie = self._new_cookie(name)
        self._iperf3_runs[cookie] = name, seconds
        return self._iperf3_end(name, seconds, cookie)

    def _seen(self, argv: Argv) -> CommandOutput:
        cookie = argv[-3]
        if cookie in self._iperf3_runs:
            name, seconds = self._iperf3_runs.pop(cookie)
            return self._iperf3_end(f"{name}-seen", seconds, cookie)
        captured_run = outputs.iperf3_seen().get(cookie, "not")
        return captured(outputs.IPERF3, f"{captured_run}-seen")

    def _new_cookie(self, name: str) -> str:
        """The captured run's own."""
        return outputs.iperf3_cookie(captured(outputs.IPERF3, name))

    def _iperf3_end(self, name: str, seconds: int, cookie: str) -> CommandOutput:
        """What an end of a run prints."""
        return outputs.iperf3_run(name, seconds, cookie)

    # Who answers

    def _servers_at(self, address: str) -> list[ExecTarget]:
        """The pods that answer at an address, a pod's or a Service's."""
        places = list(self.places.values())
        behind = self.endpoints.get(address, (address,))
        found = [one for one in places if one.address in behind]
        # On the node's network several have one address.
        return [one for one in found if "-server" in one.name] or found

    def _service_at(self, host: str, port: int) -> Service | None:
        """The Service that is asked at a name or address; None where a pod is asked itself."""
        for route in self.ingresses.values():
            if host == (route.address or CONTROLLER):
                return self.services[route.service]
        for one in self.services.values():
            node_ports = [each.node_port for each in one.ports]
            if host in (one.name, one.cluster_ip, one.load_balancer) or port in node_ports:
                return one
        return None

    def _serves(self, address: str, turn: int = 0) -> str:
        """The host name of who answers at an address, by turns where a Service has several."""
        servers = self._servers_at(address)
        return host_name(servers[turn % len(servers)])

    def _identity(self, argv: Argv) -> CommandOutput:
        return printed(f"{host_name(self.place)}\n")

    # qperf

    def _conf(self, argv: Argv) -> CommandOutput:
        whole = captured("qperf-0.4.11", "conf").stdout
        text = whole[: whole.index("conf:", 1)]
        answers = [
            text.replace("rem_node   =  vm", f"rem_node   =  {self._serves(argv[1], turn)}")
            for turn in range(self._turns, self._turns + argv.count("conf"))
        ]
        self._turns += len(answers)
        return printed("".join(answers))

    def _qperf(self, argv: Argv) -> CommandOutput:
        output = captured("qperf-0.4.11", argv[-2])
        host = f"rem_node   =  {self._serves(argv[1])}"
        return replace(output, stdout=output.stdout.replace("rem_node   =  vm", host))

    # Requests

    def _ab(self, argv: Argv) -> CommandOutput:
        return captured("ab-2.3", "keepalive" if "-k" in argv else "plain")

    def _curl(self, argv: Argv) -> CommandOutput:
        """As many requests as are asked for, each answered by the next of those who may."""
        host, port = _asked_at(argv[-1])
        by_name = re.fullmatch(r"[0-9.]+", host) is None
        runs = []
        for number in range(int(argv[3])):
            answer = self._answered_by(host, port)
            if answer is None:
                return captured(outputs.CURL, "resolve-failure" if by_name else "refused")
            which, slowness = self._request_time(number)
            runs.append(outputs.curl_run(by_name, which, slowness, answer))
        return printed("".join(runs) + "end\n")

    def _request_time(self, number: int) -> tuple[int, float]:
        """Which of ten captured requests a request is like, and how much slower."""
        return number % 10, 1.0

    def _answered_by(self, host: str, port: int) -> dict[str, Any] | None:
        """What a request's answer says of the server; a Service's replicas take turns."""
        service = self._service_at(host, port)
        address = host if service is None else service.cluster_ip
        servers = self._servers_at(address)
        if not servers:
            return None
        server = self._serves(address, self._turns)
        self._turns += 1
        body = _BODY.search(" ".join(self.pod_commands[servers[0].name]))
        named = service is not None and host == service.name
        return {
            "address": address if named else host,
            "server": server,
            "size": len(body[1]) if body else 0,
        }

    def _until_answered(self, argv: Argv) -> CommandOutput:
        host, port = _asked_at(argv[2])
        service = self._service_at(host, port)
        servers = self._servers_at(host if service is None else service.cluster_ip)
        return printed("3 62000 end\n") if servers else printed(exit_code=1)

    def _until_silent(self, argv: Argv) -> CommandOutput:
        """Its 62 ms are over by then; the last answer was another 20 ms before."""
        return printed("2 10000 30000 end\n", seconds=0.062)

    def _vegeta(self, argv: Argv) -> CommandOutput:
        """As many as asked for, or as many as the path takes; without a rate the most."""
        options = dict(word.removeprefix("-").split("=") for word in argv[3:])
        rate = int(options["rate"].removesuffix("/1s"))
        reached = min(rate or self.capacity, self.capacity)
        seconds = int(options["duration"].removesuffix("ns")) / 1e9
        requests = round(seconds * reached + 0.5)
        reused, size = options["keepalive"] == "true", int(argv[2].rpartition("/")[2])
        self.accepted += 2 if reused else requests
        return outputs.vegeta(requests, reached, size, self._vegeta_times(size, reused))

    def _vegeta_times(self, body_bytes: int, reused: bool) -> Callable[[int], int]:
        """The nanoseconds of each request, by its number, over new or reused connections."""
        return outputs.steady

    # NetworkPolicies

    def _asked(self, argv: Argv) -> CommandOutput:
        """Who asks is let in where no policy is enforced, or one is for it and the port."""
        ports = [_asked_at(url)[1] for url in argv[3:]]
        open_ = {one.port for one in self.enforced.values() if one.client == self.place.name}
        let_in = [not self.enforced or port in open_ for port in ports]
        self.accepted += sum(let_in)
        return printed("".join(f"{0 if one else 7} " for one in let_in) + "end\n")

    def _policies(self, argv: Argv) -> CommandOutput:
        prefix, matching = argv[2:]
        names = sorted(one for one in self.enforced if one.startswith(prefix))
        names = names if self.names_policies else []
        position = names.index(matching) + 1 if matching in names else 0
        return printed(f"{len(names)} {position} end\n")

    # kube-proxy's rules

    def _ports(self) -> list[HeldPort]:
        services = self.services.values()
        return [HeldPort(service, port) for service in services for port in service.ports]

    def _held(self) -> Sequence[HeldPort]:
        """The Service ports that the kernel holds, in its order."""
        return self._ports()

    def _probe(self, argv: Argv) -> CommandOutput:
        return printed("".join(f"{one}\n" for one in self.backends_here()) + "end\n")

    def _chain(self, argv: Argv) -> CommandOutput:
        chain, prefix = argv[3:]
        inside = chain == "KUBE-SERVICES"
        names = [
            (service.name, port.name)
            for service, port in self._held()
            if inside or port.node_port is not None
        ]
        return outputs.chain(chain, names, prefix)

    def _count(self, argv: Argv) -> CommandOutput:
        rules = _RULES_ANYWAY + _RULES_A_PORT * len(self._ports())
        return printed(f"{rules} end\n" if argv[1] == "nft-count" else f"{rules} {rules} end\n")

    def _map(self, argv: Argv) -> CommandOutput:
        held = self._held()
        return printed(f"{len(held) + 1} {len(held)} end\n")

    def _servers(self, argv: Argv) -> CommandOutput:
        held = self._held()
        lines = [f"-t {service.cluster_ip}:{port.number}" for service, port in held]
        listed = ["-t 10.96.0.1:443", *lines, f"end {len(lines) + 2}"]
        if "KUBE-CLUSTER-IP" in argv:
            # kube-proxy fills one set after the other, a look later each.
            slow, self._in_sets = self._in_sets, held
            entries = [
                f"{one.cluster_ip},tcp:{port.number}" for one, port in slow if (one, port) in held
            ]
            ips = dict.fromkeys(one.cluster_ip for one, _ in held)
            listed += ["set KUBE-CLUSTER-IP", "10.96.0.1,tcp:443", *entries]
            listed += ["set KUBE-IPVS-IPS", "10.96.0.1", *ips, "end sets"]
        return printed("\n".join([*listed, ""]))

    def _change(self, argv: Argv) -> CommandOutput:
        """One rule added and deleted, by the backend's own program."""
        return captured(next(_CHANGERS[word] for word in argv if word in _CHANGERS), "change")


def host_name(place: ExecTarget) -> str:
    """A pod's host name is its own, one on the node's network has the node's."""
    return place.name if place.access is Access.POD else f"host-{place.node}"


def _asked_at(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or 80
