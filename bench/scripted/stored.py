"""What commands answer in a scripted cluster: by the objects that its API server holds.

Its kernels follow at once: a rung is reached as soon as the API server has it. Requests take as
long as in the article that the kind for NetworkPolicies is from: longer for larger answers, and
for each policy. As kube-router's, the rules name policies.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from bench.scripted.commands import Argv, tool_of
from bench.scripted.machine import Machine
from bench.scripted.outputs import printed
from bench.scripted.store import Key, Object, Store
from bench.scripted.tools import BACKENDS, Tools
from podmeter.domain.ports import (
    POD_NAMESPACE,
    Access,
    CommandOutput,
    ExecTarget,
    IngressPolicy,
    Service,
    ServicePort,
)

#: Seconds of a request without policies: what every one takes, and for each byte.
_SECONDS, _SECONDS_A_BYTE = 0.7e-3, 9.5e-9
#: How much longer a new connection takes for each policy, and a reused one.
_A_POLICY, _A_POLICY_REUSED = 4e-4, 2e-5


def place_of(pod: Object) -> ExecTarget:
    """Where a command in a pod runs."""
    spec, address = pod["spec"], pod["status"].get("podIP", "")
    access = Access.HOST if spec.get("hostNetwork") else Access.POD
    return ExecTarget(pod["metadata"]["name"], address, spec.get("nodeName"), access)


def _policy_of(policy: Object) -> IngressPolicy:
    spec = policy["spec"]
    (rule,) = spec["ingress"]
    selectors = (spec["podSelector"], rule["from"][0]["podSelector"])
    server, client = (one["matchLabels"]["podmeter.io/pod"] for one in selectors)
    return IngressPolicy(policy["metadata"]["name"], server, client, rule["ports"][0]["port"])


@dataclass(kw_only=True)
class StoreTools(Tools):
    """The tools of a scripted cluster. A command that nothing answers ends with 127, and is
    remembered. A measurement takes `measuring_seconds`, None being what its command asks for.
    """

    store: Store
    machines: dict[str, Machine]
    measuring_seconds: float | None = None
    _read_version: int = field(default=-1, init=False)

    @property
    def machine(self) -> Machine:
        """The node that the place is on."""
        return self.machines[self.place.node or ""]

    def backends_here(self) -> Iterable[str]:
        return [BACKENDS[mode] for mode in sorted(self.machine.kernel)]

    def run(self, place: ExecTarget, argv: Argv) -> CommandOutput:
        """What a command prints in a pod; measurements of iperf3 alone take time."""
        self.place = place
        if self._read_version != self.store.version:
            self._read()
        output = self.machine.printed(argv) or self.answer(argv)
        return output if tool_of(argv) == "iperf3" else replace(output, seconds=0.0)

    def _read(self) -> None:
        """Read what the API server holds."""
        self._read_version = self.store.version
        pods = {pod["metadata"]["name"]: pod for pod in self.store.all_of("v1", "pods")}
        self.places = {name: place_of(pod) for name, pod in pods.items()}
        self.pod_commands = {
            name: tuple(pod["spec"]["containers"][0].get("command", ()))
            for name, pod in pods.items()
        }
        self.services, self.endpoints = {}, {}
        for one in self.store.all_of("v1", "services", POD_NAMESPACE):
            self._read_service(one["metadata"]["name"], one["spec"])
        policies = self.store.all_of("networking.k8s.io/v1", "networkpolicies", POD_NAMESPACE)
        self.enforced = {one["metadata"]["name"]: _policy_of(one) for one in policies}

    def _read_service(self, name: str, spec: Object) -> None:
        """Its ports are those that its slice has too."""
        key = Key("discovery.k8s.io/v1", "endpointslices", POD_NAMESPACE, name)
        slice_ = self.store.objects.get(key, {"ports": (), "endpoints": ()})
        led = {port["name"] for port in slice_["ports"]}
        ports = tuple(
            ServicePort(port["name"], port["port"], port.get("nodePort"))
            for port in spec["ports"]
            if port["name"] in led
        )
        self.services[name] = Service(name, spec["clusterIP"], ports)
        addresses = (address for one in slice_["endpoints"] for address in one["addresses"])
        self.endpoints[spec["clusterIP"]] = tuple(addresses)

    def _unanswered(self, tool: str, argv: Argv) -> CommandOutput:
        self.machine.unknown.append(tuple(argv))
        return printed(exit_code=127, stderr=f"{argv[0]}: not found\n")

    def _new_cookie(self, name: str) -> str:
        """Of this run alone, so that a stored trial can be found by it."""
        return secrets.token_hex(18)

    def _iperf3(self, argv: Argv) -> CommandOutput:
        asked, seconds = float(argv[argv.index("--time") + 1]), self.measuring_seconds
        return replace(super()._iperf3(argv), seconds=asked if seconds is None else seconds)

    def _request_time(self, number: int) -> tuple[int, float]:
        return random.randrange(10), random.uniform(0.9, 1.1)  # noqa: S311

    def _vegeta_times(self, body_bytes: int, reused: bool) -> Callable[[int], int]:
        cost = 1 + len(self.enforced) * (_A_POLICY_REUSED if reused else _A_POLICY)
        draw = random.Random()  # noqa: S311
        seconds = (_SECONDS * (0.5 if reused else 1) + _SECONDS_A_BYTE * body_bytes) * cost
        seconds *= draw.gauss(1, 0.004)
        return lambda number: max(1000, round(1e9 * seconds * draw.gauss(1, 0.05)))
