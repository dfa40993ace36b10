"""A cluster in a folder, so that what a killed worker left in it is still there afterwards.

It has modes, objects with the label of their run, and a Lease. Its tools answer with what real
ones printed. `steps` tells each step as it is taken, and may block, raise, or change things.
"""

import fcntl
import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from podmeter.domain.cluster_report import StoodBefore
from podmeter.domain.errors import LabError, PreconditionError, RunCancelledError
from podmeter.domain.fingerprint import CniFacts, Fingerprint, KubeProxyFacts, NodeFacts
from podmeter.domain.messages import Message, say
from podmeter.domain.ports import (
    Access,
    CommandOutput,
    CreatedServices,
    Ingress,
    ModeSwitch,
    Node,
    Place,
    Service,
    ServiceRoom,
)
from podmeter.domain.switching import NodeWatch, Switched
from podmeter.drivers import route
from podmeter_worker.kube.errors import (
    AnotherClusterError,
    ApiUnavailableError,
    ClusterBusyError,
    LeaseLostError,
)
from podmeter_worker.kube.facts.nodes import NodeStanding
from podmeter_worker.kube.lease import Holder
from podmeter_worker.lab.outside_standing import OutsideStanding

FIXTURES = Path(__file__).parents[2] / "core/tests/fixtures"
MODES = {"kube_proxy_mode": "iptables", "encapsulation": "vxlan"}
Steps = Callable[[str], None]
#: The Service that is watched, and for how long connections to it fail on each node.
STANDING, NODE_OUTAGES = "10.96.0.1:443", {"n1": 0.3, "n2": 0.4}


def printed(folder: str, name: str) -> CommandOutput:
    base = FIXTURES / folder / name
    exit_code = json.loads(base.with_suffix(".json").read_text())["exit_code"]
    texts = [base.with_suffix(end).read_text() for end in (".stdout", ".stderr")]
    # It took no time, so none of a trial's time is the tool's own.
    return CommandOutput(texts[0], texts[1], exit_code, 0.0)


