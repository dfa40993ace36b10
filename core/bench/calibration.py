"""How often verdicts are wrong, and what they find: `python -m core.bench.calibration`.

Judges the figures of simulated clusters (`core.bench.worlds`) with Podmeter's own code.
`docs/explanation/simulations.md` says what each line stands for.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from core.bench import judge
from core.bench.judge import upper_end
from core.bench.worlds import (
    LADDER,
    TARGETS,
    TRIAL_NOISE,
    Climb,
    Days,
    Trials,
    World,
    alike,
    counted,
    drift,
    heavy,
    normal,
    paths,
    paths_with_tails,
    planned,
    samples,
    single_trials,
    unlike,
    wandering,
    wandering_apart,
    wandering_rungs,
    with_services,
    with_time,
)

from podmeter.domain.experiment import MOST_ROUNDS, Profile
from podmeter.statistics import (
    RUNS_NEEDED,
    Comparison,
    Curve,
    Direction,
    FloorRun,
    Floors,
    Level,
    NoiseThreshold,
    Pairing,
    Remedy,
    Sample,
    Shape,
    Verdict,
    advise,
    compare_all,
    corrected,
    noise_floor,
    trend,
)

ALPHA, THRESHOLD = 0.05, NoiseThreshold(0.03)
CASES = 50
#: What a bar of 5 % may look like in so many runs, by its 95 % interval.
MOST, MOST_UPPER = 5.0, 7.0


def between_runs(
    profile: Profile, days: Days, floor_runs: int, runs: int, rng: np.random.Generator
) -> list[Verdict]:
    """What is said of two runs of one thing, on a cluster whose floor is of so many other runs."""
    blocks = planned(profile)
    rounds, trials = max(block.round for block in blocks), counted(blocks[0])
    shape = (runs, floor_runs + 2)
    logs = (
        days.draw(rng, days.run, shape)[..., None, None]
        + days.draw(rng, days.block, (*shape, rounds))[..., None]
        + days.draw(rng, TRIAL_NOISE, (*shape, rounds, trials))
    )
    values = 1000 * np.exp(np.clip(logs, -20, 20))
    values[:, 1] *= 1 + days.effect
    pairings = []
    for world in values.tolist():
        baseline, contender, *others = (Sample.of(*one) for one in world)
        condition = [FloorRun.of(number, one) for number, one in enumerate(others)]
        absolute = noise_floor([condition], relative=False)
        floors = None
        if absolute is not None:
            floors = Floors(noise_floor([condition], relative=True), absolute)
        pairings.append(
            Pairing(baseline, contender, Direction.HIGHER, THRESHOLD, Level.RUN, floors)
        )
    return [found.verdict for found in compare_all(pairings, alpha=ALPHA)]


def verdicts(profile: Profile, world: World, runs: int, rng: np.random.Generator) -> list[Verdict]:
    """What is said of each run's only comparison."""
    pairings = [
        Pairing(one, two, Direction.HIGHER, THRESHOLD, Level.BLOCK)
        for one, two in samples(profile, world, runs, rng)
    ]
    return [found.verdict for found in compare_all(pairings, alpha=ALPHA)]


def followed(world: World, runs: int, rng: np.random.Generator) -> tuple[int, int]:
    """Of quick runs, those that ask for more rounds to become clear, and those that did.

    The runs that they ask for are measured in the same world, and judged by themselves.
    """
    found = samples(Profile.QUICK, world, runs, rng)
    pairings = [Pairing(*one, Direction.HIGHER, THRESHOLD, Level.BLOCK) for one in found]
    asked: Counter[int] = Counter()
    for one, arms in zip(compare_all(pairings, alpha=ALPHA), found, strict=True):
        (advice,) = advise([one], [arms], alpha=ALPHA, most_rounds=MOST_ROUNDS)
        if advice and advice.remedy is Remedy.ROUNDS and not advice.same and advice.rounds:
            asked[advice.rounds] += 1
    clear = 0
    for rounds, times in sorted(asked.items()):
        again = samples(Profile.QUICK, world, times, rng, rounds)
        pairings = [Pairing(*one, Direction.HIGHER, THRESHOLD, Level.BLOCK) for one in again]
        judged = compare_all(pairings, alpha=ALPHA)
        clear += sum(one.verdict in (Verdict.BETTER, Verdict.WORSE) for one in judged)
    return asked.total(), clear


