"""What a kind of experiment is."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol

from podmeter.domain.axes import shared_axes
from podmeter.domain.load import UNPACED, Load
from podmeter.domain.planning import LadderOrder
from podmeter.texts import ENGLISH, catalog

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from contextlib import AbstractContextManager

    from pydantic import BaseModel

    from podmeter.domain.axes import AxisDefinition, AxisValue, ResolvedAxis
    from podmeter.domain.cluster_report import RoomReport
    from podmeter.domain.experiment import ExperimentSpec, ResolvedSpec
    from podmeter.domain.fingerprint import Placement
    from podmeter.domain.measurement import MetricDefinition
    from podmeter.domain.messages import Message
    from podmeter.domain.planning import Block, Case, PlannedTrial
    from podmeter.domain.ports import Access, Lab
    from podmeter.domain.problems import Problem
    from podmeter.domain.trial import TrialReport
    from podmeter.drivers.tool import Tool
    from podmeter.kinds.limits import LoadShape


class PreparedBlock(Protocol):
    """A block whose pods and Services stand; made by `Kind.prepared`."""

    def placement(self, case: Case) -> Placement:
        """The nodes the two ends of the case sit on."""

    def run_trial(self, trial: PlannedTrial) -> TrialReport:
        """Run one trial to its end.

        A tool that fails, a void trial and a LabError are reports with a failure; only
        RunCancelledError is raised.
        """


class ServicesAdded(NamedTuple):
    """How many Services a run adds to a cluster, and how many node ports these take."""

    services: int = 0
    node_ports: int = 0


class Described(Protocol):
    """A kind as documents know it: what its runs are about, whether this version runs it or not."""

    @property
    def name(self) -> str:
        """The kind's word in a spec: lower case, digits and underscores, at most 32."""

    @property
    def version(self) -> int:
        """Raised when the same frozen spec would measure something else than before.

        That is when a parameter or an axis is added, removed or renamed, when one of its values
        comes to mean something else, or when the cases of a matrix change. A changed default
        alone does not raise it: runs carry the values that stood when they were started. Nor does
        an axis that is left out where a spec does not name it.
        """

    @property
    def timed(self) -> bool:
        """Whether trials last the repetition's `seconds`; tools that run by count ignore them."""

    @property
    def metrics(self) -> tuple[MetricDefinition, ...]:
        """Every metric that a trial or a derivation of this kind can yield."""

    @property
    def parameters(self) -> type[BaseModel]:
        """The frozen model that a spec's `parameters` are validated by."""

    @property
    def axes(self) -> tuple[AxisDefinition, ...]:
        """Every axis the kind knows, the shared ones included, outermost first."""


