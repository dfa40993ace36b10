from podmeter.services.comparisons.compare import DOCUMENT
from podmeter.services.comparisons.warm_up import rehearse, warm_up
from podmeter.services.run_results.effect_rows import NOISE_FLOOR, effects_of
from podmeter.statistics.power import _clear


def test_it_knows_the_shapes_of_the_profiles() -> None:
    warm_up()
    before = _clear.cache_info().misses
    _clear(6, 0.05, 0.05)
    _clear(12, 0.05, 0.05)
    assert _clear.cache_info().misses == before


def test_it_rehearses_all_that_a_comparison_of_two_runs_says() -> None:
    found = DOCUMENT.validate_json(rehearse())
    (contender,) = found.contenders
    effects = [effect for pair in contender.pairs for effect in effects_of(pair.effects)]
    assert {effect.judged.text("method") for effect in effects} <= {"welch_t", "noise_floor_t"}
    assert all(effect.judged.number("p") is not None for effect in effects)
    assert all(effect.rows[-1].code == NOISE_FLOOR for effect in effects)
    assert all(effect.reason != "noise_floor_thin" for effect in effects)
    assert len(effects) == len(contender.pairs) > 0
    assert [bool(one.losses) for one in found.losses] == [True, True]