def any_false(profile: Profile, world: World, runs: int, rng: np.random.Generator) -> int:
    """Runs of many cases of which at least one is called different."""
    wrong = 0
    found = samples(profile, world, runs * CASES, rng)
    pairings = [Pairing(*one, Direction.HIGHER, THRESHOLD, Level.BLOCK) for one in found]
    judged = compare_all(pairings, alpha=ALPHA)
    for start in range(0, len(judged), CASES):
        run = corrected(judged[start : start + CASES], alpha=ALPHA)
        wrong += any(one.verdict in (Verdict.BETTER, Verdict.WORSE) for one in run)
    return wrong


def shapes(
    profile: Profile,
    climb: Climb,
    runs: int,
    seed: int,
    *,
    controlled: bool = True,
    fall: float = 0,
) -> list[Shape]:
    """What is said of each run's curve, whose Services lose `fall` on the way to the last rung."""
    rng = np.random.default_rng(seed)
    blocks = planned(profile, ladder=True)
    lost = dict(zip(LADDER, np.linspace(0, np.log(1 - fall), len(LADDER)), strict=True))
    found = []
    for _ in range(runs):
        rounds: dict[str, dict[int, list[list[float]]]] = {
            target: {rung: [] for rung in LADDER} for target in TARGETS
        }
        for block in blocks:
            order = list(dict.fromkeys(trial.case.number("services") for trial in block.trials))
            for target, effects in zip(TARGETS, climb(rng, order), strict=True):
                for rung, effect in zip(order, effects, strict=True):
                    noise = rng.normal(0, TRIAL_NOISE, counted(block))
                    own = lost[rung] if target == TARGETS[0] else 0.0
                    rounds[target][rung].append((1000 * np.exp(effect + own + noise)).tolist())
        curve, control = (
            Curve.of({rung: Sample.of(*values) for rung, values in rounds[target].items()})
            for target in TARGETS
        )
        found.append(trend(curve, control=control if controlled else None, alpha=ALPHA).shape)
    return found


def row(what: str, wrong: int, runs: int, most: float = MOST) -> dict[str, Any]:
    """A line of how often something false was said."""
    note = f"{wrong} of {runs}; upper end of the 95 % interval {upper_end(wrong, runs):.1f} %"
    return {"what": what, "value": 100 * wrong / runs, "unit": "%", "bar": most, "note": note}


def measure(runs: int) -> list[dict[str, Any]]:
    """Every line."""
    worlds = {
        **{f"blocks vary by {share:.0%}": normal(share) for share in (0.02, 0.05, 0.1)},
        "drift of 4 % a block": drift(0.04),
        "blocks vary by 5 %, each like the last (AR 0.7)": wandering(0.05, 0.7),
        "blocks and trials with heavy tails (Student, 2 degrees)": heavy(0.05, 2),
        "blocks and trials of Cauchy": heavy(0.05, 1),
        "blocks of one mode vary by 2 %, of the other by 10 %": unlike((0.02, 0.1)),
    }
    found = []
    different = (Verdict.BETTER, Verdict.WORSE)
    for profile in Profile:
        rng = np.random.default_rng(20_261_122)
        for name, world in worlds.items():
            said = verdicts(profile, world, runs, rng)
            wrong = sum(one in different for one in said)
            found.append(row(f"{profile}: false verdicts, {name}", wrong, runs))
        for share in (0.02, 0.05, 0.1):
            wrong = any_false(profile, normal(share), runs, rng)
            what = f"{profile}: runs of {CASES} cases with a false verdict, blocks vary by"
            found.append(row(f"{what} {share:.0%}", wrong, runs))
        found += _curves(profile, runs)
        found += _inside_a_block(profile, runs)
        found += _same(profile, runs, rng)
        found += _power(profile, runs, rng)
    found += _between_runs(runs)
    found += _advice(runs)
    worst = max(
        upper_end(int(one["note"].split()[0]), runs) for one in found if "false" in one["what"]
    )
    what = "highest upper end of the false ones"
    found.append({"what": what, "value": worst, "unit": "%", "bar": MOST_UPPER})
    return found


