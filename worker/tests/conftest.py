from pathlib import Path

import pytest

from podmeter.db.session import Sessions

from .bench import Bench
from .cluster_fixtures import (  # noqa: F401
    admin,
    admin_fields,
    client,
    granted,
    kubeconfig,
    nothing_left,
    relay,
    relayed,
    written,
)


@pytest.fixture
def bench(sessions: Sessions, tmp_path: Path) -> Bench:
    return Bench(sessions, tmp_path)
