"""Experiments and plans, in the API's shape."""

import uuid
from typing import Any, Literal, Self, Union

from pydantic import BaseModel, Field, TypeAdapter, create_model

from podmeter.db.models import Experiment
from podmeter.domain.axes import AxisValue
from podmeter.domain.experiment import ExperimentSpec, KindName, UntilDecided
from podmeter.domain.feasibility import LeftOut, Obstacle
from podmeter.domain.messages import Message
from podmeter.domain.moment import Moment
from podmeter.domain.planning import in_written_order
from podmeter.domain.ports import Access
from podmeter.domain.stored import StoredDocumentError
from podmeter.kinds.registry import KINDS
from podmeter.rbac.capabilities import Capability
from podmeter.services.accounts.principal import Principal
from podmeter.services.experiments import library
from podmeter.services.experiments.detectable_effect import (
    DetectableEffect,
    KnownNoise,
    detectable_effect,
)
from podmeter.services.experiments.pace import ASSUMED_SECONDS
from podmeter.services.experiments.plan import (
    Plan,
    access,
    block_seconds_of_run,
    capability,
    expected_seconds,
    measuring_seconds,
    needs_outside,
)
from podmeter.services.search import annotations as finding
from podmeter.services.work import Work
from podmeter_api.marks.schemas import Marks


class _ExperimentFields(BaseModel):
    id: uuid.UUID
    name: str
    slug: str = Field(
        description="made of the name it had first; the organization has it once, and paths take "
        "it like the id"
    )
    kind: KindName
    version: int
    created_at: Moment
    updated_at: Moment
    marks: Marks = Field(description="not what `version` and the ETag are of")

    @classmethod
    def _of(cls, row: Experiment, said: finding.Annotations, spec: ExperimentSpec | None) -> Self:
        made = {"marks": Marks.model_validate(said), "spec": spec}
        fields = {name: getattr(row, name) for name in cls.model_fields.keys() - made.keys()}
        return cls.model_validate(fields | made)


class ExperimentView(_ExperimentFields):
    """An experiment as it is kept."""

    spec: ExperimentSpec

    @classmethod
    def of(cls, row: Experiment, said: finding.Annotations) -> Self:
        """The row's shape, with what is said of it. Raises StoredDocumentError."""
        return cls._of(row, said, library.stored_spec(row))


class ListedExperiment(_ExperimentFields):
    """An experiment as lists show it."""

    spec: ExperimentSpec | None = Field(
        description="null where it was stored in a form that cannot be read any more"
    )

    @classmethod
    def of(cls, row: Experiment, said: finding.Annotations) -> Self:
        """The row's shape, with what is said of it."""
        try:
            return cls._of(row, said, library.stored_spec(row))
        except StoredDocumentError:
            return cls._of(row, said, None)


def shown(work: Work, principal: Principal, row: Experiment) -> ExperimentView:
    """One experiment as the caller sees it."""
    return ExperimentView.of(row, finding.of(work, principal, [row])[row.id])


class PlannedCase(BaseModel):
    """One case of the plan."""

    key: str
    point: dict[str, AxisValue]


class PlannedBlock(BaseModel):
    """Cases that run together under one set of modes."""

    position: int
    round: int
    modes: dict[str, AxisValue]
    cases: int
    trials: int
    expected_seconds: float | None = Field(
        description="what it takes with its switch; null where this version cannot measure such a "
        "run any more"
    )
    node_pair: str | None = Field(
        default=None, description="the pair of nodes of its round, where pairs change by round"
    )


class PlannedSwitch(BaseModel):
    """A mode switch before a block."""

    block: int
    axis: str
    value: AxisValue


class PlannedRepetition(BaseModel):
    """How often everything is measured."""

    trials: int
    seconds: int
    rounds: int
    warmup: int
    void_replacements: int
    seed: int | None = Field(
        description="of the order of blocks and trials; null where each run draws its own: the "
        "order of the plan's blocks is one of many then"
    )
    until_decided: UntilDecided | None = None


class PlannedMatrix(BaseModel):
    """What the plans of experiments and of runs share."""

    kind: KindName
    repetition: PlannedRepetition
    cases: list[PlannedCase] = Field(description="in the order of the axes' values")
    blocks: list[PlannedBlock]
    switches: list[PlannedSwitch] = Field(
        description="every block sets its modes up again; restoring adds to this"
    )
    mode_switches: int = Field(
        description="how often modes are switched: before blocks, in trials (the probe "
        "`mode-switch`), and to restore them at the end on each cluster; as `impact` counts them"
    )
    trials: int
    switching_seconds: float = Field(
        description="what all switches before blocks and restorings take"
    )
    switch_seconds: float = Field(
        description="what each of them is taken to last while few Services of the run exist (with "
        "more, kube-proxy's full sync is added): as in the latest blocks on the cluster "
        "that switched the same; where there are none, by the number of its nodes; where no "
        f"cluster is known, {ASSUMED_SECONDS:g} s"
    )
    switches_seen: int = Field(description="how many such blocks there are; 0 where it is assumed")

    @classmethod
    def fields_of(cls, plan: Plan) -> dict[str, Any]:
        """The fields that both share."""
        cases = {case.key: case for block in plan.blocks for case in block.cases}
        seconds = block_seconds_of_run(plan)
        repetition = plan.spec.repetition.model_dump()
        if plan.written is not None:
            repetition["seed"] = plan.written.repetition.seed
        return {
            "kind": plan.spec.kind,
            "repetition": PlannedRepetition(**repetition),
            "cases": [
                PlannedCase(key=case.key, point=dict(case.point))
                for case in in_written_order(cases.values(), plan.spec.axes)
            ],
            "blocks": [
                PlannedBlock(
                    position=block.index,
                    round=block.round,
                    modes=dict(block.modes),
                    cases=len(block.cases),
                    trials=len(block.trials),
                    expected_seconds=None if seconds is None else seconds[place].total,
                    node_pair=block.node_pair,
                )
                for place, block in enumerate(plan.blocks)
            ],
            "switches": [
                PlannedSwitch(block=s.block, axis=s.axis, value=s.value) for s in plan.switches
            ],
            "mode_switches": plan.mode_switches,
            "trials": plan.trials,
            "switching_seconds": plan.switching_seconds,
            "switch_seconds": plan.pace.switch_seconds,
            "switches_seen": plan.pace.switches_seen,
        }


