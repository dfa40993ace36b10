"""The runs that `make bench` writes straight into a database fit today's tables."""

import psycopg
import pytest
from backend.bench.seed import seed
from conftest import TEMPLATE, create_database
from sqlalchemy import func, select

from podmeter.credentials.passwords import Passwords
from podmeter.db.models import MeasurementRecord, Organization, Run
from podmeter.db.session import make_engine, make_sessions, unit_of_work
from podmeter.services.accounts.first_admin import ensure_first_admin
from podmeter.services.work import Work
from podmeter.stack.postgres import EmbeddedPostgres

pytestmark = pytest.mark.services


def test_seeded_runs_fit_the_tables(postgres_server: EmbeddedPostgres) -> None:
    create_database(postgres_server, "podmeter_seeded", template=TEMPLATE)
    url = postgres_server.url("podmeter_seeded")
    engine = make_engine(url)
    with unit_of_work(make_sessions(engine)) as session:
        ensure_first_admin(Work(session), Passwords(), "admin@example.org", "looking at pages")
        organization = session.scalars(select(Organization.id)).one()
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        seeded = seed(connection, organization, 1)
    with unit_of_work(make_sessions(engine)) as session:
        assert session.scalars(select(Run.id)).all() == seeded.runs
        assert session.scalar(select(func.count()).select_from(MeasurementRecord)) == (
            seeded.measurements
        )
    engine.dispose()
