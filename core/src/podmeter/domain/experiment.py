"""An experiment as it is written, and as a run carries it: resolved, with nothing left open."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    StringConstraints,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)

from podmeter.domain.axes import AxisScope, AxisValue, ResolvedAxis
from podmeter.domain.displayed import Displayed
from podmeter.domain.errors import InvalidSpecError, PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.node_pairs import NODE_PAIR, ROTATE
from podmeter.domain.problems import from_validation
from podmeter.domain.stored import StoredForm

_Parameters = TypeVar("_Parameters", bound=BaseModel)
#: The `format` of a kind's name in JSON Schemas.
KIND_FORMAT = "kind"
#: A kind's word. Which ones there are is what `podmeter.kinds.registry` lists; the schema's
#: format says so, for anyone who publishes it with that list.
KindName = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,31}$"),
    WithJsonSchema({"type": "string", "format": KIND_FORMAT}),
]


class Profile(StrEnum):
    """How much evidence to gather."""

    QUICK = "quick"
    REFERENCE = "reference"


#: The rounds after which a run looks for the first time: as few as can decide at all. What differs
#: takes up to eight where many looks are planned (`podmeter.statistics.least_rounds`).
FIRST_LOOK = 6
#: A day.
MOST_MINUTES = 1440


class UntilDecided(BaseModel):
    """Measure round after round until every main case is decided.

    `difference` is what matters, as a share: a case is decided where it is clearly better or worse,
    or differs by less than that. No round is begun that would end after `most_minutes` of
    measuring, mode switches included; as many rounds as can find a difference are always measured,
    six to eight, and preflight, restoring and cleaning up come on top. Left open, a plan makes it
    half an hour, or as long as eight rounds take where that is longer.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    difference: Annotated[float, Field(ge=0.01, le=0.5)] = 0.1
    most_minutes: Annotated[int, Field(ge=1, le=MOST_MINUTES)] | None = None


class Repetition(BaseModel):
    """A repetition plan with nothing left open.

    In each of `rounds` rounds every case gets `warmup` trials that are kept but never counted
    and `trials` counted ones of `seconds` each (tools that run by count ignore `seconds`).
    A void trial is run again, at most `void_replacements` times for each case and round. With
    `until_decided` the run looks after each round from the sixth on, and `rounds` are the most that
    its time has room for.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    trials: int
    seconds: int
    rounds: int
    warmup: int
    void_replacements: int
    seed: int
    until_decided: UntilDecided | None = None


#: Between modes the round is the evidence: six are the least that can decide, and few trials in
#: each do, as what varies is the setting up. What they find is
#: simulated: docs/explanation/simulations.md.
_PROFILES = {
    Profile.QUICK: Repetition(trials=2, seconds=3, rounds=6, warmup=1, void_replacements=3, seed=1),
    Profile.REFERENCE: Repetition(
        trials=2, seconds=20, rounds=12, warmup=1, void_replacements=3, seed=1
    ),
}


#: What a repetition may have at most: counted trials of a case in a round, each trial's seconds,
#: rounds.
MOST_TRIALS, MOST_SECONDS, MOST_ROUNDS = 100, 3600, 60


class RepetitionPlan(BaseModel):
    """A profile and what a spec changes of it; None keeps the profile's figure.

    Either `rounds` are given, or the run continues `until_decided`, which it does without being
    asked to where its modes are compared.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    profile: Profile = Profile.QUICK
    trials: Annotated[int, Field(ge=1, le=MOST_TRIALS)] | None = None
    seconds: Annotated[int, Field(ge=1, le=MOST_SECONDS)] | None = None
    rounds: Annotated[int, Field(ge=1, le=MOST_ROUNDS)] | None = None
    warmup: Annotated[int, Field(ge=0, le=20)] | None = None
    void_replacements: Annotated[int, Field(ge=0, le=20)] | None = None
    seed: Annotated[int, Field(ge=0, lt=2**31)] | None = None
    until_decided: UntilDecided | None = None

    @model_validator(mode="after")
    def _either(self) -> RepetitionPlan:
        if self.rounds is not None and self.until_decided is not None:
            raise ValueError(say("rounds_or_until_decided"))
        return self

    def resolve(self, *, compares_modes: bool) -> Repetition:
        """The plan with the profile's figures filled in."""
        changed = {
            name: value
            for name, value in self
            if name in Repetition.model_fields and value is not None
        }
        if self.rounds is None and compares_modes:
            changed.setdefault("until_decided", UntilDecided())
        if "until_decided" in changed:
            # How many more the time has room for, only a plan tells.
            changed["rounds"] = _PROFILES[Profile.QUICK].rounds
        return _PROFILES[self.profile].model_copy(update=changed)


