from datetime import timedelta

import pytest
from sqlalchemy import update

from podmeter.db.base import now
from podmeter.db.models import Run
from podmeter.domain.run import RunState
from podmeter.services.execution.queue_metrics import read_queue_metrics
from podmeter.services.work import Work

from ...db.builders import add_organization, add_run

pytestmark = pytest.mark.services


def test_every_abandoned_run_is_counted(work: Work) -> None:
    """The figure stood at 100: nobody saw how large an outage was."""
    organization = add_organization(work.session, "many")
    runs = [add_run(work.session, organization, f"u{n}").id for n in range(103)]
    begun = {"state": RunState.RUNNING, "holder": "dead", "fencing_token": 1}
    over = now() - timedelta(minutes=1)
    for left, values in (
        (runs[:101], begun | {"lease_expires_at": over}),
        (runs[101:102], begun | {"lease_expires_at": now() + timedelta(hours=1)}),
        # It waits for somebody to switch a mode.
        (runs[102:], begun | {"lease_expires_at": over, "state": RunState.WAITING}),
    ):
        work.session.execute(update(Run).where(Run.id.in_(left)).values(values))
    found = read_queue_metrics(work)
    assert (found.abandoned, found.held) == (101, 1)
