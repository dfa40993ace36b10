"""The method on rounds that a real cluster gave with nothing to find (bench/verdicts/noise.py).

Windows of consecutive rounds are judged as a run's are: their blocks are given the two arms in the
orders that a run would draw, so what is the machine's own stays in the order in which it came.
"""

import csv
import gzip
import io
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from podmeter.domain.modes import ARM
from podmeter.domain.planning import balanced_orders
from podmeter.kinds.controls import control_beside, control_values, is_control
from podmeter.kinds.registry import metrics_of
from podmeter.statistics import (
    Direction,
    NoiseThreshold,
    Pairing,
    Sample,
    Verdict,
    compare_all,
    corrected,
)

FOLDER = Path(__file__).parent.parent / "fixtures" / "noise"
WINDOW, ORDERS, ALPHA, NOISE = 12, 10, 0.05, 0.03
#: One round: by case and metric the trials of its two blocks, in the order they were measured.
Round = dict[tuple[str, str], list[tuple[float, ...]]]


@dataclass(frozen=True)
class Recording:
    """Rounds of one kind, and by case the case that is its control, where it has one."""

    kind: str
    rounds: list[Round]
    controls: dict[str, str | None]


def recordings() -> Iterator[Recording]:
    for file in sorted(FOLDER.glob("*.csv.gz")):
        kind = file.name.split("-")[0]
        text = gzip.decompress(file.read_bytes()).decode()
        blocks: dict[int, dict[tuple[str, str], dict[str, list[float]]]] = defaultdict(
            lambda: defaultdict(dict)
        )
        for row in csv.DictReader(io.StringIO(text)):
            at = dict(part.split("=") for part in row["case"].split(","))
            arm = at.pop("arm")
            case = ",".join(f"{axis}={value}" for axis, value in at.items())
            arms = blocks[int(row["round"])][case, row["metric"]]
            arms.setdefault(arm, []).append(float(row["value"]))
        rounds = [
            {key: [tuple(one) for one in arms.values()] for key, arms in of_round.items()}
            for of_round in blocks.values()
        ]
        cases = {case for one in rounds for case, _ in one}
        yield Recording(kind, rounds, _controls(kind, cases))


def _controls(kind: str, cases: set[str]) -> dict[str, str | None]:
    values = control_values(kind, [ARM])
    found: dict[str, str | None] = {}
    for case in cases:
        point = dict(part.split("=") for part in case.split(","))
        if is_control(point, values):
            continue
        at = control_beside(point, values)
        control = at and ",".join(f"{axis}={value}" for axis, value in at.items())
        found[case] = control if control in cases else None
    return found


def verdicts(recording: Recording, start: int, draw: random.Random) -> list[Verdict]:
    """What a run of these rounds would say of its cases, its two arms in an order of its own."""
    window = recording.rounds[start : start + WINDOW]
    orders = balanced_orders(2, WINDOW, draw)
    keys = [key for key in window[0] if key[0] in recording.controls]
    metrics = metrics_of(recording.kind)

    def sides(key: tuple[str, str]) -> tuple[Sample, Sample]:
        blocks = [(one[key], order) for one, order in zip(window, orders, strict=True)]
        one, two = (
            Sample(tuple(measured[order.index(arm)] for measured, order in blocks))
            for arm in (0, 1)
        )
        return one, two

    pairings = [
        Pairing(
            *sides(key),
            Direction(metrics[key[1]].direction),
            NoiseThreshold(NOISE, metrics[key[1]].noise),
            control=None if control is None else sides((control, key[1])),
        )
        for key in keys
        for control in [recording.controls[key[0]]]
    ]
    found = corrected(compare_all(pairings, alpha=ALPHA), alpha=ALPHA)
    return [one.verdict for one in found]


def test_what_differs_in_nothing_is_called_different_in_seven_of_a_hundred_at_most() -> None:
    """Over all recordings: windows of one overlap, so a single one says little of the rate."""
    draw = random.Random(1)
    false = total = 0
    for recording in recordings():
        for start in range(len(recording.rounds) - WINDOW + 1):
            for _ in range(ORDERS):
                said = verdicts(recording, start, draw)
                false += any(one in (Verdict.BETTER, Verdict.WORSE) for one in said)
                total += 1
    assert total >= ORDERS * 40
    assert false / total <= 0.07, f"{false} of {total}"
