"""The experiments of an organization."""

import uuid
from typing import Any

from podmeter.db.base import now
from podmeter.db.models import Experiment, Role
from podmeter.db.paging import Page, PageRequest
from podmeter.db.repositories.experiments import ExperimentRepository
from podmeter.db.repositories.marks import EVERYTHING, ListFilter
from podmeter.domain.errors import InvalidSpecError
from podmeter.domain.experiment import EXPERIMENT, ExperimentSpec
from podmeter.domain.messages import say
from podmeter.domain.problems import Problem
from podmeter.domain.slug import is_slug, slug_of
from podmeter.kinds.registry import KINDS, read_spec
from podmeter.services.accounts.principal import Principal
from podmeter.services.errors import AlreadyThereError, NotFoundError, RoleError, StaleVersionError
from podmeter.services.work import Work


def create(work: Work, principal: Principal, document: object) -> Experiment:
    """Keep an experiment, under a slug that is made of its name.

    Raises RoleError, InvalidSpecError.
    """
    principal.require(Role.OPERATOR)
    spec = read_spec(document)
    repository = ExperimentRepository(work.session, principal.organization_id)
    repository.lock_slugs()
    return _added(work, principal, spec, repository.free_slug(slug_of(spec.name)))


def create_at(work: Work, principal: Principal, slug: str, document: object) -> Experiment:
    """Keep an experiment under the slug.

    Raises RoleError, AlreadyThereError, InvalidSpecError.
    """
    principal.require(Role.OPERATOR)
    if principal.scope is not None:
        raise RoleError(say("scope_too_narrow"))
    if not is_slug(slug):
        raise InvalidSpecError([Problem("", say("slug_malformed", slug=slug_of(slug)))])
    spec = read_spec(document)
    repository = ExperimentRepository(work.session, principal.organization_id)
    repository.lock_slugs()
    version = repository.version_of(slug)
    if version is not None:
        raise AlreadyThereError("experiment", version)
    return _added(work, principal, spec, slug)


def _added(work: Work, principal: Principal, spec: ExperimentSpec, slug: str) -> Experiment:
    moment = now()
    experiment = Experiment(
        organization_id=principal.organization_id,
        slug=slug,
        created_by=principal.user_id,
        created_at=moment,
        version=1,
    )
    _write(experiment, spec)
    ExperimentRepository(work.session, principal.organization_id).add(experiment)
    work.audit.to("experiment", experiment.id, experiment.name)
    return experiment


def find_or_create(work: Work, principal: Principal, document: object) -> Experiment:
    """The oldest experiment that says just this, else a new one. Raises as `create` does."""
    principal.require(Role.OPERATOR)
    spec = read_spec(document).model_dump(mode="json")
    known = ExperimentRepository(work.session, principal.organization_id).written_as(spec)
    return known if known is not None else create(work, principal, document)


def get(work: Work, principal: Principal, experiment_id: uuid.UUID) -> Experiment:
    """One experiment. Raises NotFoundError."""
    found = ExperimentRepository(work.session, principal.organization_id).get(experiment_id)
    if found is None:
        raise NotFoundError("experiment")
    return found


def stored_document(experiment: Experiment) -> dict[str, Any]:
    """What an experiment says, without the parameters that its kind no longer has."""
    stored: dict[str, Any] = experiment.spec
    kind, parameters = KINDS.get(experiment.kind), stored.get("parameters")
    if kind is None or not isinstance(parameters, dict):
        return stored
    left = {name: one for name, one in parameters.items() if name not in kind.removed_parameters}
    return {**stored, "parameters": left}


def stored_spec(experiment: Experiment) -> ExperimentSpec:
    """The same, read. Raises StoredDocumentError."""
    return EXPERIMENT.read(stored_document(experiment))


def find(work: Work, principal: Principal, name: str) -> uuid.UUID:
    """The id of the experiment that has this id or slug. Raises NotFoundError for a slug."""
    try:
        return uuid.UUID(name)
    except ValueError:
        pass
    found = ExperimentRepository(work.session, principal.organization_id).id_of(name)
    if found is None:
        raise NotFoundError("experiment")
    return found


def page(
    work: Work,
    principal: Principal,
    request: PageRequest,
    wanted: ListFilter = EVERYTHING,
    kind: str | None = None,
) -> Page[Experiment]:
    """Experiments, newest first unless another order is wanted."""
    experiments = ExperimentRepository(work.session, principal.organization_id)
    return experiments.page(request, wanted, kind)


def replace(
    work: Work,
    principal: Principal,
    experiment_id: uuid.UUID,
    document: object,
    version: int | None,
) -> Experiment:
    """Write an experiment again; runs keep the spec they ran with.

    One that says so already stays as it is, version included.

    Raises RoleError, NotFoundError, StaleVersionError, InvalidSpecError.
    """
    principal.require(Role.OPERATOR)
    experiment = _locked(work, principal, experiment_id, version)
    spec = read_spec(document)
    if spec.model_dump(mode="json") != experiment.spec:
        _write(experiment, spec)
        experiment.version += 1
        work.session.flush()
    work.audit.to("experiment", experiment.id, experiment.name)
    return experiment


def delete(work: Work, principal: Principal, experiment_id: uuid.UUID, version: int | None) -> None:
    """Forget an experiment; its runs stay. Raises RoleError, NotFoundError, StaleVersionError."""
    principal.require(Role.OPERATOR)
    experiment = _locked(work, principal, experiment_id, version)
    work.audit.to("experiment", experiment.id, experiment.name)
    ExperimentRepository(work.session, principal.organization_id).delete(experiment)


def _locked(
    work: Work, principal: Principal, experiment_id: uuid.UUID, version: int | None
) -> Experiment:
    repository = ExperimentRepository(work.session, principal.organization_id)
    experiment = repository.get(experiment_id, lock=True)
    if experiment is None:
        raise NotFoundError("experiment")
    if version is not None and version != experiment.version:
        raise StaleVersionError("experiment", experiment.version)
    return experiment


def _write(experiment: Experiment, spec: ExperimentSpec) -> None:
    experiment.name = spec.name
    experiment.kind = spec.kind
    experiment.spec = spec.model_dump(mode="json")
    experiment.updated_at = now()
