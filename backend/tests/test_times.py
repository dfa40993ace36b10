"""Times have one form, in whatever is answered and exported, so that they sort as texts do."""

import re
from datetime import datetime, timedelta, timezone

import httpx
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from podmeter.db.models import Cluster, Run
from podmeter.db.session import Sessions
from podmeter_api.security import COOKIE

from .everything import OPERATIONS, put_in_place, requests_for

pytestmark = pytest.mark.services

#: What operations with a parameter of that name give, where it is not JSON, CSV and Markdown.
FORMATS = {
    "export_audit": ("csv", "jsonl"),
    "export_run_rows": ("csv",),
    "export_comparison_rows": ("csv",),
}
ANY_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d[^\"',|)<\s]*")
OURS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
#: A whole second, told from another zone.
ROUND = datetime(2026, 11, 21, 16, 30, tzinfo=timezone(timedelta(hours=8)))


def test_every_time_has_one_form(
    subtests: pytest.Subtests, admin: TestClient, sessions: Sessions, served: str
) -> None:
    things = put_in_place(admin, sessions)
    with sessions.begin() as session:
        session.execute(update(Run).values(started_at=ROUND, finished_at=ROUND))
        session.execute(update(Cluster).values(preflighted_at=ROUND))
    seen = 0
    for operation, asked in requests_for(things).items():
        method, path = OPERATIONS[operation]
        if method != "GET" and operation not in ("preview_snapshot", "create_comparison"):
            continue
        known = FORMATS.get(operation, ("json", "csv", "markdown"))
        formats = known if "format" in asked.query else (None,)
        for form in formats:
            with subtests.test(operation, form=form):
                url = served + path.format(**asked.path)
                answer = httpx.request(
                    method,
                    url,
                    params={**asked.query, **({"format": form} if form else {})},
                    json=asked.body,
                    cookies={COOKIE: admin.cookies[COOKIE]},
                    headers=admin.headers,
                    timeout=30,
                )
                assert answer.is_success, answer.text
                odd = [one for one in ANY_TIME.findall(answer.text) if not OURS.fullmatch(one)]
                assert odd == []
                seen += bool(ANY_TIME.search(answer.text))
    assert seen > 15
