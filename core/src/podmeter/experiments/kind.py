"""What a kind of experiment is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from contextlib import AbstractContextManager

    from pydantic import BaseModel

    from podmeter.domain.axes import AxisDefinition, AxisValue
    from podmeter.domain.experiment import ResolvedSpec
    from podmeter.domain.fingerprint import Placement
    from podmeter.domain.measurement import MetricDefinition
    from podmeter.domain.planning import Block, Case, PlannedTrial
    from podmeter.domain.ports import Access, Lab
    from podmeter.domain.trial import TrialReport
    from podmeter.drivers.tool import Tool


class PreparedBlock(Protocol):
    """A block whose pods and Services stand; made by `Kind.prepared`."""

    def placement(self, case: Case) -> Placement:
        """The nodes the two ends of the case sit on."""

    def run_trial(self, trial: PlannedTrial) -> TrialReport:
        """Run one trial to its end.

        A tool that fails, a void trial and a LabError are reports with a failure; only
        RunCancelledError is raised.
        """


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
    def description(self) -> str:
        """What the kind measures, in one sentence."""

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
    """One kind of experiment. Stateless: everything a block needs is in its prepared block."""

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

    def cases(self, spec: ResolvedSpec) -> tuple[Case, ...]:
        """The cases of a spec, in the order of its axes; asked once, at a run's start."""

    def access(self, spec: ResolvedSpec, cases: Iterable[Case]) -> frozenset[Access]:
        """How close to the nodes these of the spec's cases come; decides the rights needed."""

    def nodes(self, spec: ResolvedSpec, case: Case) -> int:
        """On how many nodes a case sits: 1, or 2."""

    def trial_seconds(self, case: Case, spec: ResolvedSpec) -> float:
        """About how long one trial of the case takes, its set-up included; for the plan."""

    def block_seconds(self, spec: ResolvedSpec, block: Block) -> float:
        """About how long else a block takes where that is not a matter of seconds; for the plan."""

    def prepared(
        self, lab: Lab, spec: ResolvedSpec, block: Block
    ) -> AbstractContextManager[PreparedBlock]:
        """Set up what the block's cases need, and take it away on leaving, however it is left.

        Where a spec says that it stays, a block that goes well and is `followed` leaves it to the
        next one, which looks for it in the cluster; the sweep at a run's end finds it by its label.
        Raises PreconditionError before anything is created where the cluster has no room for it.
        """
