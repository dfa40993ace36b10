"""How a run's time is shared by the rungs of a ladder that is climbed once."""

from typing import Any

import pytest

from podmeter.domain.experiment import ResolvedSpec
from podmeter.domain.planning import Block
from podmeter.kinds.registry import plan, read_spec, resolve
from podmeter.kinds.switch_outage import assumed_sync
from podmeter.services.execution.rungs import TimeOnRung, time_on_rung
from podmeter.services.experiments.duration import Reckoning, with_rounds
from podmeter.services.experiments.rungs import Rung, least_seconds, rung_of, rungs_left

LADDER: dict[str, Any] = {
    "name": "ladder",
    "kind": "service_scale",
    "axes": {
        "kube_proxy_mode": ["iptables", "nftables"],
        "services": [10, 1000, 10_000],
        "probe": ["qps"],
        "target": ["last", "pod"],
    },
    "repetition": {"until_decided": {"difference": 0.1, "most_minutes": 60}},
}
RECKONING = Reckoning(lambda change: 10.0 + assumed_sync(change.ports))
SPEC = with_rounds(resolve(read_spec(LADDER)), RECKONING)
BLOCKS = plan(SPEC)
SECONDS = [block.total for block in RECKONING.of_blocks(SPEC, BLOCKS)]
RUNGS: list[Rung] = [(("services", height),) for height in (10, 1000, 10_000)]


def on(rung: Rung) -> list[Block]:
    return [block for block in BLOCKS if rung_of(SPEC, block) == rung]


def on_rung(spent: dict[int, float], rung: Rung, most: float) -> TimeOnRung:
    return time_on_rung(SPEC, BLOCKS, SECONDS, spent, rung, most)


def test_each_rung_has_rounds_of_its_own_in_which_every_mode_has_a_block() -> None:
    for rung in RUNGS:
        found = on(rung)
        assert len(found) == 2 * SPEC.repetition.rounds
        assert [block.round for block in found[::2]] == list(range(1, SPEC.repetition.rounds + 1))
    assert [rung_of(SPEC, block) for block in BLOCKS] == [rung for rung in RUNGS for _ in on(rung)]


def test_the_shares_of_all_rungs_are_the_whole_time() -> None:
    """Where each takes exactly its share; what is reckoned of the climbs is in them."""
    spent: dict[int, float] = {}
    shares = []
    for rung in RUNGS:
        shares.append(on_rung(spent, rung, 3600.0).share)
        spent |= dict.fromkeys((block.index for block in on(rung)), shares[-1] / len(on(rung)))
    assert sum(shares) == pytest.approx(3600.0)
    # Higher rungs take longer: a climb, and the writing of more rules in every round.
    assert shares == sorted(shares)


def test_what_a_rung_leaves_is_for_those_above_it() -> None:
    sparing = dict.fromkeys((block.index for block in on(RUNGS[0])), 1.0)
    wasting = dict.fromkeys((block.index for block in on(RUNGS[0])), 20.0)
    shares = [on_rung(spent, RUNGS[1], 3600.0).share for spent in (sparing, wasting)]
    assert shares[0] > shares[1] > 0


def test_a_rung_is_over_where_no_further_round_fits() -> None:
    """A round takes as long as those after the first, which has the climb."""
    first, second, third, fourth, *_ = (block.index for block in on(RUNGS[0]))
    spent = {first: 300.0, second: 20.0, third: 20.0, fourth: 20.0}
    found = on_rung(spent, RUNGS[0], 3600.0)
    assert (found.spent, found.a_round) == (360.0, 40.0)
    assert found.is_over is (found.share < 360.0 + 40.0)
    assert not on_rung({}, RUNGS[0], 3600.0).is_over
    assert on_rung(spent, RUNGS[0], 400.0).is_over


def test_a_plan_has_the_climb_once_and_as_many_rounds_as_the_rest_of_its_time_takes() -> None:
    assert 0.8 * 3600 < sum(SECONDS) <= 3600
    longer = LADDER | {"repetition": {"until_decided": {"most_minutes": 120}}}
    twice = with_rounds(resolve(read_spec(longer)), RECKONING)
    # The climb is paid for already.
    assert twice.repetition.rounds > 2 * SPEC.repetition.rounds


def side_by_side(*heights: int, seed: int = 1) -> ResolvedSpec:
    """Modes side by side, which nodes swap every third round with 5,000 Services."""
    axes = LADDER["axes"] | {"services": heights}
    parameters = {"assignment": "side_by_side"}
    spec = resolve(read_spec(LADDER | {"axes": axes, "parameters": parameters}))
    repetition = spec.repetition.model_copy(update={"rounds": 20, "seed": seed})
    return spec.model_copy(update={"repetition": repetition})


@pytest.mark.parametrize("seed", range(6))
def test_a_plan_has_the_rounds_for_which_there_is_time_where_not_each_of_them_swaps(
    seed: int,
) -> None:
    """About: how many swaps there are is drawn."""
    long = Reckoning(lambda change: 120.0)
    spec = with_rounds(side_by_side(5000, seed=seed), long)
    seconds = sum(block.total for block in long.of_blocks(spec, plan(spec)))
    assert seconds == pytest.approx(3600, rel=0.2)


def test_a_rungs_share_is_by_the_mean_of_its_rounds() -> None:
    """Of which the second one does not swap, but every third does."""
    spec, long = side_by_side(1000, 5000), Reckoning(lambda change: 120.0)
    blocks = plan(spec)
    seconds = [block.total for block in long.of_blocks(spec, blocks)]
    rung: Rung = (("services", 1000),)
    found = time_on_rung(spec, blocks, seconds, {}, rung, sum(seconds))
    # With the time that all takes, each rung has what it takes itself.
    own = sum(
        one for block, one in zip(blocks, seconds, strict=True) if rung_of(spec, block) == rung
    )
    assert found.share == pytest.approx(own, rel=0.02)


def test_rungs_that_the_time_is_not_enough_for_are_known() -> None:
    seconds, missed = least_seconds(SPEC, BLOCKS, SECONDS, 6, 3600.0)
    assert missed == []
    least = [one for block, one in zip(BLOCKS, SECONDS, strict=True) if block.round <= 6]
    assert seconds == pytest.approx(sum(least))
    # The climb to the third rung is not begun after the time, unless it was begun before.
    seconds, missed = least_seconds(SPEC, BLOCKS, SECONDS, 6, 60.0)
    assert RUNGS[2] in missed
    assert seconds < sum(least)
    assert least_seconds(SPEC, BLOCKS, SECONDS, 6, 60.0, begun=RUNGS)[1] == []


def test_a_rung_was_left_after_its_last_round_once_a_higher_one_began() -> None:
    first, second, third = (on(rung) for rung in RUNGS)
    begun = [block.index for block in first if block.round <= 6]
    assert rungs_left(SPEC, BLOCKS, begun) == {}
    begun.append(second[0].index)
    assert rungs_left(SPEC, BLOCKS, begun) == {RUNGS[0]: 6}
    begun.append(third[0].index)
    assert rungs_left(SPEC, BLOCKS, begun) == {RUNGS[0]: 6, RUNGS[1]: 1}
    assert rungs_left(SPEC, BLOCKS, []) == {}
