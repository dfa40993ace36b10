"""NetworkPolicies in a node's filter table, where the CNI names them in its rules' comments.

kube-router does: the chain of a pod jumps to that of each of its policies, in an order that no
policy has a say in and that may change with every sync. Most others do not name them, and then
nothing is known of their rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers import program
from podmeter.drivers.reading import complaint, succeeded, whole

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput

_TOOL = "iptables"


@dataclass(frozen=True, slots=True)
class PolicyRules:
    """How many of a run's policies a pod's chain goes through, and which of them matches, from 1.

    Without a place the matching policy is not among them.
    """

    policies: int
    matching: int | None


def argv(name_prefix: str, matching: str) -> tuple[str, ...]:
    """Read them on the pod's node; names of policies begin with `name_prefix`."""
    return program.argv("policies", name_prefix, matching)


def parse(output: CommandOutput) -> PolicyRules:
    """What was read; no policies where none is named."""
    words = succeeded(_TOOL, output).split(" ")
    if len(words) != 3 or words[2] != "end\n":
        raise ToolError(say("rules_not_counted", said=complaint(output)))
    policies, matching = (whole(_TOOL, word) for word in words[:2])
    if matching > policies:
        raise ToolError(say("rules_not_counted", said=complaint(output)))
    return PolicyRules(policies, matching or None)
