"""A database that cannot be used for a while, as a run sees it."""

import time
from datetime import timedelta

import pytest
from psycopg.errors import DiskFull
from sqlalchemy.exc import OperationalError

from podmeter.services.work import Work

from ..bench import Bench

pytestmark = pytest.mark.services


class Clock:
    """Moves where somebody sleeps."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seconds = 0.0
        monkeypatch.setattr(time, "monotonic", lambda: self.seconds)
        monkeypatch.setattr(time, "sleep", self.sleep)

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds


def test_a_full_disk_is_waited_for_until_somebody_has_made_room(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(monkeypatch)
    database = bench.database
    room_at = 20 * 60.0

    def store(work: Work) -> str:
        if clock.seconds < room_at:
            raise OperationalError("INSERT", {}, DiskFull())
        return "stored"

    assert not database.was_away(timedelta(seconds=30))
    assert database.write(store) == "stored"
    assert clock.seconds == pytest.approx(room_at, abs=1)
    assert database.was_away(timedelta(seconds=30))
    clock.sleep(31)
    assert not database.was_away(timedelta(seconds=30))

    room_at = clock.seconds + 40 * 60
    with pytest.raises(OperationalError):
        database.write(store)
