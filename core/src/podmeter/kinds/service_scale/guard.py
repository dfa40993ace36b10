"""Seeing that a trial measured what it claims: the Service stayed in place, nothing was dropped."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from podmeter.domain.errors import VoidTrialError
from podmeter.domain.messages import say
from podmeter.domain.ports import Command
from podmeter.drivers import bundle, conntrack, proc
from podmeter.drivers.netfilter import iptables
from podmeter.kinds import drops
from podmeter.kinds.service_scale.axes import Target
from podmeter.kinds.service_scale.kernel import reading_seconds
from podmeter.kinds.service_scale.ladder import BACKEND_PORT

if TYPE_CHECKING:
    from podmeter.domain.messages import Message
    from podmeter.domain.ports import ExecTarget, Lab
    from podmeter.drivers.netfilter.iptables import ChainState, Position
    from podmeter.kinds.service_scale.kernel import Kernel
    from podmeter.kinds.service_scale.ladder import Ladder
    from podmeter.kinds.service_scale.layout import LadderPort

#: A state read this long ago, or earlier, is read again before the next trial.
_FRESH_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class RuleSnapshot:
    """What stood at one moment: the client node's chain, and the drop counters of each place.

    `at` is on the Lab's clock, `moves` how often the ladder had moved by then.
    """

    chain: ChainState | None
    counters: dict[str, proc.Counters]
    at: float
    moves: int


@dataclass(frozen=True, slots=True)
class TrialTarget:
    """What a trial asks: a Service port, with its position where it has one, or the backend.

    `address` and `port` are what the client's packets are sent to.
    """

    name: str
    address: str
    port: int
    of_service: bool = False
    position: Position | None = None

    @property
    def url(self) -> str:
        """What the client is given."""
        return f"http://{self.address}:{self.port}/"


@dataclass(slots=True)
class Guard:
    """Looks at the places a request passes, before a trial and after it.

    What is seen after a trial is what stood before one that follows at once on the same rung:
    whatever changes in between is found after that one as well, and makes it void.
    `entry` and `backend_host` are host pods on the client's and the backend's node, `backend` is
    the answering pod.
    """

    lab: Lab
    kernel: Kernel
    ladder: Ladder
    entry: ExecTarget
    backend_host: ExecTarget
    backend: ExecTarget
    _last: RuleSnapshot | None = field(default=None, init=False)

    def before(self) -> RuleSnapshot:
        """The state before a trial."""
        last, now = self._last, self.lab.monotonic()
        if last and last.moves == self.ladder.moves and now - last.at < _FRESH_SECONDS:
            return last
        return self._look()

    def after(self, asked: TrialTarget) -> RuleSnapshot:
        """The state after a trial; both nodes' connection tracking is drained."""
        self._last = None
        self._last = self._look(forget=asked)
        return self._last

    def _look(self, forget: TrialTarget | None = None) -> RuleSnapshot:
        """Read everything at once, in each place after it has forgotten what it is to forget."""
        bundles: list[tuple[ExecTarget, int, list[tuple[str, ...]]]] = []
        # One place is both where the client is outside and the cluster has one node.
        for place in dict.fromkeys((self.entry, self.backend_host)):
            argvs: list[tuple[str, ...]] = []
            if forget is not None and place == self.entry:
                argvs.append(conntrack.forget_argv(forget.address, forget.port))
            if forget is not None and place == self.backend_host:
                argvs.append(conntrack.forget_argv(self.backend.address, BACKEND_PORT))
            forgets = len(argvs)
            argvs.append(proc.COUNTERS_ARGV)
            if self.kernel.has_positions and place == self.entry:
                argvs.append(self.kernel.chain_argv(self.ladder.type, self.ladder.own_names))
            bundles.append((place, forgets, argvs))
        moves = self.ladder.moves
        *outputs, of_backend = self.lab.execute_all(
            [
                *(Command(place, bundle.argv(argvs)) for place, _, argvs in bundles),
                Command(self.backend, proc.COUNTERS_ARGV),
            ],
            timeout_seconds=reading_seconds(self.ladder.height),
        )
        counters = {self.backend.name: proc.parse_counters(of_backend)}
        chain = None
        for (place, forgets, argvs), whole in zip(bundles, outputs, strict=True):
            said = bundle.parse(whole, len(argvs))
            for forgotten in said[:forgets]:
                conntrack.parse_forgotten(forgotten)
            counters[place.name] = proc.parse_counters(said[forgets])
            if len(said) > forgets + 1:
                chain = iptables.parse_chain(said[-1])
        return RuleSnapshot(chain, counters, self.lab.monotonic(), moves)

    def target(self, look: RuleSnapshot, which: Target) -> TrialTarget:
        """The first or the last Service port, or the backend itself.

        Raises VoidTrialError while the chain does not hold exactly the rung's Service ports.
        """
        if which is Target.POD:
            return TrialTarget(self.backend.name, self.backend.address, BACKEND_PORT)
        port, position = self._service_port(look, which)
        address, number = self.ladder.destination(port)
        return TrialTarget(port.service.name, address, number, of_service=True, position=position)

    def _service_port(
        self, look: RuleSnapshot, which: Target
    ) -> tuple[LadderPort, Position | None]:
        if look.chain is None:
            return self.ladder.first if which is Target.FIRST else self.ladder.last, None
        ports = self.ladder.own_ports
        position = look.chain.first if which is Target.FIRST else look.chain.last
        found = [
            one
            for one in ports
            if position is not None
            and (one.service.name, one.port.name) == (position.service, position.port)
        ]
        if position is None or not found or look.chain.service_ports != len(ports):
            held = look.chain.service_ports
            raise VoidTrialError(say("chain_services", held=held, expected=len(ports)))
        return found[0], position

    def room_for(self, look: RuleSnapshot, connections: int) -> None:
        """Raise ToolError where the trial's connections would fill a node's conntrack table."""
        drops.check_room(look.counters, (self.entry, self.backend_host), connections)

    def blind_spots(self, look: RuleSnapshot) -> list[Message]:
        """What would go unnoticed, since a place does not show it."""
        return drops.blind_spots(look.counters, self.backend)

    def unchanged(
        self, before: RuleSnapshot, after: RuleSnapshot, which: Target, connections: int
    ) -> None:
        """Raise VoidTrialError if the Service port moved in its chain or a drop counter did.

        And if the backend accepted fewer than the trial's `connections`: something else has
        answered in its place, such as another server on a node port.
        """
        if which is not Target.POD and before.chain is not None and after.chain is not None:
            was, now = (
                look.chain.first if which is Target.FIRST else look.chain.last
                for look in (before, after)
                if look.chain is not None
            )
            if was != now:
                raise VoidTrialError(say("service_moved", which=which, was=str(was), now=str(now)))
        drops.check(before.counters, after.counters, self.backend)
        earlier, later = (look.counters[self.backend.name].accepted for look in (before, after))
        if later - earlier < connections:
            raise VoidTrialError(
                say("backend_not_asked", found=later - earlier, connections=connections)
            )
