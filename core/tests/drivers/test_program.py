import os
import subprocess

import pytest

from podmeter.domain.ports import CommandOutput
from podmeter.drivers import program


def run(*argv):
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=30)
    return CommandOutput(done.stdout, done.stderr, done.returncode, 0.0)


def test_the_program_that_is_built_here_is_current():
    output = run(*program.VERSION_ARGV)
    assert output.stdout == f"{program.NAME} {program.INTERFACE}\n"
    assert program.is_current(output)


@pytest.mark.parametrize(
    ("text", "exit_code"),
    [
        (f"{program.NAME} 0\n", 0),
        (f"{program.NAME} 1\n", 1),
        (f"{program.NAME} 1", 0),
        ("another 1\n", 0),
        ("", 0),
    ],
)
def test_any_other_answer_is_not_of_a_current_program(text, exit_code):
    assert not program.is_current(CommandOutput(text, "", exit_code, 0.0))


def test_a_command_that_it_does_not_have_is_an_error():
    output = run(*program.argv("no-such-command"))
    assert (output.stdout, output.exit_code) == ("", 64)
    assert "no-such-command" in output.stderr


def test_files_that_are_absent_are_left_out_and_an_empty_one_is_an_error(tmp_path):
    there, empty = tmp_path / "there", tmp_path / "empty"
    there.write_text("one\ntwo\n")
    output = run(*program.argv("print-files", str(tmp_path / "absent"), str(there)))
    assert output.stdout == f"== {there}\none\ntwo\n== end\n"
    empty.touch()
    output = run(*program.argv("print-files", str(there), str(empty)))
    assert (output.stdout, output.exit_code) == ("", 1)


def test_a_refused_connection_is_an_answer():
    assert run(*program.argv("reach", "127.0.0.1")).exit_code == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="makes a network without routes")
def test_a_host_to_which_no_route_leads_does_not_answer():
    assert run("unshare", "--net", *program.argv("reach", "192.0.2.1")).exit_code == 1
