import random

import pytest

from podmeter.services.measured.figures import Figure, figure, median_figure
from podmeter.services.measured.words import change, percent, quantity, share
from podmeter.statistics import Sample, summarize


@pytest.mark.parametrize("rounds", [1, 2, 3])
@pytest.mark.parametrize("trials", [1, 2, 5, 6, 7, 20])
def test_the_median_is_that_of_the_summary(rounds: int, trials: int) -> None:
    draw = random.Random(rounds * 100 + trials)
    sample = Sample.of(*[[draw.gauss(10, 3) for _ in range(trials)] for _ in range(rounds)])
    assert median_figure(sample) == figure(summarize(sample).median)


def test_an_empty_sample_has_no_median() -> None:
    assert median_figure(Sample.of([], [])) is None


def test_words() -> None:
    assert percent(-0.123) == "−12.3 %"
    assert percent(-0.0001) == "0.0 %"
    assert change(Figure(0.9, 0.85, 0.95, 0.96)) == "−10.0 % [−15.0 %, −5.0 %]"
    assert change(Figure(0.9)) == "−10.0 % (no interval)"
    assert change(None) == "–"
    assert share(Figure(-0.02, -0.05, 0.01, 0.96)) == "−2.0 % [−5.0 %, 1.0 %]"
    assert quantity(Figure(2.65e9, 2.6e9, 2.7e9, 0.95), "bit/s") == (
        "2.65 Gbit/s [2.60 Gbit/s, 2.70 Gbit/s]"
    )
