import pytest
from sqlalchemy.orm import Session

from podmeter.services.accounts.principal import Principal
from podmeter.services.work import Work

from .builders import make_principal


@pytest.fixture
def work(session: Session) -> Work:
    return Work(session)


@pytest.fixture
def owner(session: Session) -> Principal:
    return make_principal(session, "ours")
