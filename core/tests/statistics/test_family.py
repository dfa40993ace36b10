"""Comparisons that are judged together, by Holm's procedure as it is defined."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podmeter.statistics import (
    Comparison,
    Direction,
    NoiseThreshold,
    Pairing,
    Sample,
    compare_all,
    corrected,
    look_p,
)
from podmeter.statistics.family import p_needed

(ANY,) = compare_all(
    [
        Pairing(
            Sample.of(*[[centre] for centre in (100.0, 103.0, 98.0, 101.0, 99.0, 102.0)]),
            Sample.of(*[[centre] for centre in (94.0, 90.0, 91.0, 97.0, 90.0, 97.0)]),
            Direction.HIGHER,
            NoiseThreshold(0.03),
        )
    ]
)


def with_p(ps: list[float], most_rounds: int | None = None) -> list[Comparison]:
    """Comparisons that have these p."""
    assert ANY.evidence is not None
    evidence = replace(ANY.evidence, most_rounds=most_rounds)
    return [replace(ANY, p=p, evidence=evidence) for p in ps]


def adjusted(ps: list[float], families: int = 1, planned: int | None = None) -> list[float | None]:
    judged = corrected(with_p(ps), alpha=0.05, families=families, planned=planned)
    return [comparison.adjusted_p for comparison in judged]


def holm(ps: list[float], count: int, families: int) -> list[float]:
    """Of each p the largest of what it and all smaller ones are times those not yet rejected.

    S. P. Wright, Adjusted p-values for simultaneous inference, Biometrics 48 (1992), 1005-1013.
    """
    ordered = sorted(ps)
    return [
        min(
            1.0,
            max(
                families * (count - place) * smaller
                for place, smaller in enumerate(ordered)
                if smaller <= p
            ),
        )
        for p in ps
    ]


def test_adjusted_p_are_holms_by_hand() -> None:
    """4 x 0.005, 3 x 0.01, 2 x 0.03; 0.04 is not below what the p before it has."""
    assert adjusted([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    # Each of two contenders has a family.
    assert adjusted([0.01, 0.3], families=2) == pytest.approx([0.04, 0.6])
    assert adjusted([0.6, 0.7]) == [1.0, 1.0]


@given(
    st.lists(st.floats(0, 1) | st.sampled_from((0.001, 0.01, 0.02)), min_size=2, max_size=12),
    st.integers(1, 3),
)
def test_adjusted_p_are_holms(ps: list[float], families: int) -> None:
    assert adjusted(ps, families) == pytest.approx(holm(ps, len(ps), families))


def test_what_is_tested_part_by_part_has_its_share_of_all_that_is_planned() -> None:
    assert adjusted([0.01, 0.04, 0.03, 0.005], planned=5) == pytest.approx([0.05, 0.2, 0.15, 0.025])
    assert adjusted([0.01], 2, planned=3) == pytest.approx([0.06])
    needed = p_needed(with_p([1e-9, 0.3]), alpha=0.05, families=2, planned=5)
    assert needed == pytest.approx(0.005)


def test_looks_are_part_of_the_adjusted_p() -> None:
    """What a look needs of its share of alpha is less, and p grows by as much."""
    first, second = corrected(with_p([0.001, 0.02], most_rounds=20), alpha=0.05)
    assert first.adjusted_p == pytest.approx(0.001 * 0.05 / look_p(0.025, 20))
    assert second.adjusted_p == pytest.approx(0.02 * 0.05 / look_p(0.05, 20))
    assert 0.001 * 0.05 / look_p(0.025, 20) > 0.002
