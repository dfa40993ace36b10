"""Removing everything that a run left in a cluster: objects by label, kernel rules by comment."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from podmeter.domain import labels
from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.domain.ports import HOST_NAMESPACE, POD_NAMESPACE
from podmeter_worker.kube import services
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.kube.resources import (
    ENDPOINT_SLICES,
    INGRESSES,
    NETWORK_POLICIES,
    PODS,
    SERVICES,
    Resource,
)
from podmeter_worker.kube.wait import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from podmeter.domain.ports import CommandOutput
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.resources import Object

_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Swept:
    """How many objects of each kind were found and removed."""

    pods: int
    services: int
    endpoint_slices: int
    network_policies: int
    ingresses: int = 0


def sweep_objects(
    client: KubeClient,
    run_label: str,
    *,
    dead_nodes: Collection[str] = (),
    seconds: float = _SECONDS,
) -> Swept:
    """Remove every object of a run from both namespaces and wait until all are gone.

    A pod on a dead node is not waited for: it goes when its node comes back, or is removed.
    """
    # Before the Services that they lead to.
    routes = _names(client, INGRESSES, POD_NAMESPACE, run_label)
    for name in routes:
        client.delete(INGRESSES.path(POD_NAMESPACE, name))
    policies = _names(client, NETWORK_POLICIES, POD_NAMESPACE, run_label)
    chosen = labels.selector(run_label)
    if policies:
        client.delete_all(NETWORK_POLICIES.path(POD_NAMESPACE), chosen)
    made, slices = sweep_services(client, run_label)
    pods = 0
    for namespace in (POD_NAMESPACE, HOST_NAMESPACE):
        found = _names(client, PODS, namespace, run_label)
        pods += len(found)
        if found:
            client.delete_all(PODS.path(namespace), chosen)
            wait_until(
                client,
                PODS.path(namespace),
                partial(_none_left, dead_nodes=dead_nodes),
                what=say("wait_run_pods_gone", namespace=namespace),
                deadline_seconds=seconds,
                labels=chosen,
            )
    return Swept(pods, made, slices, len(policies), len(routes))


def sweep_services(
    client: KubeClient, run_label: str, progress: Callable[[int, int], None] | None = None
) -> tuple[int, int]:
    """Remove the Services of a run with their slices; how many there were of each.

    `progress` is called now and then with how many are left, and how many there were.
    """
    made = _names(client, SERVICES, POD_NAMESPACE, run_label)
    slices = _names(client, ENDPOINT_SLICES, POD_NAMESPACE, run_label)
    # Each has the name of its slice; a slice may be left alone.
    names = sorted({*made, *slices})

    def removed(count: int) -> None:
        if progress is not None:
            progress(len(names) - count, len(names))

    services.remove(client, POD_NAMESPACE, names, progress=removed)
    return len(made), len(slices)


def sweep_rules(run: Callable[[Sequence[str], float], CommandOutput], run_label: str) -> int:
    """Remove a run's kernel rules from one node; how many there were.

    `run` runs a command in a host_admin pod of the node, for so many seconds at most. A rule is a
    run's if its comment is `podmeter/` and the run's label, perhaps with more after a slash.
    kube-proxy's own comments name Services, `podmeter/pm-<label>-…`, and are left alone: it
    removes its rules itself.
    """
    if not labels.is_label(run_label):
        raise ValueError(f"{run_label!r} is no run's label")
    script = _SWEEP.replace("@RUN@", shlex.quote(run_label))
    output = run(("bash", "-c", script), _RULES_SECONDS)
    fields = output.stdout.split()
    if output.exit_code != 0 or len(fields) != 2 or fields[1] != "swept":
        raise ToolError(say("rules_not_swept", said=output.stderr.strip()[-300:]))
    return int(fields[0])


#: kube-proxy holds the lock of iptables for minutes while it deletes 30,000 Service ports.
_RULES_SECONDS = 600.0
#: A run adds rules to one chain and one map alone (`drivers/netfilter`): whatever kube-proxy holds
#: besides is not read. `-S` prints each rule as the words that made it, so `-A` turned to `-D`
#: deletes it. Where iptables-nft finds its table made by another tool, no run could add to it.
_SWEEP = r"""
set -o pipefail
run=@RUN@; count=0
mine() { grep -E -- "[\" ]podmeter/$run([\" /]|\$)" || [ $? -eq 1 ]; }
for tables in iptables-nft iptables-legacy; do
  if [ "$tables" = iptables-legacy ]; then
    grep -qs . /proc/net/ip_tables_names || continue
  else
    nft list tables >/dev/null 2>&1 || continue
  fi
  if ! rules=$("$tables" -w -t nat -S POSTROUTING 2>&1); then
    case $rules in *incompatible*) continue ;; esac
    echo "$rules" >&2; exit 1
  fi
  while IFS= read -r rule; do
    eval "$tables -w -t nat -D ${rule#-A }" || exit 1
    count=$((count + 1))
  done < <(printf '%s\n' "$rules" | sed -n '/^-A/p' | mine)
done
if nft list table ip kube-proxy >/dev/null 2>&1; then
  elements=$(nft list map ip kube-proxy service-ips) || exit 1
  while IFS= read -r element; do
    nft delete element ip kube-proxy service-ips "{ $element }" || exit 1
    count=$((count + 1))
  done < <(printf '%s\n' "$elements" | tr ',' '\n' | mine |
           sed -E 's/^.*[{=][ \t]*//; s/ +comment .*$//; s/^[ \t]+//')
fi
echo "$count swept"
"""


def _names(client: KubeClient, resource: Resource, namespace: str, run_label: str) -> list[str]:
    """The names of a run's objects; none if the namespace may not be read."""
    try:
        # Tens of thousands perhaps: only their names are kept.
        found = client.each(resource.path(namespace), labels=labels.selector(run_label))
        return [str(item["metadata"]["name"]) for item in found]
    except ApiRefusedError as error:
        if error.status == 403 and (namespace == HOST_NAMESPACE or resource is INGRESSES):
            return []  # no right to make any, so nothing of it either
        raise


def _none_left(
    objects: Mapping[tuple[str, str], Object], dead_nodes: Collection[str]
) -> bool | None:
    left = [pod for pod in objects.values() if pod["spec"].get("nodeName") not in dead_nodes]
    return None if left else True
