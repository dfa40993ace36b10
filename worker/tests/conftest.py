from pathlib import Path

import pytest

from podmeter.db.session import Sessions

from .bench import Bench


@pytest.fixture
def bench(sessions: Sessions, tmp_path: Path) -> Bench:
    return Bench(sessions, tmp_path)
