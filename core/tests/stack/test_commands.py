import os
import re
import signal
import stat
import subprocess
import sys
import urllib.request
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import TEMPLATE, create_database
from core.tests.commands import Commands
from core.tests.ports import held_port
from core.tests.strangers import Strangers

from podmeter.settings import environment_names
from podmeter.stack.postgres import EmbeddedPostgres
from podmeter.stack.process import processes_in, wait_until
from podmeter.stack.up import listening

pytestmark = pytest.mark.services

#: `podmeter-admin up` with the programs given as JSON-free Python: core's tests need no worker.
UP = """
import sys
import podmeter.stack.up as up
from podmeter.cli import main
from podmeter.stack.supervisor import Program

def programs(environment):
    return [Program("api", [sys.executable, *sys.argv[1:]], environment)]

up.programs = programs
sys.exit(main(["up"]))
"""


@pytest.fixture
def environment(folder: Path) -> Iterator[dict[str, str]]:
    """An environment without settings but a state folder and a port of its own."""
    bare = {k: v for k, v in os.environ.items() if k not in environment_names()}
    with held_port() as port:
        yield bare | {
            "PODMETER_STATE_DIR": str(folder / "state"),
            "PODMETER_PORT": str(port),
        }


@pytest.fixture
def up(environment: dict[str, str], folder: Path) -> Iterator[list[subprocess.Popen[str]]]:
    """Stacks that were started, killed after the test if they still run."""
    started: list[subprocess.Popen[str]] = []
    yield started
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


def start(environment: dict[str, str], folder: Path, *program: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", UP, *program],
        cwd=folder,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    )


def read_until(process: "subprocess.Popen[str]", text: str) -> str:
    assert process.stderr is not None
    said = ""
    for line in process.stderr:
        said += line
        if text in line:
            return said
    raise AssertionError(f"{text!r} was never said: {said}")


def podmeter(
    environment: dict[str, str], cwd: Path, *arguments: str
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "podmeter.cli", *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture
def migrated(environment: dict[str, str], postgres_server: EmbeddedPostgres) -> dict[str, str]:
    """An environment with a migrated database that has no users."""
    name = f"commands_{uuid.uuid4().hex}"
    create_database(postgres_server, name, template=TEMPLATE)
    return environment | {"DATABASE_URL": postgres_server.url(name).replace("+psycopg", "")}


def test_migrating_makes_the_first_administrator_once(
    environment: dict[str, str], folder: Path
) -> None:
    first = podmeter(environment, folder, "migrate")
    assert first.returncode == 0, first.stderr
    assert len(re.findall(r"password (\S{20,}) \(shown this once\)", first.stderr)) == 1
    second = podmeter(environment, folder, "migrate")
    assert second.returncode == 0, second.stderr
    assert "password" not in second.stderr
    secrets = folder / "state" / "secrets.env"
    assert stat.S_IMODE(secrets.stat().st_mode) == 0o600
    assert "PODMETER_ENCRYPTION_KEYS=" in secrets.read_text()


def test_a_given_password_is_not_printed(
    migrated: dict[str, str], command: Commands, caplog: pytest.LogCaptureFixture
) -> None:
    given = migrated | {"PODMETER_ADMIN_PASSWORD": "a long enough canary"}
    made = command(given, "migrate")
    assert made.returncode == 0, made.stderr
    assert "canary" not in made.stderr + made.stdout + caplog.text


def test_a_weak_first_password_is_refused(migrated: dict[str, str], command: Commands) -> None:
    refused = command(migrated | {"PODMETER_ADMIN_PASSWORD": "short"}, "migrate")
    assert refused.returncode == 1
    assert "at least 12 characters" in refused.stderr


def test_a_new_key_can_be_used(environment: dict[str, str], folder: Path) -> None:
    from podmeter.credentials.key_ring import KeyRing

    key = podmeter(environment, folder, "new-key").stdout
    assert len(KeyRing.parse(key).keys) == 1


def test_a_new_token_can_be_declared_and_any_other_text_cannot(
    environment: dict[str, str], command: Commands
) -> None:
    token = command(environment, "new-token").stdout.strip()
    good = command(environment | {"PODMETER_FIRST_TOKEN": token}, "new-key")
    assert good.returncode == 0, good.stderr
    wrong = command(environment | {"PODMETER_FIRST_TOKEN": "canary"}, "new-key")
    assert wrong.returncode == 1
    assert "podmeter-admin new-token" in wrong.stderr
    assert "canary" not in wrong.stderr


def test_a_wrong_setting_is_named_and_not_quoted(
    environment: dict[str, str], command: Commands
) -> None:
    refused = command(environment | {"PODMETER_PORT": "canary"}, "new-key")
    assert refused.returncode == 1
    assert "port" in refused.stderr
    assert "canary" not in refused.stderr


@pytest.mark.parametrize(
    ("host", "open_to_others"),
    [
        *(("127.0.0.1", False), ("::1", False), ("localhost", False)),
        *(("0.0.0.0", True), ("::", True), ("192.0.2.1", True), ("podmeter.example", True)),
    ],
)
def test_it_says_whether_other_machines_reach_it(host: str, open_to_others: bool) -> None:
    said = listening(host)
    assert ("other machines can reach it" in said) == open_to_others
    assert (f"{host} only" in said) == (not open_to_others)


def test_the_stack_comes_up_serves_has_its_keys_rotated_and_stops_cleanly(
    environment: dict[str, str],
    folder: Path,
    up: "list[subprocess.Popen[str]]",
    command: Commands,
) -> None:
    up.append(start(environment, folder, "-m", "podmeter_api"))
    read_until(up[0], "ready on")
    read_until(up[0], "listens on 127.0.0.1 only")
    port = environment["PODMETER_PORT"]
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=60) as answer:
        assert answer.status == 200
    strangers = Strangers("127.0.0.1", int(port))
    second = start(environment, folder, "-m", "podmeter_api")
    up.append(second)
    assert "another podmeter" in second.communicate(timeout=60)[1]
    assert second.returncode == 1
    both = with_a_new_key(environment, folder, command)
    rotated = command(both, "keys", "rotate")
    assert rotated.returncode == 0, rotated.stderr
    assert "every key but the first may be taken away" in rotated.stderr
    with strangers:
        strangers.assert_bounded()
    up[0].send_signal(signal.SIGINT)
    said = up[0].communicate(timeout=60)[1]
    assert up[0].returncode == 0
    assert [line.split()[-1] for line in said.splitlines() if "stopping" in line] == [
        "api",
        "redis",
        "postgres",
    ]
    state = folder / "state"
    assert not list(processes_in(state / "postgres" / "data"))
    assert not list(processes_in(state / "redis"))
    # The command starts the database for itself now.
    told = podmeter(both, folder, "keys", "status")
    assert told.returncode == 0, told.stderr
    assert not list(processes_in(state / "postgres" / "data"))


