"""A curve: samples of one metric over a number, like QPS over Services."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from podmeter.statistics.sample import Sample, middle


@dataclass(frozen=True)
class Curve:
    """Samples by x, ascending. Round r of every sample is of the same climb of the ladder."""

    points: tuple[tuple[float, Sample], ...]

    def __post_init__(self) -> None:
        xs = self.xs
        if any(not low < high for low, high in pairwise(xs)):
            raise ValueError("a curve's x values must ascend, each once")

    @classmethod
    def of(cls, samples: Mapping[float, Sample]) -> "Curve":
        """Make a curve from samples by x; those without trials are left out."""
        return cls(tuple((x, samples[x]) for x in sorted(samples) if samples[x].n))

    @property
    def xs(self) -> tuple[float, ...]:
        """The x values."""
        return tuple(x for x, _ in self.points)

    def against(self, control: "Curve") -> "Curve":
        """Give the curve as shares of another one: each round's trials by its centre at the same x.

        Other load during a rung is in both and cancels. Rounds without a centre above
        zero are empty, and x without the control are left out.
        """
        known = dict(control.points)
        return Curve.of({x: _shares(one, known[x]) for x, one in self.points if x in known})

    def by_round(self) -> list[list[tuple[float, float]]]:
        """Give the (x, median of its trials) points of each round."""
        rounds = max((len(sample.rounds) for _, sample in self.points), default=0)
        found: list[list[tuple[float, float]]] = [[] for _ in range(rounds)]
        for x, sample in self.points:
            for climb, values in zip(found, sample.rounds, strict=False):
                if values:
                    climb.append((x, middle(sorted(values))))
        return found


def _shares(sample: Sample, control: Sample) -> Sample:
    rounds = []
    for number, values in enumerate(sample.rounds):
        beside = control.rounds[number] if number < len(control.rounds) else ()
        centre = middle(sorted(beside)) if beside else 0.0
        rounds.append([value / centre for value in values] if centre > 0 else [])
    return Sample(tuple(map(tuple, rounds)), sample.groups)
