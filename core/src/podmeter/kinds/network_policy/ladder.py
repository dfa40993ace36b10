"""The policies of a block: creating only the difference, and waiting until they are enforced."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.errors import ConvergenceError, PreconditionError, ToolError
from podmeter.domain.messages import say
from podmeter.domain.ports import IngressPolicy
from podmeter.kinds.convergence import Convergence
from podmeter.kinds.network_policy.ends import PORT, Reached, port_of
from podmeter.kinds.waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable

    from podmeter.domain.ports import Lab
    from podmeter.drivers.netfilter.policies import PolicyRules
    from podmeter.kinds.network_policy.ends import PolicyEnds

_POLL_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class LadderAscent:
    """One way up: policies created, seconds the API took, and until all were enforced."""

    created: int
    create_seconds: float
    convergence: Convergence


class PolicyLadder:
    """The run's policies, all of one server: one lets its client in, the others do not match.

    Those are like it but for their port, so that anyone who enforces them has as much to look at
    for each. The last of a rung is created when all others are, and its port answered for: a client
    that gets through there has met the whole rung.
    """

    def __init__(self, lab: Lab, ends: PolicyEnds, path: str, deadline_seconds: float) -> None:
        self._lab, self._ends, self._path = lab, ends, path
        self._deadline = deadline_seconds
        self._prefix = f"pm-{lab.run_label}-policy-"
        self._standing: list[IngressPolicy] = []
        self._attempted: dict[str, None] = {}
        #: Whether the policies were seen to be enforced; not after a failed wait.
        self._settled = False
        #: Whether the rules of the server's node name the run's policies.
        self._readable = False
        #: How often policies were created or removed.
        self.moves = 0

    @property
    def height(self) -> int:
        """How many policies stand that do not match."""
        return max(len(self._standing) - 1, 0)

    def prove(self) -> None:
        """See that the cluster enforces policies, and lets go of them.

        Raises PreconditionError where it does not: nothing it would measure is of policies.
        """
        ends = self._ends
        if foreign := self._lab.foreign_policies((ends.client, ends.stranger, ends.server)):
            raise PreconditionError(say("policies_of_others", policies=foreign))
        self._hold(_all_in)
        self._create([self._matching])
        try:
            self._hold(_enforced)
        except ConvergenceError as error:
            now = self._reached()
            if now.stranger is not False:
                why = say("policies_not_enforced", seconds=self._deadline)
            else:
                why = say("policies_too_strict", seconds=self._deadline)
            raise PreconditionError(why) from error
        self._readable = self._named()
        self._remove(self._standing)
        self._hold(_all_in)

    def reach(self, height: int) -> LadderAscent | None:
        """Stand on a rung; None if the way was not up. Raises ConvergenceError, LabError."""
        wanted = [self._matching, *map(self._other, range(1, height + 1))] if height else []
        surplus = [one for one in self._standing if one not in wanted]
        gone = tuple(one.port for one in surplus[-1:] if one.port != PORT)
        if surplus:
            self._remove(surplus)
        if not self._settled:
            self._hold(_enforced if self._standing else _all_in, gone)
        missing = wanted[len(self._standing) :]
        if not missing:
            return None
        begun = self._lab.monotonic()
        create_seconds = sum(self._create(some) for some in (missing[:-1], missing[-1:]) if some)
        accepted = self._lab.monotonic()
        wanting = self._hold(_enforced)
        took = Convergence.over(self._lab.monotonic(), begun, accepted, wanting)
        return LadderAscent(len(missing), create_seconds, took)

    def rules(self) -> PolicyRules | None:
        """What the kernel of the server's node has of the policies; None where it is not seen."""
        return self._ends.rules(self._prefix, self._matching)

    @property
    def readable(self) -> bool:
        """Whether that says where each of them is."""
        return self._readable

    def holds(self, reached: Reached) -> bool:
        """Whether the current policies are the enforced ones."""
        return (_enforced if self._standing else _all_in)(reached)

    def remove_all(self) -> None:
        """Remove whatever may have been created, without waiting for what it was enforced by."""
        if self._attempted:
            self._lab.remove_policies(list(self._attempted))
        self._standing, self._attempted = [], {}

    def _create(self, policies: list[IngressPolicy]) -> float:
        self._attempted |= dict.fromkeys(policy.name for policy in policies)
        self._settled = False
        self.moves += 1
        seconds = self._lab.create_policies(policies)
        self._standing += policies
        return seconds

    def _remove(self, policies: list[IngressPolicy]) -> None:
        self._settled = False
        self.moves += 1
        self._lab.remove_policies([policy.name for policy in policies])
        self._standing = [one for one in self._standing if one not in policies]

    def _hold(
        self, expected: Callable[[Reached], bool], gone: tuple[int, ...] = ()
    ) -> float | None:
        """Wait until it is so; when the last look began that found it wanting, or None.

        The last policy that stands lets its port in, and what is `gone` is shut there.
        """
        ports = tuple(one.port for one in self._standing[-1:] if one.port != PORT)
        wanting: float | None = None

        def held() -> bool:
            nonlocal wanting
            begun = self._lab.monotonic()
            found = self._reached((*ports, *gone))
            last, left = found.others[: len(ports)], found.others[len(ports) :]
            shut = not self._standing or not any(one is not False for one in left)
            if expected(found) and all(last) and shut and self._counted():
                return True
            wanting = begun
            return False

        until(
            self._lab,
            f"{len(self._standing)} policies are enforced",
            held,
            deadline_seconds=self._deadline,
            poll_seconds=_POLL_SECONDS,
        )
        self._settled = True
        return wanting

    def _named(self) -> bool:
        """Whether the rules of the server's node name the policy that stands."""
        try:
            found = self.rules()
        except ToolError:  # a kernel that has no such rules, or does not show them
            return False
        return found is not None and found.matching is not None

    def _counted(self) -> bool:
        """Whether the kernel has as many as stand, where that can be seen."""
        if not self._readable:
            return True
        found = self.rules()
        return found is not None and found.policies == len(self._standing)

    def _reached(self, ports: tuple[int, ...] = ()) -> Reached:
        return self._ends.reached(self._path, ports)

    @property
    def _matching(self) -> IngressPolicy:
        return self._policy("matching", PORT)

    def _other(self, number: int) -> IngressPolicy:
        return self._policy(f"{number:05}", port_of(number))

    def _policy(self, name: str, port: int) -> IngressPolicy:
        ends = self._ends
        return IngressPolicy(self._prefix + name, ends.server.name, ends.client.name, port)


def _enforced(found: Reached) -> bool:
    return found.client is True and found.stranger is False and found.shut is False


def _all_in(found: Reached) -> bool:
    return found.client is True and found.stranger is True and found.shut is True
