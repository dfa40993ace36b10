"""Tags and notes, which an organization shares, and favourites, which are each member's own.

They are said of a run, not measured: nothing that was computed of it or shared changes with them.
"""

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields

from podmeter.db.models import Cluster, Experiment, Role, Run
from podmeter.db.repositories.clusters import ClusterRepository
from podmeter.db.repositories.experiments import ExperimentRepository
from podmeter.db.repositories.marks import MarkRepository, Model, Thing
from podmeter.db.repositories.runs import RunRepository
from podmeter.services.accounts.principal import Principal
from podmeter.services.errors import NotFoundError, StaleVersionError
from podmeter.services.work import Work

_Repository = type[RunRepository] | type[ExperimentRepository] | type[ClusterRepository]
#: What each sort of things is called, and where it is kept.
_SORTS: dict[Model, tuple[str, _Repository]] = {
    Run: ("run", RunRepository),
    Experiment: ("experiment", ExperimentRepository),
    Cluster: ("cluster", ClusterRepository),
}


@dataclass(frozen=True)
class Annotations:
    """What is said of a thing; `favourite` by who asks, the rest by everybody together."""

    tags: Sequence[str]
    notes: str
    version: int
    favourite: bool


@dataclass(frozen=True)
class AnnotationChange:
    """What is changed; None leaves it as it is."""

    tags: tuple[str, ...] | None = None
    notes: str | None = None


def get(work: Work, principal: Principal, model: Model, thing_id: uuid.UUID) -> Annotations:
    """What is said of a thing. Raises NotFoundError."""
    return of(work, principal, [_thing(work, principal, model, thing_id)])[thing_id]


def of(work: Work, principal: Principal, things: Collection[Thing]) -> dict[uuid.UUID, Annotations]:
    """What is said of things of one sort that were read before, by their ids."""
    starred: set[uuid.UUID] = set()
    ids = [one.id for one in things]
    for model in {type(one) for one in things}:
        marks = MarkRepository(work.session, principal.organization_id)
        starred |= marks.favourites(principal.user_id, model, ids)
    return {one.id: annotations_of(one, favourite=one.id in starred) for one in things}


def annotations_of(thing: Thing, *, favourite: bool) -> Annotations:
    """What is said of a thing that was read before."""
    return Annotations(thing.tags, thing.notes, thing.marks_version, favourite)


def change(
    work: Work,
    principal: Principal,
    model: Model,
    thing_id: uuid.UUID,
    change: AnnotationChange,
    version: int | None,
) -> Annotations:
    """Say something else of a thing, if that still has `version` (None: whatever it has).

    Raises RoleError, NotFoundError, StaleVersionError.
    """
    principal.require(Role.OPERATOR)
    thing = _thing(work, principal, model, thing_id, lock=True)
    if version is not None and version != thing.marks_version:
        raise StaleVersionError("marks", thing.marks_version)
    if change.tags is not None:
        thing.tags = sorted(set(change.tags))
    if change.notes is not None:
        thing.notes = change.notes
    thing.marks_version += 1
    work.session.flush()
    changed = [one.name for one in fields(change) if getattr(change, one.name) is not None]
    work.audit.to(_SORTS[model][0], thing.id, thing.name, changed=changed, tags=thing.tags)
    return of(work, principal, [thing])[thing_id]


def set_favourite(
    work: Work, principal: Principal, model: Model, thing_id: uuid.UUID, *, wanted: bool
) -> None:
    """Add a favourite, or remove it; repeating changes nothing. Raises NotFoundError."""
    thing = _thing(work, principal, model, thing_id)
    marks = MarkRepository(work.session, principal.organization_id)
    marks.set_favourite(principal.user_id, model, thing.id, wanted=wanted)
    work.audit.to(_SORTS[model][0], thing.id, thing.name, favourite=wanted)


def tags(work: Work, principal: Principal) -> Sequence[tuple[str, int]]:
    """Every tag of the organization's, by name, and on how many things it is."""
    return MarkRepository(work.session, principal.organization_id).tags()


def _thing(
    work: Work, principal: Principal, model: Model, thing_id: uuid.UUID, *, lock: bool = False
) -> Thing:
    what, repository = _SORTS[model]
    found = repository(work.session, principal.organization_id).get(thing_id, lock=lock)
    if found is None:
        raise NotFoundError(what)
    return found
