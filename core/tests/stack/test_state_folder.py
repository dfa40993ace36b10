import stat
from pathlib import Path

import pytest

from podmeter.stack import lock, secrets
from podmeter.stack.errors import StackError


def test_secrets_are_made_once_and_private(tmp_path: Path) -> None:
    path = tmp_path / "secrets.env"
    first = secrets.keep(path, {"A": secrets.password})
    again = secrets.keep(path, {"A": secrets.password, "B": secrets.password})
    assert again["A"] == first["A"]
    assert again["B"] != again["A"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert secrets.keep(path, {"A": secrets.password, "B": secrets.password}) == again


def test_secrets_that_others_can_read_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "secrets.env"
    secrets.keep(path, {"A": secrets.password})
    path.chmod(0o644)
    with pytest.raises(StackError, match="chmod 600"):
        secrets.keep(path, {"A": secrets.password})


def test_a_state_folder_belongs_to_one_stack(tmp_path: Path) -> None:
    with (
        lock.hold(tmp_path),
        pytest.raises(StackError, match="another podmeter"),
        lock.hold(tmp_path),
    ):
        pass
    with lock.hold(tmp_path):
        pass
