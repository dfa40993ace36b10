"""The doctor, with everything up, with half of it down, and with nothing at all."""

import json
import os
import subprocess
import sys
import threading
import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import redis
from conftest import MIGRATIONS, create_database
from core.tests.commands import Commands
from pydantic import SecretStr

from podmeter.credentials.envelope import seal
from podmeter.credentials.key_ring import KeyRing, generate_key
from podmeter.db.base import now
from podmeter.db.models import Cluster, Organization, PreflightState
from podmeter.db.session import Sessions
from podmeter.services.clusters.kubeconfigs import binding
from podmeter.settings import Settings, environment_names
from podmeter.stack import heartbeats
from podmeter.stack.doctor import examine, servers, stored
from podmeter.stack.doctor.finding import Check, Finding, Level, looked
from podmeter.stack.heartbeats import Part
from podmeter.stack.postgres import EmbeddedPostgres
from podmeter.stack.shortages import Resource, Shortage

pytestmark = pytest.mark.services
KEYS, LOST = generate_key(), generate_key()
SECRET = "a-canary-of-a-password"


@pytest.fixture
def broker(redis_url: str):
    client = redis.Redis.from_url(redis_url)
    client.delete(heartbeats.KEY)
    yield client
    client.delete(heartbeats.KEY)
    client.close()


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine all looks at once take longer than the doctor waits for them."""

    def looked_at_length(checks: Sequence[Check]) -> list[Finding]:
        return looked([replace(check, deadline_s=300.0) for check in checks])

    monkeypatch.setattr(examine, "looked", looked_at_length)
    monkeypatch.setattr(servers, "DEADLINE_S", 300.0)


@pytest.fixture
def settings(database_url: str, redis_url: str, sessions: Sessions) -> Settings:
    return Settings(_env_file=None).model_copy(
        update={
            "database_url": SecretStr(database_url),
            "redis_url": SecretStr(redis_url),
            "encryption_keys": SecretStr(KEYS),
            "migrations_dir": MIGRATIONS,
            "bench_image": "bench:1",
            "frontend_dir": None,
        }
    )


def examined(settings: Settings, capsys, **more: bool) -> tuple[int, list[dict], str]:
    """Exit code, the findings, and all that was printed."""
    code = examine.doctor(lambda: settings, clusters=more.get("clusters", False), as_json=True)
    said = capsys.readouterr()
    document = json.loads(said.out)
    assert document["healthy"] == (code == 0)
    return code, document["findings"], said.out + said.err


def levels(found: list[dict]) -> dict[str, str]:
    """The worst of each check."""
    order = [level.value for level in (Level.OK, Level.WARNING, Level.UNKNOWN, Level.FAULT)]
    worst: dict[str, str] = {}
    for one in found:
        worst[one["check"]] = max(worst.get(one["check"], "ok"), one["level"], key=order.index)
    return worst


def test_all_is_well(settings: Settings, broker: redis.Redis, capsys) -> None:
    for part in heartbeats.NEEDED:
        heartbeats.beat(broker, part, "a-machine")
    code, found, _ = examined(settings, capsys)
    names = {"settings", "database", "broker", "migrations", "keys", "clock", "parts", "resources"}
    assert levels(found) == dict.fromkeys(names | {"runs", "clusters"}, "ok")
    assert code == 0
    assert not any(one["mend"] for one in found)


def test_it_is_read_in_a_terminal(settings: Settings, broker: redis.Redis, capsys) -> None:
    heartbeats.beat(broker, Part.RUNS, "a-\x1b[2Jmachine")
    assert examine.doctor(lambda: settings, clusters=False, as_json=False) == 1
    lines = capsys.readouterr().out.splitlines()
    assert all(line.isprintable() for line in lines)
    assert any(line.startswith("ok       database    PostgreSQL") for line in lines)
    at = next(n for n, line in enumerate(lines) if line.startswith("fault    parts       upkeep"))
    assert lines[at + 1].strip().startswith("→ start it")


def test_what_runs_out_is_a_fault_and_says_what_to_do(
    settings: Settings, broker: redis.Redis, capsys
) -> None:
    for part in heartbeats.NEEDED:
        heartbeats.beat(broker, part, "a-machine")
    heartbeats.tell(broker, Part.RUNS, "a-machine", [Shortage(Resource.DISK, "3 MiB are free")])
    broker.config_set("maxmemory", 1)
    try:
        code, found, _ = examined(settings, capsys)
    finally:
        broker.config_set("maxmemory", 0)
        broker.delete(*broker.keys("podmeter:short:*"))
    assert code == 1
    faults = [one for one in found if one["level"] == "fault"]
    assert {one["check"] for one in faults} == {"resources"}
    assert [one["said"].partition(":")[0] for one in faults] == [
        "command not allowed when used memory > 'maxmemory'.",
        "runs a-machine",
    ]
    assert all(one["mend"] for one in faults)


def test_processes_that_cannot_report_are_not_well(
    settings: Settings, broker: redis.Redis, capsys
) -> None:
    """No report looked like no shortage, while Redis took none."""
    broker.config_set("maxmemory", 1)
    try:
        _, found, _ = examined(settings, capsys)
    finally:
        broker.config_set("maxmemory", 0)
    said = [one["said"] for one in found if one["level"] == "unknown"]
    assert said == ["what processes run out of: Redis takes no reports; see their logs"]
    assert not any("no process runs out" in one["said"] for one in found)


DOWN = {"database_url": f"postgresql://podmeter:{SECRET}@127.0.0.1:1/podmeter"}
OF_DATABASE = {"migrations", "keys", "runs", "clusters", "clock", "resources"}
OF_BROKER = {"parts", "clock", "resources"}
NO_REDIS = {"redis_url": f"redis://:{SECRET}@127.0.0.1:1/0"}


@pytest.mark.parametrize(
    ("away", "unknown"),
    [
        (DOWN, {"migrations", "keys", "runs", "clusters", "clock", "resources"}),
        (NO_REDIS, {"parts", "clock", "resources"}),
        (
            DOWN | NO_REDIS,
            {"migrations", "keys", "runs", "clusters", "parts", "clock", "resources"},
        ),
    ],
)
def test_half_of_it_is_down(
    settings: Settings, broker: redis.Redis, capsys, away: dict[str, str], unknown: set[str]
) -> None:
    for part in heartbeats.NEEDED:
        heartbeats.beat(broker, part, "a-machine")
    given = {name: SecretStr(url) for name, url in away.items()}
    code, found, said = examined(settings.model_copy(update=given), capsys)
    assert code == 1
    told = levels(found)
    assert {name for name, level in told.items() if level == "unknown"} == unknown
    faults = {name for name, level in told.items() if level == "fault"}
    assert faults == {name.replace("_url", "").replace("redis", "broker") for name in away}
    assert all(one["mend"] for one in found if one["level"] == "fault")
    assert SECRET not in said
    assert KEYS not in said


def test_what_hangs_is_given_up() -> None:
    over = threading.Event()
    slow = Check("slow", lambda: [Finding("slow", Level.OK, str(over.wait()))], "kick it", 0.05)
    found = looked([slow, Check("quick", lambda: [Finding("quick", Level.OK, "here")])])
    over.set()
    assert found[0] == Finding("slow", Level.FAULT, "no answer in 0.05 s", "kick it")
    assert found[1].level is Level.OK


def test_secrets_are_hidden_wherever_they_turn_up(settings: Settings, capsys, monkeypatch) -> None:
    def talkative(_: Settings):
        raise RuntimeError(f"cannot reach {DOWN['database_url']} with {KEYS}")

    monkeypatch.setattr(servers, "database", talkative)
    given = {"database_url": SecretStr(DOWN["database_url"])}
    _, found, said = examined(settings.model_copy(update=given), capsys)
    assert SECRET not in said
    assert KEYS not in said
    assert any("cannot reach *** with ***" in one["said"] for one in found)


def test_a_database_at_another_migration(
    settings: Settings, postgres_server: EmbeddedPostgres, capsys
) -> None:
    name = f"d_{uuid.uuid4().hex}"
    create_database(postgres_server, name)
    given = {"database_url": SecretStr(postgres_server.url(name))}
    _, found, _ = examined(settings.model_copy(update=given), capsys)
    (told,) = [one for one in found if one["check"] == "migrations"]
    assert "is at none, this version needs" in told["said"]
    assert "podmeter-admin migrate" in told["mend"]


def add_cluster(sessions: Sessions, name: str, keys: str = KEYS, **values: object) -> uuid.UUID:
    with sessions.begin() as session:
        owner = session.query(Organization).filter_by(name="ours").one_or_none()
        owner = owner or Organization(name="ours")
        session.add(owner)
        session.flush()
        given = {"preflight_state": PreflightState.SUCCEEDED, "preflighted_at": now(), **values}
        row = Cluster(
            id=uuid.uuid4(), organization_id=owner.id, name=name, server="https://k", **given
        )
        row.kubeconfig = seal(b"kubeconfig", binding(row), KeyRing.parse(keys))
        session.add(row)
        return row.id


def test_every_encrypted_row_is_opened(settings: Settings, sessions: Sessions, capsys) -> None:
    for number in range(120):
        add_cluster(sessions, f"c{number}")
    lost = add_cluster(sessions, "lost", LOST)
    _, found, said = examined(settings, capsys)
    (told,) = [one for one in found if one["check"] == "keys"]
    assert told["level"] == "fault"
    assert str(lost) in told["said"]
    assert KeyRing.parse(LOST).primary.key_id.hex() in told["said"]
    assert LOST not in said
    both = {"encryption_keys": SecretStr(f"{KEYS},{LOST}")}
    _, found, _ = examined(settings.model_copy(update=both), capsys)
    (told,) = [one for one in found if one["check"] == "keys"]
    assert told["said"].startswith("all 121 encrypted rows open")


def test_clusters_that_are_not_well(settings: Settings, sessions: Sessions, capsys) -> None:
    add_cluster(sessions, "well")
    add_cluster(sessions, "left-switched", needs_restore=True, needs_restore_reason="because")
    failed = PreflightState.FAILED
    add_cluster(sessions, "away", preflight_state=failed, preflight_error="no route")
    add_cluster(sessions, "new", preflight_state=PreflightState.NEVER, preflighted_at=None)
    add_cluster(sessions, "over", credential_expires_at=now() - timedelta(days=1))
    add_cluster(sessions, "soon", credential_expires_at=now() + timedelta(days=1))
    _, found, _ = examined(settings, capsys)
    told = {one["said"].split()[0].rstrip(":"): one for one in found if one["check"] == "clusters"}
    assert {name: one["level"] for name, one in told.items()} == {
        "left-switched": "fault",
        "away": "warning",
        "new": "warning",
        "over": "fault",
        "soon": "warning",
    }
    assert "because" in told["left-switched"]["said"]
    assert "no route" in told["away"]["said"]
    assert all(one["mend"] for one in told.values())


def test_a_look_at_clusters_is_asked_of_a_worker(
    settings: Settings, sessions: Sessions, capsys
) -> None:
    """Played here: what is queued is answered."""
    add_cluster(sessions, "one")
    over, looked_at = threading.Event(), []

    def upkeep() -> None:
        while not over.wait(0.02):
            with sessions.begin() as session:
                for row in session.query(Cluster).filter_by(preflight_state=PreflightState.QUEUED):
                    row.preflight_state = PreflightState.FAILED
                    row.preflight_error = "refused just now"
                    looked_at.append(row.name)

    thread = threading.Thread(target=upkeep)
    thread.start()
    try:
        _, found, _ = examined(settings, capsys, clusters=True)
    finally:
        over.set()
        thread.join()
    assert looked_at == ["one"]
    assert any("refused just now" in one["said"] for one in found)


def test_without_a_worker_the_look_is_given_up(
    settings: Settings, sessions: Sessions, capsys, monkeypatch
) -> None:
    monkeypatch.setattr(stored, "LOOKING_S", 0.1)
    add_cluster(sessions, "one")
    _, found, _ = examined(settings, capsys, clusters=True)
    assert any(one["said"] == "one is still to be looked at" for one in found)


@pytest.mark.parametrize(("off", "level"), [(0, "ok"), (10, "warning"), (-3600, "fault")])
def test_clocks(settings: Settings, monkeypatch, off: float, level: str) -> None:
    class Wrong(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.now(UTC) + timedelta(seconds=off)

    monkeypatch.setattr(servers, "datetime", Wrong)
    for look in (servers.database_clock, servers.broker_clock):
        (told,) = look(settings)
        assert told.level == level


def test_settings_that_are_wrong_or_missing(tmp_path: Path, command: Commands) -> None:
    state = {"PODMETER_STATE_DIR": str(tmp_path / "none")}
    bare = {k: v for k, v in os.environ.items() if k not in environment_names()}
    wrong = subprocess.run(
        [sys.executable, "-m", "podmeter.cli", "doctor", "--json"],
        env=bare | state | {"PODMETER_PORT": "canary", "PODMETER_LEASE_SECONDS": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert wrong.returncode == 1
    found = json.loads(wrong.stdout)["findings"]
    said = [one["said"] for one in found if one["check"] == "settings"]
    assert [one.split(":")[0] for one in said] == ["PODMETER_PORT", "PODMETER_LEASE_SECONDS"]
    assert "canary" not in wrong.stdout + wrong.stderr
    nothing = command(state, "doctor")
    assert nothing.returncode == 1
    assert "no stack runs in" in nothing.stdout
    assert not (tmp_path / "none").exists()
    keys = command(state | {"PODMETER_ENCRYPTION_KEYS": "c2hvcnQ="}, "doctor", "--json")
    assert "c2hvcnQ" not in keys.stdout + keys.stderr
    assert "key" in keys.stdout


SERVERS = """
from podmeter.cli.commands.database import prepare_database
from podmeter.settings import Settings
from podmeter.stack.up import embedded
with embedded(Settings(), broker=True) as (completed, supervisor):
    prepare_database(completed)
    print("ready", flush=True)
    supervisor.run()
"""


def test_of_the_stack_that_runs(folder: Path, capsys) -> None:
    state = {"PODMETER_STATE_DIR": str(folder / "state")}
    bare = {k: v for k, v in os.environ.items() if k not in environment_names()}
    stack = subprocess.Popen(
        [sys.executable, "-c", SERVERS], env=bare | state, stdout=subprocess.PIPE, text=True
    )
    try:
        assert stack.stdout is not None
        assert stack.stdout.readline() == "ready\n"
        given = Settings(_env_file=None).model_copy(update={"state_dir": folder / "state"})
        told = levels(examined(given, capsys)[1])
    finally:
        stack.terminate()
        stack.communicate(timeout=60)
    assert told["database"] == told["migrations"] == told["broker"] == told["keys"] == "ok"
    assert told["parts"] == "fault"  # there are the servers alone
