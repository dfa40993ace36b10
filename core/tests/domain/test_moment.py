from datetime import UTC, datetime, timedelta, timezone

from pydantic import TypeAdapter

from podmeter.domain.moment import Moment, rfc3339


def test_every_time_has_the_same_form() -> None:
    chinese = timezone(timedelta(hours=8))
    assert rfc3339(datetime(2026, 11, 21, 16, 30, tzinfo=chinese)) == "2026-11-21T08:30:00.000000Z"
    moment = datetime(2026, 11, 21, 8, 30, 0, 50, tzinfo=UTC)
    assert TypeAdapter(Moment).dump_json(moment) == b'"2026-11-21T08:30:00.000050Z"'
    assert TypeAdapter(Moment).validate_json(b'"2026-11-21T16:30:00.00005+08:00"') == moment
