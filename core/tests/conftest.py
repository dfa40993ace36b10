from pathlib import Path

import pytest
from core.tests.commands import Commands


@pytest.fixture
def command(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> Commands:
    """Runs commands in this process."""
    return Commands(monkeypatch, capfd, tmp_path)
