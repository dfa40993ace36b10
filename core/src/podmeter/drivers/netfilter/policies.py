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
from podmeter.drivers.reading import complaint, succeeded, whole

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput

_TOOL = "iptables"

#: $1 what the names of a run's policies begin with, $2 the one that matches. In the chain that
#: names most of them: how many, and the place of that one among them. Looking into a legacy table
#: would load its modules where nobody uses them, so the kernel is asked first.
_READ = r"""
set -o pipefail
rules() {
  iptables-nft -w -t filter -S || exit
  grep -qsx filter /proc/net/ip_tables_names || return 0
  iptables-legacy -w -t filter -S
}
rules | awk -v own="$1" -v wanted="$2" '
  $1 == "-A" && (at = index($0, own)) {
    name = substr($0, at); sub(/[^a-z0-9-].*/, "", name)
    if (!(($2, name) in seen)) {
      seen[$2, name] = ++count[$2]; if (count[$2] > most) { most = count[$2]; chain = $2 } } }
  END { print most + 0, (chain, wanted) in seen ? seen[chain, wanted] : 0, "end" }'
"""


@dataclass(frozen=True, slots=True)
class PolicyRules:
    """How many of a run's policies a pod's chain goes through, and which of them matches, from 1.

    Without a place the one that matches is not among them.
    """

    policies: int
    matching: int | None


def argv(name_prefix: str, matching: str) -> tuple[str, ...]:
    """Read them on the pod's node; names of policies begin with `name_prefix`."""
    return ("bash", "-c", _READ, "policies", name_prefix, matching)


def parse(output: CommandOutput) -> PolicyRules:
    """What was read; no policies where none is named."""
    words = succeeded(_TOOL, output).split(" ")
    if len(words) != 3 or words[2] != "end\n":
        raise ToolError(say("rules_not_counted", said=complaint(output)))
    policies, matching = (whole(_TOOL, word) for word in words[:2])
    if matching > policies:
        raise ToolError(say("rules_not_counted", said=complaint(output)))
    return PolicyRules(policies, matching or None)
