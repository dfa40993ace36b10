import pytest
from sqlalchemy.orm import Session

from podmeter.db.models import Organization

from .builders import add_organization


@pytest.fixture
def organization(session: Session) -> Organization:
    return add_organization(session, "ours")


@pytest.fixture
def stranger(session: Session) -> Organization:
    return add_organization(session, "theirs")
