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
from functools import cached_property

from bench.scripted.machine import Machine
from bench.scripted.outputs import printed
from bench.scripted.state import State
from bench.scripted.store import Key, Object, Store
from bench.scripted.tools import BACKENDS, Argv, Tools, tool_of
from podmeter.domain.ports import (
    POD_NAMESPACE,
    Access,
    CommandOutput,
    ExecTarget,
    IngressPolicy,
    Service,
    ServicePort,
)

_LABEL = "podmeter.io/pod"
#: Seconds of a request without policies: what every one takes, and for each byte.
_SECONDS, _SECONDS_A_BYTE = 0.7e-3, 9.5e-9
#: How much longer a new connection takes for each policy, and a reused one.
_A_POLICY, _A_POLICY_REUSED = 4e-4, 2e-5


@dataclass(frozen=True)
class StoredState:
    """A `State` read from the objects of one moment."""

    store: Store

    @cached_property
    def places(self) -> dict[str, ExecTarget]:
        """All pods of the cluster."""
        pods = (place_of(pod) for pod in self.store.all_of("v1", "pods"))
        return {pod.name: pod for pod in pods}

    @cached_property
    def pod_commands(self) -> dict[str, tuple[str, ...]]:
        """Of each pod's only container."""
        return {
            pod["metadata"]["name"]: tuple(pod["spec"]["containers"][0].get("command", ()))
            for pod in self.store.all_of("v1", "pods")
        }

    @cached_property
    def services(self) -> dict[str, Service]:
        """With the ports that their slices have too."""
        found = {}
        for one in self.store.all_of("v1", "services", POD_NAMESPACE):
            name, spec = one["metadata"]["name"], one["spec"]
            led = {port["name"] for port in self._slice(name).get("ports", ())}
            ports = tuple(
                ServicePort(port["name"], port["port"], port.get("nodePort"))
                for port in spec["ports"]
                if port["name"] in led
            )
            found[name] = Service(name, spec["clusterIP"], ports)
        return found

    @cached_property
    def endpoints(self) -> dict[str, tuple[str, ...]]:
        """By their slices."""
        found = {}
        for one in self.services.values():
            slices = self._slice(one.name).get("endpoints", ())
            found[one.cluster_ip] = tuple(ip for each in slices for ip in each["addresses"])
        return found

    @property
    def ingress_addresses(self) -> dict[str, str]:
        """There is no controller."""
        return {}

    @cached_property
    def enforced(self) -> dict[str, IngressPolicy]:
        """All of them."""
        found = {}
        for one in self.store.all_of("networking.k8s.io/v1", "networkpolicies", POD_NAMESPACE):
            name, spec = one["metadata"]["name"], one["spec"]
            (rule,) = spec["ingress"]
            found[name] = IngressPolicy(
                name,
                spec["podSelector"]["matchLabels"][_LABEL],
                rule["from"][0]["podSelector"]["matchLabels"][_LABEL],
                rule["ports"][0]["port"],
            )
        return found

    def _slice(self, service: str) -> Object:
        key = Key("discovery.k8s.io/v1", "endpointslices", POD_NAMESPACE, service)
        return self.store.objects.get(key, {})


def place_of(pod: Object) -> ExecTarget:
    """Where a command in a pod runs."""
    spec, address = pod["spec"], pod["status"].get("podIP", "")
    access = Access.HOST if spec.get("hostNetwork") else Access.POD
    return ExecTarget(pod["metadata"]["name"], address, spec.get("nodeName"), access)


@dataclass(kw_only=True)
class StoreTools(Tools):
    """The tools of a scripted cluster. A command that nothing answers ends with 127, and is
    remembered. A measurement takes `measuring_seconds`, None being what its command asks for.
    """

    store: Store
    machines: dict[str, Machine]
    measuring_seconds: float | None = None
    _read: tuple[int, StoredState] | None = field(default=None, init=False)

    @property
    def state(self) -> State:
        """Read again where anything changed."""
        if self._read is None or self._read[0] != self.store.version:
            self._read = self.store.version, StoredState(self.store)
        return self._read[1]

    @property
    def machine(self) -> Machine:
        """The node that the place is on."""
        return self.machines[self.place.node or ""]

    def backends_here(self) -> Iterable[str]:
        return [BACKENDS[mode] for mode in sorted(self.machine.kernel)]

    def run(self, place: ExecTarget, argv: Argv) -> CommandOutput:
        """What a command prints in a pod; measurements of iperf3 alone take time."""
        self.place = place
        output = self.machine.printed(argv) or self.answer(argv)
        return output if tool_of(argv) == "iperf3" else replace(output, seconds=0.0)

    def _unanswered(self, tool: str, argv: Argv) -> CommandOutput:
        self.machine.unknown.append(tuple(argv))
        return printed(exit_code=127, stderr=f"{argv[0]}: not found\n")

    def _new_cookie(self, name: str) -> str:
        """Of this run alone, so that a stored trial can be found by it."""
        return secrets.token_hex(18)

    def _iperf3(self, argv: Argv) -> CommandOutput:
        seconds = self.measuring_seconds
        if seconds is None:
            seconds = float(argv[argv.index("--time") + 1])
        return replace(super()._iperf3(argv), seconds=seconds)

    def _request_time(self, number: int) -> tuple[int, float]:
        return random.randrange(10), random.uniform(0.9, 1.1)  # noqa: S311

    def _vegeta_times(self, body_bytes: int, reused: bool) -> Callable[[int], int]:
        cost = 1 + len(self.state.enforced) * (_A_POLICY_REUSED if reused else _A_POLICY)
        draw = random.Random()  # noqa: S311
        seconds = (_SECONDS * (0.5 if reused else 1) + _SECONDS_A_BYTE * body_bytes) * cost
        seconds *= draw.gauss(1, 0.004)
        return lambda number: max(1000, round(1e9 * seconds * draw.gauss(1, 0.05)))
