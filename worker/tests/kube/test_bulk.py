"""Many at the same time: all of them, in order, or the first error."""

import threading

import pytest

from podmeter_worker.kube.bulk import for_all
from podmeter_worker.kube.pool import CONNECTIONS

NAMES = [f"n{number}" for number in range(3 * CONNECTIONS)]


def test_outcomes_are_in_the_order_of_their_names() -> None:
    assert for_all(str.upper, NAMES) == [name.upper() for name in NAMES]
    assert for_all(str.upper, []) == []


def test_every_connection_is_used_at_the_same_time() -> None:
    all_there = threading.Barrier(CONNECTIONS, timeout=10)
    for_all(lambda name: all_there.wait(), NAMES)


def test_the_first_error_ends_the_others() -> None:
    failed, begun = threading.Event(), []

    def one(name: str) -> None:
        begun.append(name)
        if name == NAMES[3]:
            failed.set()
            raise KeyError(name)
        assert failed.wait(10)

    with pytest.raises(KeyError, match=NAMES[3]):
        for_all(one, NAMES)
    assert len(begun) < len(NAMES)


def test_a_check_ends_them_all() -> None:
    begun: list[str] = []

    def check() -> None:
        if len(begun) >= 5:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        for_all(begun.append, NAMES, check)
    assert len(begun) < len(NAMES)
