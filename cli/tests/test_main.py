"""The command itself: help, wrong use, what it imports, and the operator's old names."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from podmeter.cli import COMMANDS as ADMIN_COMMANDS
from podmeter_cli import handover
from podmeter_cli.exits import ExitCode
from podmeter_cli.main import COMMANDS, podmeter
from podmeter_cli.reference import reference

from .conftest import ROOT, Podmeter


def test_help_lists_every_command_and_exit_code(podmeter: Podmeter) -> None:
    ended = podmeter("--help")
    assert ended.code == 0
    assert all(f"  {name} " in ended.out for name in COMMANDS)
    assert all(f"  {code.value}  " in ended.out for code in ExitCode if code < 100)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_what_each_commands_own_help_says(name: str) -> None:
    command = podmeter.get_command(click.Context(podmeter), name)
    assert command is not None
    assert command.name == name
    assert (command.help or "").partition("\n")[0] == COMMANDS[name][2]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str, podmeter: Podmeter) -> None:
    ended = podmeter(name, "--help")
    assert ended.code == 0
    assert ended.out.startswith(f"Usage: podmeter {name}")


def test_help_imports_nothing_that_takes_time() -> None:
    script = (
        "import sys; from podmeter_cli.main import main; main(['--help']); "
        "print([one for one in ('httpx', 'rich', 'yaml', 'asyncio') if one in sys.modules])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    assert ended.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    "words",
    [("nonsense",), ("run",), ("runs", "list", "--limit", "0"), ("plan", "x", "-o", "junit")],
)
def test_wrong_use_ends_with_4(words: tuple[str, ...], podmeter: Podmeter) -> None:
    ended = podmeter(*words)
    assert (ended.code, ended.out) == (ExitCode.USAGE, "")
    assert "Error: " in ended.err


def test_without_a_login_it_says_how_to_log_in(podmeter: Podmeter) -> None:
    ended = podmeter("runs", "list")
    assert ended.code == ExitCode.USAGE
    assert "podmeter login" in ended.err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_a_script_of_the_shell(shell: str, podmeter: Podmeter) -> None:
    ended = podmeter("completion", shell)
    assert ended.code == 0
    assert "_PODMETER_COMPLETE" in ended.out


def test_completion_knows_the_commands() -> None:
    words = {
        "_PODMETER_COMPLETE": "bash_complete",
        "COMP_WORDS": "podmeter comp",
        "COMP_CWORD": "1",
    }
    ended = subprocess.run(
        [Path(sys.executable).parent / "podmeter"],
        env={**os.environ, **words},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.stdout.split() == ["plain,compare", "plain,completion"]


def test_as_a_plug_in_it_is_called_kubectl_podmeter() -> None:
    plugin = Path(sys.executable).parent / "kubectl-podmeter"
    ended = subprocess.run(
        [plugin, "--help"], capture_output=True, text=True, timeout=60, check=True
    )
    assert ended.stdout.startswith("Usage: kubectl podmeter ")


def test_every_command_of_the_operator_is_handed_over() -> None:
    added = {"token create", "new-token"}
    moved = {name.partition(" ")[0] for name in ADMIN_COMMANDS if name not in added}
    assert moved == handover.MOVED
    assert not handover.MOVED & set(COMMANDS)


def test_an_operators_old_command_works_and_warns() -> None:
    old = subprocess.run(
        [Path(sys.executable).parent / "podmeter", "new-key"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert len(old.stdout.strip()) == 44
    assert "`podmeter new-key` is called `podmeter-admin new-key` now" in old.stderr


def test_without_podmeter_admin_an_old_command_says_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "podmeter")])
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit) as ended:
        handover.to_admin(["migrate"])
    assert ended.value.code == ExitCode.USAGE
    assert "podmeter-admin is not installed here" in capsys.readouterr().err


def test_the_reference_is_what_help_prints() -> None:
    page = ROOT / "docs/reference/cli.md"
    assert page.read_text() == reference(), (
        "python -m podmeter_cli.reference > docs/reference/cli.md"
    )


def test_every_option_and_argument_is_explained() -> None:
    for path, command in commands(podmeter, ("podmeter",)):
        assert command.help, path
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help, (path, parameter.name)


def commands(
    command: click.Command, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from commands(found, (*path, name))
