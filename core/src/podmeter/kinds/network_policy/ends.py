"""The pods of a network_policy block, and who of them reaches the server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.ports import Command
from podmeter.drivers import curl
from podmeter.drivers.netfilter import policies

if TYPE_CHECKING:
    from podmeter.domain.ports import ExecTarget, IngressPolicy, Lab, Node
    from podmeter.drivers.netfilter.policies import PolicyRules

#: What requests go to, and what no policy ever lets in.
PORT, SHUT_PORT = 8080, 8081
#: A policy that does not match is for the port with its number after this one.
_OTHER_PORTS = 20_000
#: What nothing answers is shut out; to answer a connection takes milliseconds.
_CONNECT_SECONDS = 0.5
_ASK_SECONDS = 60.0


def port_of(number: int) -> int:
    """The port that the policy of that number, from 1, lets in on."""
    return _OTHER_PORTS + number


@dataclass(frozen=True, slots=True)
class Reached:
    """Whom the server answers at one moment; None for what neither answers nor is shut out.

    `stranger` and `client` on PORT, the client on SHUT_PORT and on the ports of policies.
    """

    stranger: bool | None
    shut: bool | None
    client: bool | None
    others: tuple[bool | None, ...]


@dataclass(frozen=True, slots=True)
class PolicyEnds:
    """A server, the client that is to get through and a stranger on its node that is not.

    `hosts` are places on the client's and the server's node, or nothing.
    """

    lab: Lab
    nodes: tuple[Node, Node]
    client: ExecTarget
    stranger: ExecTarget
    server: ExecTarget
    hosts: tuple[ExecTarget, ...]

    def url(self, path: str, port: int = PORT) -> str:
        """Where the server answers."""
        return f"http://{self.server.address}:{port}/{path}"

    def reached(self, path: str, ports: tuple[int, ...] = ()) -> Reached:
        """Ask, from both at the same time. The denied request is sent first.

        So a client that is let in afterwards is let in by a policy.
        """
        asked = [self.url(path, port) for port in (SHUT_PORT, PORT, *ports)]
        outputs = self.lab.execute_all(
            [
                Command(self.stranger, curl.probe_argv([self.url(path)], _CONNECT_SECONDS)),
                Command(self.client, curl.probe_argv(asked, _CONNECT_SECONDS)),
            ],
            timeout_seconds=_ASK_SECONDS,
        )
        (stranger,) = curl.parse_probe(outputs[0], 1)
        shut, client, *others = curl.parse_probe(outputs[1], len(asked))
        return Reached(stranger, shut, client, tuple(others))

    def rules(self, prefix: str, matching: IngressPolicy) -> PolicyRules | None:
        """What the server's node has of the run's policies; None where it is not looked at."""
        if not self.hosts:
            return None
        argv = policies.argv(prefix, matching.name)
        return policies.parse(self.lab.execute(self.hosts[1], argv, timeout_seconds=_ASK_SECONDS))