def with_a_new_key(environment: dict[str, str], folder: Path, command: Commands) -> dict[str, str]:
    """The environment with a new first key before the stack's own key."""
    new = command(environment, "new-key").stdout.strip()
    made = (folder / "state" / "secrets.env").read_text()
    old = dict(line.split("=", 1) for line in made.splitlines())["PODMETER_ENCRYPTION_KEYS"]
    return environment | {"PODMETER_ENCRYPTION_KEYS": f"{new},{old}"}


@pytest.mark.full
def test_the_stack_comes_up_again_after_a_kill_and_down_stops_it(
    environment: dict[str, str], folder: Path, up: "list[subprocess.Popen[str]]"
) -> None:
    assert "nothing runs" in podmeter(environment, folder, "down").stderr
    up.append(start(environment, folder, "-m", "podmeter_api"))
    read_until(up[0], "ready on")
    up[0].kill()
    up[0].wait(60)
    up.append(start(environment, folder, "-m", "podmeter_api"))
    said = read_until(up[1], "ready on")
    assert "first administrator" not in said
    stopped = podmeter(environment, folder, "down")
    assert stopped.returncode == 0
    assert "stopped" in stopped.stderr
    assert up[1].wait(60) == 0
    data = folder / "state" / "postgres" / "data"
    assert wait_until(lambda: not list(processes_in(data)), 60)
    assert "nothing runs" in podmeter(environment, folder, "down").stderr


def test_a_program_that_cannot_start_is_an_error_and_nothing_is_left(
    environment: dict[str, str], folder: Path, up: "list[subprocess.Popen[str]]"
) -> None:
    up.append(start(environment, folder, "-m", "no_such_module"))
    said = up[0].communicate(timeout=120)[1]
    assert up[0].returncode == 1
    assert "No module named no_such_module" in said
    assert "api ended 3 times" in said
    assert not list(processes_in(folder / "state" / "postgres" / "data"))


def test_the_manifest_is_for_measuring_unless_more_is_asked_for(
    environment: dict[str, str], folder: Path, command: Commands
) -> None:
    given = environment | {"BENCH_IMAGE": "bench:7"}
    least = podmeter(given, folder, "rbac")
    assert least.returncode == 0, least.stderr
    assert least.stdout.startswith("# What Podmeter may do in this cluster: measure.\n")
    assert 'image == "bench:7"' in least.stdout.replace("''", "'")
    assert "podmeter-host\n  labels" not in least.stdout
    more = command(given, "rbac", "host_access", "--no-admission-policy").stdout
    assert "This is cluster-admin in effect" in more
    assert "ValidatingAdmissionPolicy" not in more
    own = command(given, "rbac", "--image", "team/bench:8", "--pull-secret", "team").stdout
    assert 'image == "team/bench:8"' in own.replace("''", "'")
    assert "create secret docker-registry team" in own
    wrong = command(given, "rbac", "--image", "https://team/bench")
    assert wrong.returncode != 0
    assert "without a scheme" in wrong.stderr
    unknown = command(given, "rbac", "everything")
    assert unknown.returncode != 0
    assert "measure" in unknown.stderr
