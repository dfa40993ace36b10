"""The runs that measure a cluster's noise floor: A/A, small, of the mode that stands."""

import uuid
from collections.abc import Mapping
from typing import Any

from podmeter.db.models import Cluster, Role, Run
from podmeter.domain.cluster_report import PREFLIGHT_REPORT
from podmeter.domain.experiment import Profile
from podmeter.domain.messages import say
from podmeter.domain.modes import ARM
from podmeter.kinds.registry import KINDS, read_spec, resolve
from podmeter.services.accounts.principal import Principal
from podmeter.services.clusters import registry
from podmeter.services.errors import ConflictError
from podmeter.services.experiments import library
from podmeter.services.experiments.pace import on_cluster
from podmeter.services.experiments.plan import expected_seconds, plan_spec
from podmeter.services.noise_floor.document import FloorToMeasure
from podmeter.services.runs.start import start
from podmeter.services.work import Work

_ARMS = ["a", "b"]


def to_measure(work: Work, cluster: Cluster) -> list[FloorToMeasure]:
    """A run of each kind. The mode that stands is rolled where the owner lets modes be switched;
    where not, or where it is not known, the arms are pods recreated.
    """
    found = []
    for kind in KINDS.values():
        mode = _standing_mode(cluster, kind.floor_mode)
        document = _document(kind.name, mode)
        written = read_spec(document)
        spec = resolve(written)
        plan = plan_spec(written, spec, pace=on_cluster(work, cluster, spec))
        found.append(
            FloorToMeasure(
                kind=kind.name,
                axis=None if mode is None else kind.floor_mode,
                mode=mode,
                trials=plan.trials,
                expected_seconds=expected_seconds(plan),
                document=document,
            )
        )
    return found


def measure(
    work: Work,
    principal: Principal,
    cluster_id: uuid.UUID,
    kind: str,
    said: Mapping[str, str],
    *,
    force: bool = False,
) -> Run:
    """Queue such a run; its experiment is kept, and used again the next time.

    `said` are the experiment's name and description, as far as they are not to be the English
    ones. `force` goes past obstacles that are uncertain, as at any start. Raises RoleError,
    NotFoundError, and ConflictError where the cluster is not ready.
    """
    principal.require(Role.OPERATOR)
    cluster = registry.get(work, principal, cluster_id)
    wanted = next((one for one in to_measure(work, cluster) if one.kind == kind), None)
    if wanted is None:
        raise ConflictError(say("kind_not_offered", kind=kind))
    experiment = library.find_or_create(work, principal, {**wanted.document, **said})
    return start(work, principal, experiment.id, cluster_id, force=force)


def _document(name: str, mode: str | None) -> dict[str, Any]:
    kind = KINDS[name]
    axes: dict[str, Any] = {axis: list(values) for axis, values in kind.floor_axes.items()}
    rolled = {} if mode is None else {kind.floor_mode: [mode]}
    what = name if mode is None else f"{name}, {mode}"
    return {
        "name": f"Noise floor: {what}",
        "kind": name,
        "description": "Both groups are the same: any difference between them is the "
        "cluster's noise.",
        "axes": {**rolled, ARM: _ARMS, **axes},
        "repetition": {"profile": Profile.QUICK.value},
    }


def _standing_mode(cluster: Cluster, axis: str) -> str | None:
    """The mode in effect, if it can be set up again."""
    if not cluster.allow_mode_switch or cluster.capabilities is None:
        return None
    report = PREFLIGHT_REPORT.read(cluster.capabilities).modes.get(axis)
    if report is None or report.observed is None or report.why_not is not None:
        return None
    can = report.observed in report.values and report.values[report.observed] is None
    return report.observed if can else None
