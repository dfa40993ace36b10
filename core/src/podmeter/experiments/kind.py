"""What a kind of experiment is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from pydantic import BaseModel

    from podmeter.domain.axes import AxisDefinition
    from podmeter.domain.experiment import KindName, ResolvedSpec
    from podmeter.domain.fingerprint import Placement
    from podmeter.domain.measurement import MetricDefinition
    from podmeter.domain.planning import Block, Case, PlannedTrial
    from podmeter.domain.ports import Access, Lab
    from podmeter.domain.trial import TrialReport


class PreparedBlock(Protocol):
    """A block whose pods and Services stand; made by `Kind.prepared`."""

    def placement(self, case: Case) -> Placement:
        """The nodes the two ends of the case sit on."""

    def run_trial(self, trial: PlannedTrial) -> TrialReport:
        """Run one trial to its end.

        A tool that fails, a void trial and a LabError are reports with a failure; only
        RunCancelledError is raised.
        """


class Kind(Protocol):
    """One kind of experiment. Stateless: everything a block needs is in its prepared block."""

    @property
    def name(self) -> KindName:
        """The kind's word in a spec."""

    @property
    def version(self) -> int:
        """Raised when the same frozen spec would measure something else than before.

        That is when a parameter or an axis is added, removed or renamed, when one of its values
        comes to mean something else, or when the cases of a matrix change. A changed default
        alone does not raise it: runs carry the values that stood when they were started.
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

    def cases(self, spec: ResolvedSpec) -> tuple[Case, ...]:
        """The cases of a spec, in the order of its axes; asked once, at a run's start."""

    def access(self, spec: ResolvedSpec) -> frozenset[Access]:
        """How close to the nodes the spec's cases need to come; decides the rights needed."""

    def trial_seconds(self, case: Case, spec: ResolvedSpec) -> float:
        """About how long one trial of the case takes, its set-up included; for the plan."""

    def prepared(
        self, lab: Lab, spec: ResolvedSpec, block: Block
    ) -> AbstractContextManager[PreparedBlock]:
        """Set up what the block's cases need, and take it away on leaving, however it is left.

        Raises PreconditionError before anything is created where the cluster has no room for it.
        """
