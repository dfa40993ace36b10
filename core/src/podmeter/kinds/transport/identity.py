"""Which server it is that answers: one that a block has started, or somebody else's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter.drivers import qperf
from podmeter.kinds.waiting import until

if TYPE_CHECKING:
    from podmeter.domain.ports import ExecTarget, Lab

_ASK_SECONDS = 30.0
_START_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Identity:
    """Asks servers for the name by which they answer, a pod's own or its node's.

    A name proves who answered only together with the port: on the nodes' own network a qperf of
    somebody else's has the same name, but never the port as well.
    """

    lab: Lab
    port: int

    def awaited(self, server: ExecTarget) -> str:
        """The name, once the server listens.

        Raises PreconditionError where it cannot, ConvergenceError where it never does.
        """
        can = self.lab.execute(server, qperf.CAN_SERVE_ARGV, timeout_seconds=_ASK_SECONDS)
        if can.exit_code != 0:
            raise PreconditionError(say("qperf_no_ipv6", node=str(server.node)))
        return until(
            self.lab,
            f"{server.name} listens on port {self.port} of {server.node}",
            lambda: self.now(server),
            deadline_seconds=_START_SECONDS,
        )

    def now(self, server: ExecTarget) -> str | None:
        """The name; None if the server does not listen."""
        asked = qperf.identity_argv(self.port)
        return qperf.parse_identity(self.lab.execute(server, asked, timeout_seconds=_ASK_SECONDS))
