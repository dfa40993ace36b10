"""What holds of every headline, whatever was measured."""

import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podmeter.kinds.controls import control_values
from podmeter.services.comparisons.counted import SET_UP, not_counted
from podmeter.services.headlines.text import ALIKE, DIFFERENT
from podmeter.services.run_results.curve_rows import pairs
from podmeter.services.run_results.effect_rows import Effect, effects_of
from podmeter.services.run_results.runs import MeasuredRun

from .test_headlines import (
    LADDER,
    LATENCY,
    POLICIES,
    THROUGHPUT,
    TRANSPORT,
    comparison_of,
    report_of,
    run_of,
)

#: What may stand in a sentence only where something is said to differ, or to be alike.
CLEAR_WORDS = {
    "en": r"\b(costs|gives|raises|lowers|loses|adds|gains|falls|rises|faster|takes the lead"
    r"|the same|stays flat|worse|better)\b",
    "zh": r"降低|提高|增加|减少|下降|上升|恶化|优于|相同|平稳|更差|更好",
}
#: The sentences of a clearly worse contender, and of a clearly better one.
WORSE = {"costs", "raises", "raises_times"}
BETTER = {"gives", "lowers", "gives_times"}
#: Sentences whose words stand there without saying so.
COUNTING = {"others", "losses_more", "budget"}


@st.composite
def runs(draw: st.DrawFn) -> MeasuredRun:
    spec = draw(st.sampled_from([THROUGHPUT, LADDER, TRANSPORT, LATENCY, POLICIES]))
    factors = draw(st.lists(st.floats(0.5, 2.0), min_size=12, max_size=12))
    alike = draw(st.booleans())
    seen: dict[str, float] = {}

    def centre(point: dict[str, Any]) -> float:
        if alike:
            return 1e9
        key = str(sorted(point.items()))
        return 1e9 * seen.setdefault(key, factors[len(seen) % len(factors)])

    spread = draw(st.sampled_from([0.0, 0.02, 0.1, 0.4]))
    return run_of(spec, centre, spread, draw(st.sampled_from([1, 3, 6, 8])))


def verdicts(effects: list[Effect]) -> Counter[str]:
    return Counter(one.verdict for one in effects if one.main)


@given(runs())
def test_no_clear_word_stands_without_a_clear_verdict(found: MeasuredRun) -> None:
    compared = comparison_of(found)
    report = report_of(found)
    cases = [
        (pair.shared, one)
        for pair in compared.contenders[0].pairs
        for one in effects_of(pair.effects)
        if one.main
    ]
    values = control_values(compared.kind, compared.contenders[0].compared_axes)
    why_not = not_counted(cases, values)
    told = zip(cases, why_not, strict=True)
    effects = [one for (_, one), code in told if code in ("", SET_UP)]
    curves = pairs(compared.contenders[0].curves)
    lost = [loss for run in compared.losses for loss in run.losses]
    assert compared.headline is not None
    assert report.headline is not None
    shapes = {one.code for one in report.findings}
    for made in (compared.headline, report.headline):
        codes = {one.code for one in made.sentences}
        tally = verdicts(effects)
        worse = tally["worse"] > 0
        better = tally["better"] > 0
        assert not codes & WORSE or worse
        assert not codes & BETTER or better
        # What is clear is never left out either.
        assert not (worse or better) or codes & (WORSE | BETTER)
        assert "same" not in codes or tally["same"] > 0
        assert "overtakes" not in codes or any(one.crossing for one in curves)
        assert "degrades" not in codes or any(one.degrades_more for one in curves)
        assert not codes & {"loses", "adds"} or any(one.verdict == "worse" for one in lost)
        assert "has_times" not in codes or any(one.verdict in ("worse", "better") for one in lost)
        assert "gains" not in codes or any(one.verdict == "better" for one in lost)
        for shape in ("falls", "rises", "flat"):
            assert shape not in codes or f"curve_{shape}" in shapes
        assert "rises_to" not in codes or "curve_rises" in shapes
        for one in made.sentences:
            if one.code in DIFFERENT | ALIKE | COUNTING:
                continue
            for language, pattern in CLEAR_WORDS.items():
                assert not re.search(pattern, one.text_in(language)), one


@given(runs())
def test_the_figures_of_a_clear_sentence_are_those_of_its_verdict(found: MeasuredRun) -> None:
    compared = comparison_of(found)
    pairs_of_cases = compared.contenders[0].pairs
    effects = [one for pair in pairs_of_cases for one in effects_of(pair.effects) if one.main]
    assert compared.headline is not None
    for one in compared.headline.sentences:
        if one.code not in WORSE | BETTER:
            continue
        times = one.code.endswith("_times")
        told = one.parameters["factor" if times else "amount"]
        assert isinstance(told, dict)
        value, low, high = (float(str(told[name])) for name in ("value", "low", "high"))
        assert 0 <= low <= value <= high
        sign = -1 if one.code in ("costs", "lowers") else 1
        wanted = "worse" if one.code in WORSE else "better"
        assert any(
            effect.verdict == wanted
            and effect.ratio is not None
            and effect.ratio.value == pytest.approx(value if times else 1 + sign * value)
            for effect in effects
        )
