"""A new run of what an earlier one ran with, with more of it: rounds, seconds, trials.

It is judged by itself. Rounds of two runs are never put together: what lies between runs would be
taken for what lies between modes.
"""

import re
import uuid
from dataclasses import dataclass
from typing import Any

from podmeter.db.models import Role, Run
from podmeter.db.repositories.runs import RunRepository
from podmeter.domain.experiment import FROZEN, Repetition, ResolvedSpec
from podmeter.domain.messages import say
from podmeter.domain.modes import CLUSTER
from podmeter.kinds.registry import why_not_measured
from podmeter.services.accounts.principal import Principal
from podmeter.services.errors import ConflictError, NotFoundError
from podmeter.services.experiments import library
from podmeter.services.experiments.detectable_effect import KnownNoise
from podmeter.services.experiments.on_cluster import plan_at
from podmeter.services.experiments.plan import Plan
from podmeter.services.noise_floor.read import of_plan
from podmeter.services.runs.start import start
from podmeter.services.work import Work

_LONGEST_NAME = 200
#: What an earlier repetition added to the name.
_ADDED = re.compile(r", \d+ rounds?( of \d+ trials?)?( of \d+ s)?$")


@dataclass(frozen=True)
class Changes:
    """What is changed of the repetition; None stays as it was."""

    rounds: int | None = None
    seconds: int | None = None
    trials: int | None = None


@dataclass(frozen=True)
class Repeated:
    """The experiment that such a run is of, and its only cluster, unless its axis names several."""

    document: dict[str, Any]
    cluster_id: uuid.UUID | None


def plan(
    work: Work, principal: Principal, run_id: uuid.UUID, changes: Changes
) -> tuple[Plan, KnownNoise | None]:
    """What such a run would do, with what is known of its cluster's noise; nothing is kept.

    Raises as `repeat` does, but anyone who may read the run may ask.
    """
    repeated = _repeated(work, principal, run_id, changes)
    found = plan_at(work, principal, repeated.document, repeated.cluster_id)
    if repeated.cluster_id is None:
        return found, None
    return found, of_plan(work, principal, repeated.cluster_id, found.spec)


def repeat(
    work: Work, principal: Principal, run_id: uuid.UUID, changes: Changes, *, force: bool = False
) -> Run:
    """Queue such a run. Its experiment is kept; one that says just this is used again.

    `force` goes past obstacles that are uncertain, as at any start.

    Raises RoleError, NotFoundError; InvalidSpecError where it would be too large; ConflictError
    where this version would measure something else, a cluster is gone or not ready.
    """
    principal.require(Role.OPERATOR)
    repeated = _repeated(work, principal, run_id, changes)
    experiment = library.find_or_create(work, principal, repeated.document)
    return start(work, principal, experiment.id, repeated.cluster_id, force=force)


def _repeated(work: Work, principal: Principal, run_id: uuid.UUID, changes: Changes) -> Repeated:
    runs = RunRepository(work.session, principal.organization_id)
    run = runs.get(run_id)
    if run is None:
        raise NotFoundError("run")
    spec = FROZEN.read(run.spec)
    if why := why_not_measured(spec):
        raise ConflictError(why)
    clusters = runs.clusters([run_id])[run_id]
    for one in clusters:
        if one.cluster_id is None:
            raise ConflictError(say("cluster_not_registered", cluster=one.name))
    cluster_id = None if CLUSTER in spec.matrix else clusters[0].cluster_id
    return Repeated(_document(spec, changes), cluster_id)


def _document(spec: ResolvedSpec, changes: Changes) -> dict[str, Any]:
    changed = {name: value for name, value in vars(changes).items() if value is not None}
    repetition = spec.repetition.model_copy(update=changed)
    left_open = set()
    if repetition.until_decided is not None:
        left_open = {"rounds"} if changes.rounds is None else {"until_decided"}
    return {
        "name": _name(spec.name, spec.repetition, repetition),
        "kind": spec.kind,
        "description": spec.description,
        "parameters": spec.parameters,
        "axes": {axis: list(values) for axis, values in spec.written_axes.items()},
        # Without its seed: the new run has an order of its own.
        "repetition": repetition.model_dump(mode="json", exclude={"seed", *left_open}),
    }


def _name(name: str, before: Repetition, now: Repetition) -> str:
    """The name, told from the one it repeats."""
    if now == before:
        return name
    added = f", {now.rounds} rounds"
    if now.trials != before.trials:
        added += f" of {now.trials} trials"
    if now.seconds != before.seconds:
        added += f" of {now.seconds} s"
    return _ADDED.sub("", name)[: _LONGEST_NAME - len(added)] + added
