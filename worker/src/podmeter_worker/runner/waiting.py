"""What a run whose turn has come waits for: somebody else who has its cluster, ailing nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.errors import PodmeterError, RunCancelledError
from podmeter.domain.messages import Message, say
from podmeter.services.errors import FencedError
from podmeter.services.runs import lifecycle
from podmeter_worker.kube.clock import clock

if TYPE_CHECKING:
    from podmeter.services.execution.environment import ClusterIdentity
    from podmeter_worker.runner.context import RunContext
    from podmeter_worker.runner.ports import ClusterLink

#: So long nodes have to recover, and the others once the first of them has; how often is looked.
_NODES_SECONDS, _OTHERS_SECONDS, _LOOK_SECONDS = 300.0, 30.0, 2.0


def why_wait(run: RunContext) -> Message | None:
    """Who has a cluster of the run at present, and since when; None if it can begin.

    That is another Podmeter, or somebody who looks at the cluster. What else stands against the
    run, an API server that is away included, is its preflight's to say.
    """
    for identity in run.assignment.clusters:
        try:
            with run.link(identity, run.stop.asked) as link:
                why = link.why_busy()
        except (FencedError, RunCancelledError):
            raise
        except PodmeterError:
            continue
        if why is not None:
            return say("waits_for_cluster", cluster=identity.name, why=why)
    return None


def await_nodes(run: RunContext, link: ClusterLink, identity: ClusterIdentity) -> None:
    """Wait for nodes, where there is none that takes measuring pods and some will by themselves.

    So it is for a while after an outage of the API server: all of them are tainted. Returns after
    a time whatever has become of them; what is missing then is the preflight's to say. Raises
    RunCancelledError.
    """
    until: float | None = None
    first = True
    while True:
        standing = link.node_standing()
        if not standing.recovering or (until is None and standing.taking):
            break
        if until is None:
            until = clock() + _NODES_SECONDS
        if standing.taking and first:
            until, first = min(until, clock() + _OTHERS_SECONDS), False
        if clock() >= until:
            break
        why = say("nodes_recover", nodes=list(standing.recovering))
        _tell(run, say("waits_for_cluster", cluster=identity.name, why=why))
        if run.stop.asked.wait(_LOOK_SECONDS):
            raise RunCancelledError(say("run_to_stop"))
    if until is not None:
        _tell(run, "")


def _tell(run: RunContext, reason: str) -> None:
    run.database.write(lambda work: lifecycle.wait(work, run.run_hold, reason))
