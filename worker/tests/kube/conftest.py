"""A fake API server for the tests of the client."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from .api_server import FakeApiServer, fake_api_server


@pytest.fixture
def api(tmp_path: Path) -> Iterator[FakeApiServer]:
    with fake_api_server(tmp_path) as fake:
        yield fake


@pytest.fixture
def named_api(tmp_path: Path) -> Iterator[FakeApiServer]:
    """One whose certificate is for a name alone."""
    with fake_api_server(tmp_path, ("cluster.example",)) as fake:
        yield fake
