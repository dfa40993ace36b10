"""What a snapshot of an experiment holds, before anything of it is replaced."""

import uuid
from typing import Any

import yaml

from podmeter.db.models import Experiment
from podmeter.domain.untrusted_text import printable
from podmeter.services.accounts.principal import Principal
from podmeter.services.experiments import library
from podmeter.services.experiments.plan import expected_seconds, plan_document
from podmeter.services.snapshots import finished
from podmeter.services.snapshots.shared import SharedExperiment, SharedPlan
from podmeter.services.work import Work


def shared(
    work: Work, principal: Principal, experiment_id: uuid.UUID, *, notes: bool
) -> SharedExperiment:
    """The experiment as it is now, with its authors' prose where `notes` stay.

    Raises NotFoundError; InvalidSpecError for one that its kind does not take any more.
    """
    row = library.get(work, principal, experiment_id)
    runs, complete = finished.of_experiment(work, principal, experiment_id)
    spec = _spec(row, notes=notes)
    return SharedExperiment(
        name=row.name,
        kind=row.kind,
        spec=spec,
        yaml=as_yaml(spec),
        notes=row.notes if notes else "",
        plan=_plan(library.stored_document(row)),
        runs=runs,
        complete=complete,
    )


def as_yaml(spec: dict[str, Any]) -> str:
    """A specification as it is written down."""
    text: str = yaml.safe_dump(spec, sort_keys=False, allow_unicode=True, default_flow_style=None)
    return printable(text)


def _spec(row: Experiment, *, notes: bool) -> dict[str, Any]:
    spec = library.stored_spec(row).model_dump(mode="json", exclude_none=True)
    if not notes or not spec["description"]:
        del spec["description"]
    return spec


def _plan(document: object) -> SharedPlan:
    plan = plan_document(document)
    cases = {case.key: dict(case.point) for block in plan.blocks for case in block.cases}
    return SharedPlan(
        cases=list(cases.values()),
        blocks=len(plan.blocks),
        trials=plan.trials,
        switches=plan.mode_switches,
        expected_seconds=expected_seconds(plan),
    )
