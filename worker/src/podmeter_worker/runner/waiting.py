"""Whether a run whose turn has come must wait on: for somebody else who has one of its clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.errors import PodmeterError, RunCancelledError
from podmeter.domain.messages import Message, say
from podmeter.services.errors import FencedError

if TYPE_CHECKING:
    from podmeter_worker.runner.context import RunContext


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
