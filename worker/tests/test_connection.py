"""Which nodes a run switches by themselves."""

import pytest

from podmeter_worker.connection import nodes_switched_alone

EVERY = ("n1", "n2", "n3", "n4")


@pytest.mark.parametrize(
    ("seats", "measured", "alone"),
    [
        ((), {"n1", "n2"}, {"n1", "n2"}),
        # Nobody is spared, so the whole cluster is switched.
        ((), set(EVERY), None),
        ((), None, None),
        (("n1", "n2"), {"n1", "n2"}, {"n1", "n2"}),
        # Nobody is spared, but each is to have a mode of its own.
        (EVERY, set(EVERY), set(EVERY)),
    ],
)
def test_nodes_are_switched_alone_where_that_spares_others_or_modes_are_side_by_side(
    seats: tuple[str, ...], measured: set[str] | None, alone: set[str] | None
) -> None:
    names = None if measured is None else frozenset(measured)
    assert nodes_switched_alone(seats, names, EVERY) == alone