def _inside_a_block(profile: Profile, runs: int) -> list[dict[str, Any]]:
    """What is said of two paths that each round measures once."""
    rounds = max(block.round for block in planned(profile))

    def judged(trials: Trials, times: int) -> tuple[Comparison, ...]:
        arms = single_trials(trials, rounds, times)
        pairings = [Pairing(*one, Direction.HIGHER, THRESHOLD) for one in arms]
        return compare_all(pairings, alpha=ALPHA)

    worlds = {
        "vary by 5 %": paths((0.05, 0.05)),
        "of one side by 2 %, of the other by 10 %": paths((0.02, 0.1)),
        "with heavy tails (Student, 2 degrees)": paths_with_tails(0.05, 2),
        "of Cauchy": paths_with_tails(0.05, 1),
    }
    found = []
    for name, trials in worlds.items():
        said = judged(trials, runs)
        wrong = sum(one.verdict in (Verdict.BETTER, Verdict.WORSE) for one in said)
        found.append(row(f"{profile}: false verdicts, one trial a round, {name}", wrong, runs))
    for effect in (0.1, 0.2):
        said = judged(paths((0.05, 0.05), effect), runs * CASES)
        hits = 0
        for start in range(0, len(said), CASES):
            several = corrected(said[start : start + CASES], alpha=ALPHA)
            hits += sum(one.verdict is Verdict.BETTER for one in several)
        what = f"{profile}: {effect:+.0%} is found in each of {CASES} cases, one trial a round"
        share = 100 * hits / (runs * CASES)
        found.append({"what": what, "value": share, "unit": "%", "note": "trials vary by 5 %"})
    return found


def _curves(profile: Profile, runs: int) -> list[dict[str, Any]]:
    """Curves that are said to fall or rise though they do neither, and falls that are found."""
    cases: list[tuple[str, Climb, bool]] = [
        ("10 % slower by the end of a climb", alike(with_time), True),
        ("10 % slower by the end of a climb, no control", alike(with_time), False),
        ("10 % slower the more Services there are", alike(with_services), True),
        ("rungs vary by 5 % (AR 0.7)", alike(wandering_rungs), True),
        ("rungs vary by 5 % (AR 0.7), the control apart", wandering_apart, True),
        ("rungs vary by 5 % (AR 0.7), no control", alike(wandering_rungs), False),
    ]
    found = []
    for seed, (name, climb, controlled) in enumerate(cases, start=1):
        said = shapes(profile, climb, runs, seed, controlled=controlled)
        wrong = sum(one in (Shape.FALLS, Shape.RISES) for one in said)
        found.append(row(f"{profile}: false falls, {name}", wrong, runs))
    for fall in (0.1, 0.2):
        for name, controlled in (("", True), (", no control", False)):
            said = shapes(
                profile, alike(wandering_rungs), runs, 9, controlled=controlled, fall=fall
            )
            hits = sum(one is Shape.FALLS for one in said)
            what = f"{profile}: a fall of {fall:.0%} is found, rungs vary by 5 % (AR 0.7){name}"
            note = f"{hits} of {runs}"
            found.append({"what": what, "value": 100 * hits / runs, "unit": "%", "note": note})
    return found


