"""The stack's own migration, beside a database that comes and goes."""

import os
import sys
from pathlib import Path

import pytest

from podmeter.stack import up
from podmeter.stack.errors import StackError
from podmeter.stack.programs import AWAY
from podmeter.stack.supervisor import Supervisor


def ends(monkeypatch: pytest.MonkeyPatch, tries: Path, *codes: int) -> None:
    """Have the migration end with these codes, one try after the other."""
    code = (
        f"from pathlib import Path; tries = Path({str(tries)!r}); "
        "before = len(tries.read_text()) if tries.exists() else 0; "
        "tries.open('a').write('x'); "
        f"raise SystemExit({codes!r}[before])"
    )
    monkeypatch.setattr(up, "MIGRATE", (sys.executable, "-c", code))


def test_a_database_that_goes_away_under_it_is_migrated_all_the_same(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ends(monkeypatch, tmp_path / "tries", AWAY, AWAY, 0)
    with Supervisor(quiet=True) as supervisor:
        up._migrate(supervisor, dict(os.environ))
    assert (tmp_path / "tries").read_text() == "xxx"


def test_what_fails_for_good_is_tried_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ends(monkeypatch, tmp_path / "tries", 1)
    with Supervisor(quiet=True) as supervisor, pytest.raises(StackError, match="not be migrated"):
        up._migrate(supervisor, dict(os.environ))
    assert (tmp_path / "tries").read_text() == "x"


def test_a_command_whose_database_is_not_there_says_so_in_one_line(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from podmeter.cli import main

    monkeypatch.setenv("DATABASE_URL", "postgresql+psycopg://nobody:x@/none?host=/nonexistent")
    assert main(["migrate"]) == AWAY
    said = capfd.readouterr().err
    assert "podmeter-admin: the database went away" in said
    assert "Traceback" not in said