#: Values of an axis in a document. Only pairs of nodes are so many, where a run is repeated; of
#: other axes the kind takes fewer.
MOST_PAIRS = 2_000


def _some(values: tuple[AxisValue, ...]) -> tuple[AxisValue, ...]:
    if not 1 <= len(values) <= MOST_PAIRS:
        raise ValueError(say("values_count", most=MOST_PAIRS))
    return values


def _displayed(value: AxisValue, info: ValidationInfo) -> AxisValue:
    return Displayed().check(value, info) if isinstance(value, str) else value


_AxisValues = Annotated[
    tuple[Annotated[AxisValue, AfterValidator(_displayed)], ...],
    AfterValidator(_some),
    WithJsonSchema(
        {
            "type": "array",
            "items": {"type": ["string", "integer"]},
            "minItems": 1,
            "maxItems": MOST_PAIRS,
        }
    ),
]


class ExperimentSpec(BaseModel):
    """What a user writes, in YAML, JSON or the form.

    This checks the shape alone. `parameters` and `axes` are checked against the kind by
    `podmeter.kinds.registry.read_spec`, which is what everybody but the kinds calls.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(min_length=1, max_length=200), Displayed()]
    kind: KindName
    description: Annotated[str, Field(max_length=4000), Displayed(several=True)] = ""
    parameters: dict[str, JsonValue] = Field(default_factory=dict)
    axes: dict[str, _AxisValues] = Field(default_factory=dict)
    repetition: RepetitionPlan = RepetitionPlan()


class ResolvedSpec(BaseModel):
    """What a run runs with, frozen at its start: no default that changes later touches it.

    `parameters` has every parameter of the kind and `axes` every axis of the matrix, in the
    planned order. Made from an `ExperimentSpec` by `podmeter.kinds.registry.resolve` alone.
    `kind_version` is the kind's at that moment; another version may read such a run and never
    measures it. Where the pair of nodes changes by round, `rotation` has the pair of each round,
    from its start again where there are more rounds; () leaves the pairs to the cluster.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    kind: KindName
    kind_version: int
    description: str
    parameters: dict[str, JsonValue]
    axes: tuple[ResolvedAxis, ...]
    repetition: Repetition
    rotation: tuple[str, ...] | None = None

    def node_pair(self, round_: int) -> str | None:
        """The pair of nodes of a round, where pairs change by round and are known."""
        return self.rotation[(round_ - 1) % len(self.rotation)] if self.rotation else None

    @property
    def rotated_pairs(self) -> tuple[str, ...]:
        """The pairs that rounds take in turn, by name; () where there are none."""
        return tuple(sorted(set(self.rotation or ())))

    @property
    def matrix(self) -> dict[str, tuple[AxisValue, ...]]:
        """The values of each axis, outermost axis first."""
        return {axis.name: axis.values for axis in self.axes}

    @property
    def written_axes(self) -> dict[str, tuple[AxisValue, ...]]:
        """The matrix as a document writes it: with `rotate`, which makes no cases."""
        rotating = {} if self.rotation is None else {NODE_PAIR: (ROTATE,)}
        return {**rotating, **self.matrix}

    @property
    def switched_axes(self) -> set[str]:
        """The axes that need the owner's leave to switch modes."""
        return {axis.name for axis in self.axes if axis.scope is AxisScope.CLUSTER_MODE}

    def parameters_as(self, model: type[_Parameters]) -> _Parameters:
        """The parameters as the kind's model, which fills in nothing.

        Raises PreconditionError where the model does not have exactly these parameters.
        """
        try:
            found = model.model_validate(self.parameters)
        except ValidationError as error:
            problems = [one.message for one in from_validation(error)]
            raise PreconditionError(say("parameters_invalid", problems=problems)) from error
        typed = found.model_dump(mode="json")
        if typed != self.parameters:
            frozen = self.parameters
            names = [name for name in typed if name not in frozen or typed[name] != frozen[name]]
            raise PreconditionError(say("parameters_unlike", kind=self.kind, parameters=names))
        return found


#: What a user wrote, and what a run froze of it, as the database keeps them.
EXPERIMENT: StoredForm[ExperimentSpec] = StoredForm("experiment", ExperimentSpec)
WRITTEN: StoredForm[ExperimentSpec] = StoredForm("run", ExperimentSpec)
FROZEN: StoredForm[ResolvedSpec] = StoredForm("run", ResolvedSpec)


def parse_shape(document: object) -> ExperimentSpec:
    """Read a parsed YAML or JSON document; raises InvalidSpecError with JSON pointers."""
    try:
        return ExperimentSpec.model_validate(document)
    except ValidationError as error:
        raise InvalidSpecError(from_validation(error)) from error
