import pytest
from sqlalchemy import select

from podmeter.db.models import Organization
from podmeter.db.session import Sessions
from podmeter.jobs import JOBS, Job, PreflightCluster, Reap
from podmeter.services.work import work_with

from .builders import RememberingQueue


@pytest.mark.services
def test_jobs_are_sent_after_the_commit(sessions: Sessions) -> None:
    seen: list[list[str]] = []

    class Looking(RememberingQueue):
        def send(self, job: Job) -> None:
            with sessions() as other:
                seen.append(list(other.scalars(select(Organization.name))))

    with work_with(sessions, Looking()) as work:
        work.session.add(Organization(name="ours"))
        work.later(Reap())
    assert seen == [["ours"]]


@pytest.mark.services
def test_an_error_undoes_all_and_sends_nothing(sessions: Sessions) -> None:
    queue = RememberingQueue()

    def failing() -> None:
        with work_with(sessions, queue) as work:
            work.session.add(Organization(name="ours"))
            work.later(Reap())
            work.session.flush()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        failing()
    assert queue.sent == []
    with sessions() as session:
        assert session.scalars(select(Organization)).all() == []


@pytest.mark.services
def test_a_broker_that_is_away_loses_no_row(
    sessions: Sessions, caplog: pytest.LogCaptureFixture
) -> None:
    with work_with(sessions, RememberingQueue(away=True)) as work:
        work.session.add(Organization(name="ours"))
        work.later(Reap())
    assert "waits for the reaper" in caplog.text
    with sessions() as session:
        assert len(session.scalars(select(Organization)).all()) == 1


def test_payloads_are_ids_and_come_back_as_they_were() -> None:
    import json
    import uuid

    job = PreflightCluster(organization_id=uuid.uuid4(), cluster_id=uuid.uuid4())
    assert PreflightCluster(**json.loads(json.dumps(job.payload()))) == job
    names = [job.name for job in JOBS]
    assert len(names) == len(set(names))
    allowed = {"organization_id", "cluster_id", "run_id", "attempt", "position"}
    assert {field for job in JOBS for field in job.model_fields} <= allowed
