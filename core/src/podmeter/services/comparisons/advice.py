"""What would decide what is not clear, as a run's repetition says it."""

from collections.abc import Iterable, Sequence

from pydantic import TypeAdapter

from podmeter.domain.experiment import MOST_ROUNDS, MOST_SECONDS, MOST_TRIALS, ResolvedSpec
from podmeter.kinds.controls import control_values, is_control
from podmeter.kinds.registry import KINDS
from podmeter.services.comparisons.document import Advice, NextRun
from podmeter.services.run_results.effect_rows import Effect
from podmeter.statistics import Advice as Found
from podmeter.statistics import Comparison, Remedy, Sample, Verdict, advise

_ADVICE = TypeAdapter(Advice)


def advised(
    found: Sequence[Comparison],
    samples: Sequence[tuple[Sample, Sample]],
    spec: ResolvedSpec,
    alpha: float,
    contenders: int = 1,
    planned: int | None = None,
) -> list[Advice | None]:
    """The advice of each comparison of those that were corrected together.

    `spec` is what the run ran with; inside a run both sides are of it. Alpha is shared by so many
    `contenders`, and where a run measures part by part by all comparisons that are `planned`.
    """
    if spec.kind not in KINDS:
        # What is not measured here is not measured again.
        return [None] * len(found)
    advice = advise(
        found,
        samples,
        alpha=alpha,
        most_rounds=MOST_ROUNDS,
        families=contenders,
        planned=planned,
    )
    return [None if one is None else _told(one, spec) for one in advice]


def next_run(effects: Iterable[Effect], kind: str) -> NextRun | None:
    """The run that decides most of the main effects that are not clear; None where none does.

    More rounds before longer trials: whatever varies from block to block needs rounds. Controls
    are not to be decided, unless nothing else was measured.
    """
    every = list(effects)
    wanted = [effect for effect in every if not _is_control(effect, kind)] or every
    undecided = [one for one in wanted if one.main and one.verdict == Verdict.UNDECIDED]
    told = (one.judged.parameters.get("advice") for one in undecided)
    advice = [_ADVICE.validate_python(one) for one in told if one is not None]
    for code in (Remedy.ROUNDS, Remedy.LEAST, Remedy.LONGER):
        chosen = [one for one in advice if one.code == code]
        if chosen:
            return NextRun(
                code=code.value,
                rounds=max((one.rounds for one in chosen if one.rounds), default=None),
                seconds=max((one.seconds for one in chosen if one.seconds), default=None),
                trials=max((one.trials for one in chosen if one.trials), default=None),
                decides=len(chosen),
                undecided=len(undecided),
            )
    return None


def _is_control(effect: Effect, kind: str) -> bool:
    point, against = effect.key.point, effect.key.against or {}
    compared = {axis for axis, value in point.items() if against.get(axis) != value}
    return bool(compared) and is_control(point, control_values(kind, compared))


def _told(one: Found, spec: ResolvedSpec) -> Advice:
    repetition, kind = spec.repetition, KINDS.get(spec.kind)
    if one.longer == 1:
        return Advice(one.remedy.value, one.rounds, None, None, one.same)
    timed = kind is not None and kind.timed
    seconds = repetition.seconds * one.longer if timed else None
    trials = None if timed else repetition.trials * one.longer
    if (seconds or 0) > MOST_SECONDS or (trials or 0) > MOST_TRIALS:
        return Advice(Remedy.NONE.value, None, None, None, one.same)
    return Advice(one.remedy.value, one.rounds, seconds, trials, one.same)
