import subprocess
from dataclasses import replace

import pytest

from podmeter.domain.errors import ToolError
from podmeter.domain.ports import CommandOutput
from podmeter.drivers import bundle


def ran(*commands):
    """By the program, on this machine."""
    ended = subprocess.run(
        bundle.argv(commands), capture_output=True, text=True, check=False, timeout=30
    )
    return CommandOutput(ended.stdout, ended.stderr, ended.returncode, 0.5)


def test_each_command_has_its_own_output_and_exit_code():
    output = ran(
        ("printf", "one\\n\\n"),
        ("sh", "-c", "echo two >&2; exit 3"),
        ("echo", "a b", "$HOME", "ran 0 3"),
    )
    one, two, three = bundle.parse(output, 3)
    assert (one.stdout, one.exit_code) == ("one\n\n", 0)
    assert (two.stdout, two.stderr, two.exit_code) == ("", "two\n", 3)
    assert (three.stdout, three.exit_code) == ("a b $HOME ran 0 3\n", 0)


def test_lengths_are_in_bytes_and_what_is_killed_or_missing_says_so():
    output = ran(("echo", "zwölf.7"), ("sh", "-c", "kill -9 $$"), ("no-such-command",))
    text, killed, missing = bundle.parse(output, 3)
    assert text.stdout == "zwölf.7\n"
    assert killed.exit_code == 137
    assert missing.exit_code == 127
    assert "no-such-command" in missing.stderr


@pytest.mark.parametrize("kept", [0, 5, 12, -1, -5])
def test_an_answer_that_is_not_whole_is_an_error(kept):
    output = ran(("echo", "one"), ("echo", "two"))
    with pytest.raises(ToolError):
        bundle.parse(replace(output, stdout=output.stdout[:kept]), 2)


def test_another_number_of_commands_is_an_error():
    with pytest.raises(ToolError, match="2 of 3"):
        bundle.parse(ran(("echo", "one"), ("echo", "two")), 3)
