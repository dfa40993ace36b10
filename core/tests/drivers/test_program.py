import ast
import importlib
import os
import pkgutil
import re
import subprocess
from pathlib import Path

import pytest

import podmeter
from podmeter.domain.ports import CommandOutput
from podmeter.drivers import program

ROOT = Path(__file__).parents[3]
MAIN = ROOT / "images/bench/measure/main.go"
#: The commands that a program of each interface has. Never change a line: an image in use may be
#: of that interface.
COMMANDS = {
    1: (
        "ask backends bundle complaints iperf3-seen iptables-chain iptables-count ipvs-servers "
        "network nft-count nft-map nginx policies print-files qperf-identity qperf-server reach "
        "route sample serve timed until-answered until-silent vegeta version watch-services"
    ),
}
RAISE = (
    f"raise interfaceVersion in {MAIN.relative_to(ROOT)} and INTERFACE in "
    "core/src/podmeter/drivers/program.py, add the new interface to COMMANDS in "
    "core/tests/drivers/test_program.py, and say in CHANGELOG.md that the bench image must be "
    "pushed again"
)


def run(*argv):
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=30)
    return CommandOutput(done.stdout, done.stderr, done.returncode, 0.0)


def test_the_program_that_is_built_here_is_current():
    output = run(*program.VERSION_ARGV)
    assert output.stdout == f"{program.NAME} {program.INTERFACE}\n"
    assert program.is_current(output)


def commands_of_the_program():
    text = MAIN.read_text()
    table = text[text.index("var commands = ") : text.index("\n}\n", text.index("var commands = "))]
    return sorted(re.findall(r'^\t"([a-z0-9-]+)":', table, re.MULTILINE))


def test_image_and_core_have_one_interface():
    (version,) = re.findall(r"^const interfaceVersion = (\d+)$", MAIN.read_text(), re.MULTILINE)
    assert int(version) == program.INTERFACE, (
        f"interfaceVersion in {MAIN.relative_to(ROOT)} and INTERFACE in "
        "core/src/podmeter/drivers/program.py are one number: raise both"
    )


def test_other_commands_are_another_interface():
    commands = " ".join(commands_of_the_program())
    known = COMMANDS.get(program.INTERFACE)
    assert known is not None, f"add to COMMANDS: {program.INTERFACE}: {commands!r}"
    assert commands == known, f"an image in use does not have the same commands: {RAISE}"


def modules_that_call_the_program():
    for module in pkgutil.walk_packages(podmeter.__path__, "podmeter."):
        path = Path(module.module_finder.path) / f"{module.name.rpartition('.')[2]}.py"
        if path.exists() and "program.argv(" in (source := path.read_text()):
            yield module.name, source


def commands_in(name, source):
    """The first arguments of `program.argv` in a module: texts, or constants of its own."""
    module = importlib.import_module(name)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "program.argv":
            first = node.args[0]
            if isinstance(first, ast.Constant):
                yield first.value
            else:
                value = module
                for part in ast.unparse(first).split("."):
                    value = getattr(value, part)
                yield value


def test_each_command_that_is_called_is_there():
    called = {
        (name, command)
        for name, source in modules_that_call_the_program()
        for command in commands_in(name, source)
    }
    # The worker names commands by their text alone.
    called |= {
        (path.name, command)
        for path in (ROOT / "worker/src").rglob("*.py")
        for command in re.findall(r'program\.argv\(\s*"(.*?)"', path.read_text())
    }
    assert len(called) > 20
    there = commands_of_the_program()
    missing = sorted(one for one in called if one[1] not in there)
    assert not missing, f"no such command in {MAIN.relative_to(ROOT)}: {missing}. Then {RAISE}"


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
