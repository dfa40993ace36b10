"""Logging in, and what is kept of it."""

import io
import stat
from pathlib import Path

import pytest

from podmeter_cli import login_file
from podmeter_cli.exits import ExitCode, UsageError

from .conftest import Podmeter

pytestmark = pytest.mark.services


def test_a_login_is_kept_for_its_owner_alone_and_used(
    served: str, token: str, podmeter: Podmeter, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{token}\n"))
    entered = podmeter("login", f"{served}/")
    assert entered.code == 0, entered.err
    assert f"Logged in to {served} as admin@ours.example (admin of ours" in entered.out
    file = home / ".config/podmeter/login.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert token not in entered.out + entered.err
    assert podmeter("runs", "list", "-o", "json").document == []
    assert podmeter("logout").code == 0
    assert not file.exists()
    assert podmeter("runs", "list").code == ExitCode.USAGE


def test_a_wrong_token_is_not_kept(served: str, podmeter: Podmeter, home: Path) -> None:
    refused = podmeter("login", served, "--token", "podmeter_wrong")
    assert refused.code == ExitCode.USAGE
    assert "unknown, expired or revoked" in refused.err
    assert not (home / ".config").exists()


def test_a_server_that_is_not_there_is_no_wrong_use(podmeter: Podmeter) -> None:
    refused = podmeter("login", "http://127.0.0.1:1", "--token", "podmeter_x")
    assert refused.code == ExitCode.FAILED
    assert "http://127.0.0.1:1 does not answer" in refused.err


def test_the_kept_token_goes_to_its_own_server_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    login_file.keep(login_file.Login("https://ours.example", "podmeter_secret"))
    assert login_file.read("ours.example").token == "podmeter_secret"
    with pytest.raises(UsageError, match=r"No token for https://other\.example"):
        login_file.read("https://other.example")
    monkeypatch.setenv("PODMETER_URL", "https://other.example")
    with pytest.raises(UsageError, match="No token"):
        login_file.read()
    monkeypatch.setenv("PODMETER_TOKEN", "podmeter_other")
    assert login_file.read().token == "podmeter_other"


@pytest.mark.parametrize("url", ["ftp://x", "https://", "https://me:secret@x.example"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="is not the address"):
        login_file.normalized(url)


def test_a_token_in_clear_text_is_warned_of() -> None:
    assert login_file.is_clear_text("http://podmeter.example")
    assert not login_file.is_clear_text("http://127.0.0.1:8080")
    assert not login_file.is_clear_text("https://podmeter.example")