class LeftOutView(BaseModel):
    """Cases that are left out, and why."""

    obstacle: Obstacle
    cases: int = Field(description="how many")
    axis: str | None = Field(description="the axis whose `values` no case is left of, if one is")
    values: list[AxisValue]

    @classmethod
    def of(cls, one: LeftOut) -> "LeftOutView":
        """The shape of what is left out."""
        return cls(obstacle=one.obstacle, cases=one.cases, axis=one.axis, values=list(one.values))


class PlanView(PlannedMatrix):
    """What an experiment would do, before anything runs."""

    access: list[Access] = Field(description="how close to the nodes the cases need to come")
    capability: Capability = Field(
        description="the greatest that it takes in a cluster (see GET /rbac)"
    )
    around_seconds: float = Field(
        description="what the preflight of a run and cleaning up after it take"
    )
    measuring_seconds: float = Field(
        description="what all blocks take, setting their pods up included and switching apart"
    )
    measuring_pace: float = Field(
        description="how many times as long as is reckoned it is taken to last: as in the latest "
        "blocks of the kind on the cluster; 1 where there are none"
    )
    blocks_seen: int = Field(description="how many such blocks there are; 0 where it is reckoned")
    expected_seconds: float
    sight: DetectableEffect | None = Field(
        description="what it will see between its modes or clusters; null where it compares none"
    )
    outside_missing: Message | None = Field(
        default=None,
        description="why cases with a client outside the cluster would be refused; null where "
        "there are none, or a worker may be that client",
    )
    obstacles: list[Obstacle] = Field(
        default=[],
        description="what a run on the clusters would be refused for (`refused`; `uncertain` "
        "unless it is forced), and what else there is to know of them (`note`)",
    )
    left_out: list[LeftOutView] = Field(
        default=[], description="cases that the clusters cannot measure and a run leaves out"
    )
    unavailable: list[Obstacle] = Field(
        default=[], description="modes that the experiment does not name and could not have"
    )
    spec: ExperimentSpec | None = Field(
        default=None, description="the experiment as it would be kept, its defaults included"
    )
    fitted: ExperimentSpec | None = Field(
        default=None,
        description="the experiment without the modes that the clusters cannot have, where it has "
        "such and something is left to measure",
    )
    notes: list[Message] = Field(
        default=[],
        description="what else there is to know: where a ladder ends and why, that only a "
        "cluster tells how many pairs of nodes there are, that no modes are compared",
    )

    impact: list[Message] = Field(
        default=[],
        description="what a run does to its clusters: how long rules are missing in each switch of "
        "kube-proxy's mode (as measured on the cluster, or assumed), Services, pods, requests, "
        "bandwidth and connections",
    )

    @classmethod
    def of(cls, plan: Plan, known: KnownNoise | None, *, outside: bool) -> "PlanView":
        """The plan's shape, with what is known of a cluster's noise.

        `outside` says whether workers may be a client outside the cluster.
        """
        return cls(
            **cls.fields_of(plan),
            access=sorted(access(plan)),
            capability=capability(plan),
            around_seconds=plan.around_seconds,
            measuring_seconds=measuring_seconds(plan),
            measuring_pace=plan.pace.measuring,
            blocks_seen=plan.pace.blocks_seen,
            expected_seconds=expected_seconds(plan),
            sight=detectable_effect(plan.spec, known),
            outside_missing=None if outside else needs_outside(plan),
            obstacles=list(plan.feasibility.obstacles),
            left_out=[LeftOutView.of(one) for one in plan.feasibility.left_out],
            unavailable=list(plan.feasibility.unavailable),
            spec=plan.written,
            fitted=plan.fitted,
            notes=list(plan.notes),
            impact=list(plan.impact),
        )


def spec_schema() -> dict[str, Any]:
    """The JSON Schema of a spec: one alternative for each kind, with its parameters."""
    alternatives = []
    for name, kind in sorted(KINDS.items()):
        fields: dict[str, Any] = {
            "kind": (Literal[name], ...),
            "parameters": (kind.parameters, Field(default_factory=dict)),
        }
        title = f"{name.title().replace('_', '')}Spec"
        alternatives.append(create_model(title, __base__=ExperimentSpec, **fields))
    union: Any = Union[tuple(alternatives)]  # noqa: UP007 (made at run time)
    adapter: TypeAdapter[Any] = TypeAdapter(union)
    return adapter.json_schema(ref_template="#/components/schemas/{model}")