def _same(profile: Profile, runs: int, rng: np.random.Generator) -> list[dict[str, Any]]:
    found = []
    for name, effect, most in (("twice the threshold", 0.06, 0.0), ("just outside", 0.0301, MOST)):
        for share in (0.002, 0.01, 0.02, 0.05):
            world = World(normal(share).blocks, effect=effect)
            wrong = sum(one is Verdict.SAME for one in verdicts(profile, world, runs, rng))
            what = f"{profile}: false same, truly {name}, blocks vary by {share:.1%}"
            found.append(row(what, wrong, runs, most))
    return found


def _between_runs(runs: int) -> list[dict[str, Any]]:
    """Two runs on a cluster that differs from itself from run to run."""
    rng = np.random.default_rng(20_261_123)
    profile, found = Profile.QUICK, []
    different = (Verdict.BETTER, Verdict.WORSE)
    floors = (RUNS_NEEDED, 10)
    worlds = {
        "runs vary by 2 %, blocks by 5 %": Days(0.02, 0.05),
        "runs and blocks vary by 5 %": Days(0.05, 0.05),
        "runs vary by 10 %, blocks by 2 %": Days(0.1, 0.02),
        "runs, blocks and trials with heavy tails (Student, 2 degrees)": Days(0.05, 0.05, 2),
        "the same, runs by 10 %, blocks by 2 %": Days(0.1, 0.02, 2),
        "runs, blocks and trials of Cauchy": Days(0.05, 0.05, 1),
    }
    for size in floors:
        for name, days in worlds.items():
            said = between_runs(profile, days, size, runs, rng)
            wrong = sum(one in different for one in said)
            what = f"between runs, floor of {size}: false verdicts, {name}"
            found.append(row(what, wrong, runs))
        for share in (0.01, 0.05):
            said = between_runs(profile, Days(share, 0.01, effect=0.06), size, runs, rng)
            what = f"between runs, floor of {size}: false same, truly twice the threshold, runs by"
            found.append(row(f"{what} {share:.0%}", said.count(Verdict.SAME), runs, 0.0))
        for effect in (0.1, 0.2, 0.3):
            said = between_runs(profile, Days(0.05, 0.05, effect=effect), size, runs, rng)
            what = f"between runs, floor of {size}: {effect:+.0%} is found, runs and blocks by 5 %"
            value = 100 * said.count(Verdict.BETTER) / runs
            found.append({"what": what, "value": value, "unit": "%", "note": "one comparison"})
    return found


def _advice(runs: int) -> list[dict[str, Any]]:
    """What becomes of the runs that undecided ones ask for."""
    rng, found = np.random.default_rng(20_261_124), []
    for share, effect in ((0.05, 0.1), (0.09, 0.1), (0.09, 0.2), (0.05, 0.0)):
        world = World(normal(share).blocks, effect=effect)
        asked, clear = followed(world, runs, rng)
        name = f"{effect:+.0%}" if effect else "no difference"
        what = f"advised rounds are clear, {name}, blocks vary by {share:.0%}"
        note = f"{clear} of the {asked} runs that {runs} quick ones ask for"
        found.append(
            {"what": what, "value": 100 * clear / max(asked, 1), "unit": "%", "note": note}
        )
    return found


def _power(profile: Profile, runs: int, rng: np.random.Generator) -> list[dict[str, Any]]:
    bars = {(Profile.QUICK, 0.2, 0.05): 80.0, (Profile.REFERENCE, 0.1, 0.05): 90.0}
    found = []
    for share in (0.05, 0.09):
        for size in (0.1, 0.2, 0.3):
            for effect, right in ((size, Verdict.BETTER), (-size, Verdict.WORSE)):
                world = World(normal(share).blocks, effect=effect)
                hits = sum(one is right for one in verdicts(profile, world, runs, rng))
                line = {
                    "what": f"{profile}: {effect:+.0%} is found, blocks vary by {share:.0%}",
                    "value": 100 * hits / runs,
                    "unit": "%",
                    "note": "one comparison",
                }
                if bar := bars.get((profile, size, share)):
                    line |= {"bar": bar, "higher_is_better": True}
                found.append(line)
    return found


if __name__ == "__main__":
    judge.main(__doc__, measure, runs=1000)
