"""What a run that continues until it is decided sees when it looks after a round."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log, log1p

from podmeter.db.repositories.runs import RunRepository
from podmeter.db.repositories.samples import SampleRepository
from podmeter.domain.axes import AxisValue
from podmeter.domain.experiment import ResolvedSpec
from podmeter.domain.messages import Message, say
from podmeter.domain.planning import Block
from podmeter.kinds.controls import control_values, is_control
from podmeter.results.projected import Projected
from podmeter.services.comparisons.counted import is_set_up
from podmeter.services.comparisons.modes import mode_pairs
from podmeter.services.execution.rungs import spent_seconds, time_on_rung
from podmeter.services.experiments.pace import of_run
from podmeter.services.experiments.rungs import Rung, least_rounds_of, rungs_left
from podmeter.services.headlines.headline import ALPHA, NOISE
from podmeter.services.run_results.effect_rows import effects_of
from podmeter.services.run_results.environments import kept_fingerprints
from podmeter.services.run_results.loss import LOSS, shares
from podmeter.services.run_results.runs import MeasuredRun, MetricChoice, load
from podmeter.services.runs.lifecycle import RunHold
from podmeter.services.summaries.losses import losses
from podmeter.services.work import Work
from podmeter.statistics import HOPELESS, Reason, Verdict, chance_to_decide

#: No more rounds tell more.
_NOT_OF_EVIDENCE = (Reason.AT_OFFERED_RATE, Reason.NO_TRIALS, Reason.NO_COMMON_ROUND)


@dataclass(frozen=True)
class InterimAnalysis:
    """How many main cases there are and how many are open; why the run may end, None if not."""

    rounds: int
    cases: int
    open: int
    why: Message | None


def analyse(
    work: Work,
    run_hold: RunHold,
    spec: ResolvedSpec,
    rounds: int,
    blocks: Sequence[Block] = (),
    rung: Rung = (),
) -> InterimAnalysis:
    """Judge what is stored after so many whole rounds, as the run's report will.

    Of a ladder that is climbed once, whose `blocks` all have a rung of their own, what is stored of
    one rung: whether it is over.

    Nothing is kept of it: a run that is taken up again decides the same by the same trials. How
    much time a rung may take changes with what is measured of the cluster, so a rung that an
    earlier attempt left for a higher one is over as it is. A case of a mode is open
    until it is better, worse or the same; where no modes are compared, so is a loss. Raises
    ValueError for a spec with fixed rounds, and one that no plan was made of.
    """
    until = spec.repetition.until_decided
    if until is None or until.most_minutes is None:
        raise ValueError("the run has fixed rounds, or no plan made of it how long it may take")
    measured = load(work, run_hold.organization_id, [run_hold.run_id], MetricChoice.MAIN)
    samples = SampleRepository(work.session, run_hold.organization_id)
    cases = _cases(measured[run_hold.run_id], samples, dict(rung))
    undecided = [one for one in cases if _is_open(one)]
    counts = len(cases), len(undecided)
    why, is_left = None, False
    spent, most = spent_seconds(work, run_hold), 60.0 * until.most_minutes
    if rung:
        pace = of_run(work, run_hold.organization_id, run_hold.run_id, spec)
        reckoned = [one.total for one in pace.reckoning.of_blocks(spec, blocks)]
        time = time_on_rung(spec, blocks, reckoned, spent, rung, most)
        is_over, most = time.is_over, time.share
        last_round = rungs_left(spec, blocks, spent).get(rung)
        is_left = last_round is not None and rounds >= last_round
    else:
        is_over = sum(spent.values()) * (rounds + 1) / rounds > most
    # Time that ends a run before it can find anything would be wasted.
    is_over = is_over and rounds >= least_rounds_of(spec)
    if cases and not undecided:
        why = say("ended_decided", rounds=rounds)
    elif _is_asked_to_conclude(work, run_hold):
        why = say("ended_on_request", rounds=rounds, open=counts[1], cases=counts[0])
    elif is_left:
        why = say("ended_earlier", rounds=rounds, open=counts[1], cases=counts[0])
    elif is_over:
        minutes = max(1, round(most / 60))
        why = say(
            "ended_out_of_time", minutes=minutes, rounds=rounds, open=counts[1], cases=counts[0]
        )
    elif cases and all(_chance(one, rounds, spec) < HOPELESS for one in undecided):
        limited = [one for one in undecided if one.holds("client_limited")]
        why = say("ended_hopeless", rounds=rounds, open=counts[1], cases=counts[0])
        if limited:
            why = say(
                "ended_client_limited",
                rounds=rounds,
                open=counts[1],
                cases=counts[0],
                limited=len(limited),
            )
    return InterimAnalysis(rounds, *counts, why)


def _is_asked_to_conclude(work: Work, run_hold: RunHold) -> bool:
    run = RunRepository(work.session, run_hold.organization_id).get(run_hold.run_id)
    return run is not None and run.conclude_requested_at is not None


def _cases(
    measured: MeasuredRun, samples: SampleRepository, rung: Mapping[str, AxisValue]
) -> list[Projected]:
    """What has to be decided on a rung: main cases without controls, or what cases lose.

    What setting up a block takes is measured beside all else, and nobody asked for it.
    As `registry.compares` has it, what is lost on a ladder is no case: it is a point of a curve.
    """
    fingerprints = kept_fingerprints(samples.fingerprints)
    found = [
        effect.judged
        for one in mode_pairs(measured, fingerprints, noise=NOISE, alpha=ALPHA)
        for controls in [control_values(measured.spec.kind, [one.axis])]
        for pair in one.contender.pairs
        if rung.items() <= pair.shared.items()
        for effect in effects_of(pair.effects)
        if effect.main and not is_set_up(effect) and not is_control(pair.shared, controls)
    ]
    if found or any(axis.ladder for axis in measured.spec.axes):
        return found
    return [one for one in shares(losses(measured, NOISE, ALPHA)) if one.verdict is not None]


def _is_open(one: Projected) -> bool:
    return one.verdict == Verdict.UNDECIDED and one.text("reason") not in _NOT_OF_EVIDENCE


def _chance(one: Projected, rounds: int, spec: ResolvedSpec) -> float:
    """How likely it is decided before the time is over; 1 where that cannot be reckoned.

    What a client limits is never the same: no more rounds decide what looks the same,
    and what does not yet has to become clear.
    """
    if one.text("reason") == Reason.CLIENT_LIMITED:
        return 0.0
    until = spec.repetition.until_decided
    ends = _logarithms(one)
    if ends is None or until is None:
        return 1.0
    value, reach = ends
    return chance_to_decide(
        value,
        reach,
        rounds,
        spec.repetition.rounds,
        difference=0.0 if one.holds("client_limited") else log1p(until.difference),
        verdicts=int(one.number("looked_at") or 1),
        alpha=ALPHA,
    )


def _logarithms(one: Projected) -> tuple[float, float] | None:
    """The mean shift and how far its interval reaches, of logarithms."""
    if one.value is None or one.low is None or one.high is None:
        return None
    low, value, high = one.low, one.value, one.high
    if one.code == LOSS:
        ratio = 1 if one.text("source_direction") == "lower" else -1
        low, value, high = sorted(1 + ratio * end for end in (low, value, high))
    return (log(value), log(high / low) / 2) if low > 0 else None
