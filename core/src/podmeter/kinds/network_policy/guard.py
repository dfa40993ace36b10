"""Seeing that a trial measured what it claims: policies enforced, nothing dropped, nobody moved."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from podmeter.domain.errors import VoidTrialError
from podmeter.domain.messages import say
from podmeter.domain.ports import Command
from podmeter.drivers import bundle, conntrack, proc
from podmeter.kinds import drops
from podmeter.kinds.network_policy.ends import PORT

if TYPE_CHECKING:
    from podmeter.domain.messages import Message
    from podmeter.domain.ports import Lab
    from podmeter.drivers.netfilter.policies import PolicyRules
    from podmeter.kinds.network_policy.ends import PolicyEnds
    from podmeter.kinds.network_policy.ladder import PolicyLadder

_READ_SECONDS = 120.0
#: Of connections that are kept so many at most are opened, or so large a share.
_FEW, _FEW_SHARE = 20, 0.01
#: A state read this long ago, or earlier, is read again before the next trial.
_FRESH_SECONDS = 1.0
#: Connections of the looks themselves.
_OF_LOOKS = 4


@dataclass(frozen=True, slots=True)
class RuleSnapshot:
    """What stood at one moment: the rules, where they can be read, and counters of each place.

    `at` is on the Lab's clock, `moves` how often the ladder had moved by then.
    """

    rules: PolicyRules | None
    counters: dict[str, proc.Counters]
    at: float
    moves: int


@dataclass(slots=True)
class Guard:
    """Looks at the places that requests pass, before a trial and after it.

    What is seen after a trial is what stood before one that follows at once on the same rung.
    """

    lab: Lab
    ends: PolicyEnds
    ladder: PolicyLadder
    path: str
    _last: RuleSnapshot | None = field(default=None, init=False)

    def before(self) -> RuleSnapshot:
        """The state before a trial. Raises VoidTrialError if it is not what is enforced."""
        last, now = self._last, self.lab.monotonic()
        if last and last.moves == self.ladder.moves and now - last.at < _FRESH_SECONDS:
            return last
        return self._look()

    def after(self) -> RuleSnapshot:
        """The state after a trial; the nodes' connection tracking is drained where possible."""
        self._last = None
        self._last = self._look(forget=True)
        return self._last

    def _look(self, *, forget: bool = False) -> RuleSnapshot:
        if not self.ladder.holds(self.ends.reached(self.path)):
            raise VoidTrialError(say("policies_let_go", policies=self.ladder.height))
        address = self.ends.server.address
        argvs = [conntrack.forget_argv(address, PORT)] if forget else []
        argvs.append(proc.COUNTERS_ARGV)
        outputs = self.lab.execute_all(
            [
                Command(self.ends.server, proc.COUNTERS_ARGV),
                *(Command(place, bundle.argv(argvs)) for place in self.ends.hosts),
            ],
            timeout_seconds=_READ_SECONDS,
        )
        counters = {self.ends.server.name: proc.parse_counters(outputs[0])}
        for place, whole in zip(self.ends.hosts, outputs[1:], strict=True):
            said = list(bundle.parse(whole, len(argvs)))
            if forget:
                conntrack.parse_forgotten(said.pop(0))
            counters[place.name] = proc.parse_counters(said[0])
        rules = self.ladder.rules() if self.ladder.readable else None
        return RuleSnapshot(rules, counters, self.lab.monotonic(), self.ladder.moves)

    def room_for(self, look: RuleSnapshot, connections: int) -> None:
        """Raise ToolError where the trial's connections would fill a node's conntrack table."""
        drops.check_room(look.counters, self.ends.hosts, connections)

    def blind_spots(self, look: RuleSnapshot) -> list[Message]:
        """What would go unnoticed, since a place does not show it."""
        return drops.blind_spots(look.counters, self.ends.server)

    def unchanged(
        self, before: RuleSnapshot, after: RuleSnapshot, requests: int, *, kept: bool
    ) -> None:
        """Raise VoidTrialError if packets were dropped, the policy that matches has another place,
        or the server accepted other connections than the trial's: one for each request, or few.
        """
        if before.rules != after.rules:
            raise VoidTrialError(say("policy_moved", was=str(before.rules), now=str(after.rules)))
        drops.check(before.counters, after.counters, self.ends.server)
        earlier, later = (look.counters[self.ends.server.name].accepted for look in (before, after))
        opened = later - earlier
        few = max(_FEW, int(_FEW_SHARE * requests)) + _OF_LOOKS
        least, most = (1, few) if kept else (requests, requests + _OF_LOOKS)
        if not least <= opened <= most:
            raise VoidTrialError(say("connections_unlike", opened=opened, least=least, most=most))