class Kind(Described, Protocol):
    """One kind of experiment; each inherits from this class.

    Stateless: everything a block needs is in its prepared block.
    """

    @property
    def description(self) -> str:
        """What the kind measures, in one sentence, in English."""
        return catalog(ENGLISH)[f"kind_description.{self.name}"]

    @property
    def own_axes(self) -> tuple[AxisDefinition, ...]:
        """Its axes besides the shared ones, outermost first."""

    @property
    def axes(self) -> tuple[AxisDefinition, ...]:
        """The shared ones, then its own."""
        return (*shared_axes(), *self.own_axes)

    @property
    def floor_axes(self) -> Mapping[str, tuple[AxisValue, ...]]:
        """The smallest matrix that shows how far its main metrics differ by themselves."""

    @property
    def floor_mode(self) -> str:
        """The axis whose mode is set up again for that, as comparisons of this kind would do."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools that its trials run, or that change what they measure.

        Their versions are part of every cluster's fingerprint.
        """

    @property
    def removed_parameters(self) -> frozenset[str]:
        """Parameters of earlier versions that are no choice any more.

        Stored experiments that have them are read without them, and measured as all others. Runs
        keep them: what they measured depended on them.
        """
        return frozenset()

    def cases(self, spec: ResolvedSpec) -> tuple[Case, ...]:
        """The cases of a spec, in the order of its axes; asked once, at a run's start."""

    def access(self, spec: ResolvedSpec, cases: Iterable[Case]) -> frozenset[Access]:
        """How close to the nodes these of the spec's cases come; decides the rights needed."""

    def nodes(self, spec: ResolvedSpec, case: Case) -> int:
        """On how many nodes a case sits: 1, or 2."""

    def trial_seconds(self, case: Case, spec: ResolvedSpec) -> float:
        """About how long one trial of the case takes, its set-up included; for the plan."""

    def prepared(
        self, lab: Lab, spec: ResolvedSpec, block: Block
    ) -> AbstractContextManager[PreparedBlock]:
        """Set up what the block's cases need, and take it away on leaving, however it is left.

        Where a spec says that it stays, a block that goes well and is `followed` leaves it to the
        next one, which looks for it in the cluster; the sweep at a run's end finds it by its label.
        Raises PreconditionError before anything is created where the cluster has no room for it.
        """

    # Hooks: what most kinds have nothing to say about. A kind inherits these answers.

    def load(self, spec: ResolvedSpec, case: Case) -> Load:
        """The most that a trial of the case, or preparing it, puts on the cluster.

        A kind that says nothing may send anything, and is refused where a cluster has a limit.
        """
        return UNPACED

    def pods(self, spec: ResolvedSpec) -> int:
        """The most pods that measure at a time, the nodes' own not counted; for the plan."""
        return 2

    def service_ports(self, spec: ResolvedSpec) -> int:
        """The most Service ports that it adds at a time, where they are more than the Services."""
        return 0

    def ports_at(self, point: Mapping[str, object]) -> int:
        """How many Service ports of a run exist in a case, or a block, at this point."""
        return 0

    def tells_ports_at_switches(self, parameters: Mapping[str, object]) -> bool:
        """Whether the blocks of a stored run with these parameters, of any version, tell how many
        Service ports existed at their switches: those of the block before, as `ports_at` has it.
        """
        return True

    def ports_at_switch(self, spec: ResolvedSpec, block: Block, before: Block | None) -> int:
        """How many Service ports of the run exist while the block's modes are set up; `before` as
        for `climb_seconds`.
        """
        return 0

    def ports_at_switches_in_trials(self, spec: ResolvedSpec, block: Block) -> tuple[int, ...]:
        """The same for each switch of kube-proxy's mode that the block's trials make themselves."""
        return ()

    def ports_at_restarts(self, spec: ResolvedSpec, block: Block) -> tuple[int, ...]:
        """The same for each restart of kube-proxy on one node, in its mode, in a block's trials."""
        return ()

    def block_seconds(self, spec: ResolvedSpec, block: Block) -> float:
        """About how long else a block takes where that is not a matter of seconds; for the plan.

        Not the switch before it, nor what `climb_seconds` has.
        """
        return 0.0

    def climb_seconds(self, spec: ResolvedSpec, block: Block, before: Block | None) -> float:
        """About how long the block's way up from where `before` ended takes, for a ladder that is
        climbed once. `before` is the block before it on the cluster; without one the way begins on
        the ground.
        """
        return 0.0

    def creating_seconds(
        self, spec: ResolvedSpec, block: Block, before: Block | None = None
    ) -> float:
        """About how much of a block's time the API server takes for creating objects in bulk.

        `before` as for `climb_seconds`.
        """
        return 0.0

    def creating_pace(self, facts: Mapping[str, str]) -> tuple[float, float] | None:
        """How long creating took by a trial's facts, and how long is assumed, in seconds; None if
        they say nothing of it.
        """
        return None

    @property
    def outside_tools(self) -> tuple[Tool, ...]:
        """Those of its tools that a client outside of the cluster may be asked to run."""
        return ()

    @property
    def stand_ins(self) -> Mapping[tuple[str, str], str]:
        """(axis, value) that a cluster may lack, and the value that replaces it.

        Used where the figures of an article are reproduced.
        """
        return MappingProxyType({})

    def problems(self, spec: ResolvedSpec) -> list[Problem]:
        """Why a spec whose parameters and axes are right by themselves cannot be measured."""
        return []

    def walk(self, spec: ResolvedSpec) -> LadderOrder:
        """How blocks come to the values of their axes; asked of specs of earlier versions too."""
        return LadderOrder.RESTART

    def rounds_in_place(self, spec: ResolvedSpec, point: Mapping[str, AxisValue]) -> int | None:
        """For how many rounds nodes keep their modes at a point where modes are side by side.

        None for all rounds of its rung: whatever the nodes are by themselves then stays in the
        difference of their modes.
        """
        return None

    def parts_axis(self, spec: ResolvedSpec) -> str | None:
        """The axis along which a run measures its cases part by part, and may end in between.

        Verdicts are corrected for all planned cases then, each by its share of them, so that those
        of one part do not depend on the parts after it. None where each round measures all cases.
        """
        return None

    def fitted(
        self,
        spec: ExperimentSpec,
        axes: tuple[ResolvedAxis, ...],
        room: RoomReport,
    ) -> tuple[ResolvedAxis, ...]:
        """The axes without those default values that the clusters have no room for."""
        return axes

    def room_notes(
        self,
        spec: ExperimentSpec,
        axes: tuple[ResolvedAxis, ...],
        defaults: tuple[ResolvedAxis, ...],
        room: RoomReport | None,
    ) -> tuple[Message, ...]:
        """What a plan says of the room on the clusters: which `defaults` are not in the `axes`."""
        return ()

    def services_added(self, spec: ResolvedSpec) -> ServicesAdded:
        """The most Services that stand at a time, where a cluster may lack room for them."""
        return ServicesAdded()

    def switches_while_measuring(self, spec: ResolvedSpec) -> tuple[str, ...]:
        """The values of axes whose trials switch a cluster's modes themselves."""
        return ()

    def load_shape(self, spec: ResolvedSpec, point: Mapping[str, AxisValue]) -> LoadShape | None:
        """How trials at a point load the path; asked of specs of earlier versions too.

        None where no tool loads it, or it is not known how: then nothing says what limits them.
        """
        return None

    def asks_service(self, point: Mapping[str, object]) -> bool | None:
        """Whether a pod asks a Service by its cluster IP in a case at this point.

        None where the case is not recognizably of this kind, or its path tells.
        """
        return None
