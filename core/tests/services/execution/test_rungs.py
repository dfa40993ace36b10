"""How a run's time is shared by the rungs of a ladder that is climbed once."""

import pytest

from podmeter.domain.planning import Block
from podmeter.kinds.registry import plan, read_spec, resolve
from podmeter.kinds.switch_outage import assumed_sync
from podmeter.services.execution.rungs import TimeOnRung, time_on_rung
from podmeter.services.experiments.duration import Reckoning, with_rounds
from podmeter.services.experiments.rungs import Rung, least_seconds, rung_of, rungs_left

LADDER = {
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