@dataclass
class FakeCluster:
    """The cluster itself, seen alike from every process."""

    folder: Path
    uid: str = "real-cluster"

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        if not self._file.exists():
            self._file.write_text(
                json.dumps(
                    {
                        "modes": MODES,
                        "set_up": [],
                        "notes": {},
                        "touched": 0,
                        "objects": {},
                        "lease": None,
                        "away": False,
                        "n": 0,
                    }
                )
            )

    @property
    def _file(self) -> Path:
        return self.folder / f"{self.uid}.json"

    @contextmanager
    def change(self) -> Iterator[dict[str, Any]]:
        with self._file.open("r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            content = json.load(file)
            yield content
            file.seek(0)
            file.truncate()
            json.dump(content, file)

    def now(self) -> dict[str, Any]:
        with self.change() as content:
            return dict(content)

    @property
    def is_clean(self) -> bool:
        state = self.now()
        left = state["objects"] or state["notes"] or state["lease"] is not None
        return state["modes"] == MODES and not left


def nothing(step: str) -> None:
    """Steps that are only taken."""


@dataclass
class FakeLink:
    """Implements runner.ports.ClusterLink on a FakeCluster, which must have the UID `must_be`.

    `leads_to` has the cluster that the registered address leads to at the moment, by that UID.
    """

    leads_to: dict[str, FakeCluster]
    must_be: str
    run_label: str
    stop: threading.Event
    steps: Steps = nothing
    token: int = 0
    guard: Callable[[], None] = lambda: None

    @property
    def holder(self) -> str:
        return str(Holder(self.run_label, self.token))

    @property
    def cluster(self) -> FakeCluster:
        found = self.leads_to[self.must_be]
        if found.uid != self.must_be:
            raise AnotherClusterError(say("another_cluster", uid=found.uid))
        return found

    def _reach(self) -> None:
        if self.cluster.now()["away"]:
            raise ApiUnavailableError("the API server was not reached")

    def problems(self) -> list[str]:
        self._reach()
        self.steps("looking")
        return [] if self.node_standing().taking else [say("no_measuring_node")]

    def outside(self) -> OutsideStanding:
        """There is none unless the cluster's state says how it stands."""
        standing = self.cluster.now().get("outside")
        if standing is None:
            raise PreconditionError(say("no_outside_client"))
        return OutsideStanding(*standing)

    def node_standing(self) -> NodeStanding:
        self._reach()
        tainted = self.cluster.now().get("tainted", ())
        why = say("tainted", taint="node.kubernetes.io/unreachable")
        recovering = tuple(say("on_node", node=name, what=why) for name in tainted)
        return NodeStanding(2 - len(tainted), recovering)

    def fingerprint(self) -> Fingerprint:
        self._reach()
        modes = self.cluster.now()["modes"]
        nodes = tuple(
            NodeFacts(
                name=name,
                kernel="6.12",
                os="Debian 13",
                architecture="amd64",
                cpu_count=2,
                memory_bytes=1,
            )
            for name in ("n1", "n2")
        )
        return Fingerprint(
            cluster_uid=self.cluster.uid,
            kubernetes_version="v1.34.4",
            nodes=nodes,
            shared_host=False,
            cni=CniFacts(name="flannel", encapsulation=modes["encapsulation"]),
            kube_proxy=KubeProxyFacts(mode=modes["kube_proxy_mode"]),
        )

    def why_busy(self) -> Message | None:
        self._reach()
        lease = self.cluster.now()["lease"]
        theirs = Holder.read(lease or "")
        if lease is None or theirs.label == self.run_label:
            return None
        return say("lease_held", holder=theirs.said, since="2026-11-22 00:00:00 UTC")

    def stood_before(self) -> list[StoodBefore]:
        return [StoodBefore.model_validate(one) for one in self.cluster.now()["notes"].values()]

    def hold(self) -> None:
        self._reach()
        self.guard()
        with self.cluster.change() as state:
            theirs = Holder.read(state["lease"] or self.holder)
            if theirs.label != self.run_label:
                raise ClusterBusyError(say("lease_held", holder=theirs.said, since="then"))
            if theirs.token > self.token:
                raise LeaseLostError("a later worker holds the Lease")
            state["lease"] = self.holder

    def prolong(self) -> None:
        self._reach()
        with self.cluster.change() as state:
            if state["lease"] != self.holder:
                raise LeaseLostError(f"{state['lease']} holds the Lease")

    def let_go(self) -> None:
        with suppress(AnotherClusterError), self.cluster.change() as state:
            if state["lease"] == self.holder:
                state["lease"] = None

    def lab(self, write: Any) -> "FakeLab":
        return FakeLab(self, write)

    def unready(self) -> tuple[str, ...]:
        self._reach()
        return tuple(self.cluster.now().get("dead", ()))

    def modes(self, progress: Any, unready: Any = ()) -> "FakeModes":
        self._reach()
        return FakeModes(self, progress)

    def sweep(self, run_label: str, unready: Any = ()) -> None:
        self.steps("sweeping")
        self._reach()
        self.guard()
        with self.cluster.change() as state:
            objects = state["objects"]
            state["objects"] = {name: run for name, run in objects.items() if run != run_label}
        self.steps("swept")

    def run_labels(self) -> set[str]:
        return set(self.cluster.now()["objects"].values())

    @contextmanager
    def changing(self) -> Iterator[dict[str, Any]]:
        """Change it as a real client does: only while that is ours to do."""
        self._reach()
        self.guard()
        with self.cluster.change() as state:
            yield state

    def check(self) -> None:
        if self.stop.is_set():
            raise RunCancelledError("stopped")


@dataclass
class FakeModes:
    """Implements runner.ports.ModeControl; a switch has the steps of a real one.

    What stands already is set up anew in no step that could be stopped at.
    """

    link: FakeLink
    progress: Callable[[str], None]

    def why_not(self, axis: str, value: str) -> str | None:
        return "the kernel has no ip_vs" if value == "ipvs" else None

    def observe(self, axis: str) -> str:
        return str(self.link.cluster.now()["modes"][axis])

    def standing(self, axis: str) -> dict[str, Any]:
        return {"touched": self.link.cluster.now()["touched"]}

    def why_touched(self, axis: str, before: dict[str, Any]) -> str | None:
        return None if before == self.standing(axis) else "its pods were replaced"

    def save(self, axis: str) -> dict[str, Any]:
        return {"value": self.observe(axis)}

    def note(self, axis: str, saved: dict[str, Any]) -> None:
        note = StoodBefore(
            axis=axis,
            component="kube-proxy",
            saved=saved,
            holder=self.link.holder,
            since=datetime.now(UTC),
        )
        with self.link.changing() as state:
            state["notes"].setdefault(axis, note.model_dump(mode="json"))

    def switch(self, axis: str, value: str, added: int = 0) -> Switched:
        with self.link.changing() as state:
            state["set_up"].append(value)
            stands = state["modes"][axis] == value
            state["touched"] += stands
        accepted = dict.fromkeys(("n1", "n2"), time.monotonic())
        if not stands:
            self._change(axis, value)
        return Switched(axis, value, not stands, accepted, time.monotonic())

    @contextmanager
    def watch(self, patience_seconds: float, services: Sequence[str] = ()) -> Iterator["FakeWatch"]:
        with self.link.cluster.change() as state:
            state["watched"] = state.get("watched", 0) + 1
        try:
            yield FakeWatch(self.link, time.monotonic())
        finally:
            with self.link.cluster.change() as state:
                state["watched"] -= 1

    def _change(self, axis: str, value: str) -> None:
        self._step("saved")
        with self.link.changing() as state:
            state["modes"][axis] = f"{value}, half-way"
        self._step("patched")
        self._step("rolling")
        with self.link.changing() as state:
            state["modes"][axis] = value
            state["touched"] += 1
        self.progress("effective")
        self._step("switched")

    def restore(self, axis: str, saved: dict[str, Any]) -> None:
        self.link.steps("restoring")
        with self.link.changing() as state:
            note = state["notes"].pop(axis, None)
            if saved.get("confirmed") and note is None:
                return
            state["modes"][axis] = saved.get("saved", saved)["value"]
        self.link.steps("restored")

    def _step(self, name: str) -> None:
        self.link.steps(name)
        self.link.check()


@dataclass
class FakeWatch:
    """Implements runner.ports.Watch: connections fail for 0.3 s in the middle, on n2 for 0.4 s.

    Nodes in `deaf` of the cluster's state do not tell.
    """

    link: FakeLink
    begun: float

    def finish(self) -> tuple[NodeWatch, ...]:
        deaf = self.link.cluster.now().get("deaf", ())
        return tuple(self._of(node, failed, node in deaf) for node, failed in NODE_OUTAGES.items())

    def _of(self, node: str, failed: float, deaf: bool) -> NodeWatch:
        # As a node whose clock is 1,000 s ahead saw it, a good while after it was asked to begin.
        begin = self.begun + 1000
        accepted = time.monotonic() + 1000
        ended = accepted + failed + 2
        lines = [
            f"begin {begin:.6f}",
            f"asked {ended - 0.001:.6f}",
            f"ended {ended:.6f}",
            "gap 0.020000",
            f"service {STANDING}",
            f"ok {begin:.6f} {accepted + 0.1:.6f} 50",
            f"fail {accepted + 0.11:.6f} {accepted + 0.1 + failed:.6f} 20",
            f"ok {accepted + 0.11 + failed:.6f} {ended:.6f} 50",
            "end\n",
        ]
        return NodeWatch(
            node=node,
            place=f"shell-{node}",
            argv=("perl",),
            services=(STANDING,),
            output=None if deaf else CommandOutput("\n".join(lines), "", 0, 2.0),
            why_unknown="the pod is gone" if deaf else "",
            begun=self.begun,
            asked=ended - 1000 - 0.002,
            answered=ended - 1000 + 0.001,
        )


@dataclass
class FakeLab:
    """Implements domain.ports.Lab for throughput."""

    link: FakeLink
    write: Any
    trials: list[str] = field(default_factory=list)
    seconds: int = 3

    @property
    def run_label(self) -> str:
        return self.link.run_label

    def nodes(self) -> tuple[Node, ...]:
        return tuple(Node(n, f"192.168.0.{n[1]}", "amd64", f"boot-{n}") for n in ("n1", "n2"))

    def start_pods(self, requests: Any) -> tuple[Place, ...]:
        self.check_cancelled()
        with self.link.changing() as state:
            state["objects"] |= {request.name: self.run_label for request in requests}
            state["n"] += 1
        self.link.steps("preparing")
        self.check_cancelled()
        return tuple(Place(one.name, "10.244.0.2", one.node, one.access) for one in requests)

    def remove_pods(self, places: Any) -> None:
        with self.link.cluster.change() as state:
            for place in places:
                state["objects"].pop(place.name, None)

    def node_shells(self) -> tuple[Place, ...]:
        with self.link.cluster.change() as state:
            state["objects"] |= {f"shell-{node.name}": self.run_label for node in self.nodes()}
        return tuple(
            Place(f"shell-{node.name}", node.address, node.name, Access.HOST_ADMIN)
            for node in self.nodes()
        )

    def outside(self) -> Place | None:
        return None

    def switch_mode(self, asked: ModeSwitch) -> tuple[Switched, tuple[NodeWatch, ...]]:
        raise AssertionError(f"throughput switches nothing inside of a block: {asked}")

    def execute(self, place: Place, argv: Any, *, timeout_seconds: float) -> CommandOutput:
        self.check_cancelled()
        self.link._reach()
        if place.name not in self.link.cluster.now()["objects"]:
            raise LabError(f"pod {place.name} is gone")
        if argv[0] == "true":
            return CommandOutput("", "", 0, 0.001)
        if "--version" in argv:
            return printed("iperf3-3.18", "version")
        if "--bytes" in argv:
            return printed("iperf3-3.18", "tcp")
        if argv == route.argv(*argv[-2:]):
            return printed("iproute2-6.15", "route")
        if argv[0] != "iperf3":
            return self._for_seconds("tcp-seen")
        self.link.steps("trial")
        self.check_cancelled()
        if place.name not in self.link.cluster.now()["objects"]:
            raise LabError(f"pod {place.name} was deleted")
        self.seconds = int(argv[argv.index("--time") + 1])
        return self._for_seconds("tcp")

    def _for_seconds(self, name: str) -> CommandOutput:
        """As if it had been asked to last as long as it was; it lasted three."""
        output = printed("iperf3-3.18", name)
        asked = re.sub(r'("duration":\s*)\d+', rf"\g<1>{self.seconds}", output.stdout)
        return replace(output, stdout=asked)

    def execute_all(self, commands: Any, *, timeout_seconds: float) -> tuple[CommandOutput, ...]:
        return tuple(
            self.execute(one.place, one.argv, timeout_seconds=timeout_seconds) for one in commands
        )

    @contextmanager
    def background(self, place: Place, argv: Any) -> Iterator[Any]:
        class Running:
            def finish(self, timeout_seconds: float) -> CommandOutput:
                return printed("proc-6.18", "samples")

        yield Running()

    def create_services(self, batch: Any) -> CreatedServices:
        with self.link.cluster.change() as state:
            state["objects"] |= dict.fromkeys(batch.names, self.run_label)
        made = tuple(Service(name, "10.96.0.9", batch.port) for name in batch.names)
        return CreatedServices(made, 0.1)

    def remove_services(self, names: Any) -> float:
        with self.link.cluster.change() as state:
            for name in names:
                state["objects"].pop(name, None)
        return 0.1

    def create_policies(self, policies: Any) -> float:
        with self.link.cluster.change() as state:
            state["objects"] |= {one.name: self.run_label for one in policies}
        return 0.1

    def remove_policies(self, names: Any) -> float:
        return self.remove_services(names)

    def create_ingress(self, route: Any) -> Ingress:
        with self.link.cluster.change() as state:
            state["objects"][f"ingress/{route.name}"] = self.run_label
        return Ingress(route.name, route.host, "usual", "x/y", route.address or "192.0.2.80")

    def remove_ingress(self, name: str) -> None:
        self.remove_services([f"ingress/{name}"])

    def foreign_policies(self, places: Any) -> tuple[str, ...]:
        return ()

    def service_room(self) -> ServiceRoom:
        return ServiceRoom(7, 0, 0, 60_000, 2_700)

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        self.link.stop.wait(min(seconds, 0.01))
        self.check_cancelled()

    def check_cancelled(self) -> None:
        self.link.check()

    def log(self, level: Any, message: str) -> None:
        self.write(level, message)


@contextmanager
def link_to(
    clusters: dict[str, FakeCluster], handle: Any, steps: Steps = nothing
) -> Iterator[FakeLink]:
    """A link to the cluster that a handle means."""
    uid = handle.identity.cluster_uid
    if uid not in clusters:
        raise PreconditionError("the registered kubeconfig cannot be used")
    yield FakeLink(clusters, uid, handle.run_label, handle.stop, steps, handle.token, handle.guard)


__all__ = ["MODES", "Access", "FakeCluster", "FakeLink", "link_to", "nothing", "printed"]
