from collections.abc import Iterator
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
from .kube.object_server import Objects, served


@pytest.fixture
def objects(tmp_path: Path) -> Iterator[Objects]:
    """A fake API server that keeps objects."""
    with served(Objects, tmp_path) as made:
        yield made


@pytest.fixture
def bench(sessions: Sessions, tmp_path: Path) -> Bench:
    return Bench(sessions, tmp_path)
