import uuid
from datetime import UTC, datetime

import pytest
from sqlalchemy.orm import Session

from podmeter.db.models import Organization
from podmeter.db.paging import InvalidCursorError, PageRequest, decode_cursor, encode_cursor
from podmeter.db.repositories.clusters import ClusterRepository
from podmeter.db.repositories.runs import RunRepository

from .builders import add_cluster, add_run

KINDS = [datetime, uuid.UUID, int, str]
MOMENT, NOBODY = datetime(2026, 1, 1, tzinfo=UTC), uuid.UUID(int=0)


def test_a_cursor_holds_its_key() -> None:
    key = (datetime(2024, 5, 1, 12, 30, 0, 17, tzinfo=UTC), uuid.uuid4(), 2**40, "a/ü")
    assert decode_cursor(encode_cursor(key), KINDS) == key


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "!!!!",
        encode_cursor(("2024-05-01",)),
        encode_cursor(("2024-05-01T00:00:00", str(NOBODY), 1, "a")),
        encode_cursor((MOMENT, "no uuid", 1, "a")),
        encode_cursor((MOMENT, NOBODY, True, "a")),
        encode_cursor((MOMENT, NOBODY, 2**63, "a")),
        encode_cursor((MOMENT, NOBODY, 1, "a\x00")),
        encode_cursor((MOMENT, NOBODY, 1, "a\ud800")),
        "W" * 5000,
    ],
)
def test_a_foreign_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidCursorError):
        decode_cursor(cursor, KINDS)


@pytest.mark.services
def test_pages_neither_skip_nor_repeat(session: Session, organization: Organization) -> None:
    # All rows of one transaction have the same created_at: the id decides between them.
    expected = {add_cluster(session, organization).id for _ in range(7)}
    repository = ClusterRepository(session, organization.id)
    seen, cursor, pages = [], None, 0
    while True:
        page = repository.page(PageRequest(limit=3, cursor=cursor))
        seen += [cluster.id for cluster in page.items]
        cursor, pages = page.next_cursor, pages + 1
        if cursor is None:
            break
    assert len(seen) == 7
    assert set(seen) == expected
    assert pages == 3


@pytest.mark.services
def test_a_full_last_page_has_no_cursor(session: Session, organization: Organization) -> None:
    run = add_run(session, organization, "u", cases=4)
    repository = RunRepository(session, organization.id)
    assert repository.cases(run.id, PageRequest(limit=4)).next_cursor is None
    assert repository.cases(run.id, PageRequest(limit=3)).next_cursor is not None
