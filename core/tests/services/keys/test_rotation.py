"""Rotating keys while the service runs: nothing is lost, and the old key can be taken away."""

import os
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from core.tests.commands import Commands
from sqlalchemy import LargeBinary, text

from podmeter.credentials.envelope import Binding, seal, unseal
from podmeter.credentials.key_ring import KeyRing, generate_key
from podmeter.db.base import Base, now
from podmeter.db.models import Cluster, IdempotencyKey, Organization, User
from podmeter.db.session import Sessions
from podmeter.services.clusters.kubeconfigs import binding
from podmeter.services.keys.rotation import rotate, status
from podmeter.services.keys.sealed import SEALED, answer_binding
from podmeter.settings import environment_names
from podmeter.stack.process import wait_until

pytestmark = pytest.mark.services
OLD, NEW, LOST = generate_key(), generate_key(), generate_key()
BEFORE, BOTH, AFTER = (KeyRing.parse(keys) for keys in (OLD, f"{NEW},{OLD}", NEW))
#: Never encrypted: digests, and what tools printed.
PLAIN = {
    ("fingerprints", "digest"),
    ("idempotency_keys", "request_hash"),
    ("invocations", "stdout"),
    ("invocations", "stderr"),
    ("snapshots", "picture"),
}


def nothing(name: str, rows: int) -> None:
    pass


def until(condition: Callable[[], bool], what: str) -> None:
    assert wait_until(condition, 60), what


def config(number: int) -> bytes:
    return f"kubeconfig {number}".encode()


@pytest.fixture
def clusters(sessions: Sessions) -> list[uuid.UUID]:
    """Clusters under the old key, in the order of their ids."""
    ids = sorted(uuid.uuid4() for _ in range(120))
    with sessions.begin() as session:
        organization = Organization(name="ours")
        session.add(organization)
        session.flush()
        for number, one in enumerate(ids):
            row = Cluster(
                id=one, organization_id=organization.id, name=str(one), server="https://k"
            )
            row.kubeconfig = seal(config(number), binding(row), BEFORE)
            session.add(row)
    return ids


def opened(sessions: Sessions, ring: KeyRing, one: uuid.UUID) -> bytes:
    with sessions() as session:
        row = session.get_one(Cluster, one)
        return unseal(row.kubeconfig, binding(row), ring)


def by_key(sessions: Sessions, ring: KeyRing) -> dict[tuple[str, bytes | None], int]:
    return {(one.name, one.key_id): one.rows for one in status(sessions, ring).found}


def is_waiting(sessions: Sessions) -> bool:
    with sessions() as session:
        return bool(session.scalar(text("SELECT count(*) FROM pg_locks WHERE NOT granted")))


def test_every_stored_envelope_is_known() -> None:
    binary = {
        (table.name, column.name)
        for table in Base.metadata.tables.values()
        for column in table.columns
        if isinstance(column.type, LargeBinary)
    }
    sealed = {(one.column.class_.__tablename__, one.column.key) for one in SEALED}
    assert binary == sealed | PLAIN
    assert not sealed & PLAIN


def test_after_a_rotation_the_old_key_can_be_taken_away(
    sessions: Sessions, clusters: list[uuid.UUID]
) -> None:
    with sessions.begin() as session:
        organization = session.query(Organization).one()
        user = User(email="ada@example.org", password_hash="none")
        session.add(user)
        session.flush()
        for key, body in (("answered", b"the token"), ("under way", None)):
            row = IdempotencyKey(
                organization_id=organization.id, user_id=user.id, key=key, request_hash=b""
            )
            row.expires_at = now()
            row.body = body and seal(body, answer_binding(row), BEFORE)
            session.add(row)
    old, new = BEFORE.primary.key_id, AFTER.primary.key_id
    assert by_key(sessions, BOTH) == {("kubeconfigs", old): 120, ("kept answers", old): 1}
    assert not status(sessions, BOTH).only_primary
    noted: list[tuple[str, int]] = []
    rotated = rotate(sessions, BOTH, lambda name, rows: noted.append((name, rows)))
    assert (rotated.rows, rotated.unopened) == (121, ())
    assert noted == [
        ("kubeconfigs", 50),
        ("kubeconfigs", 100),
        ("kubeconfigs", 120),
        ("kept answers", 1),
    ]
    assert by_key(sessions, AFTER) == {("kubeconfigs", new): 120, ("kept answers", new): 1}
    assert status(sessions, AFTER).only_primary
    assert [opened(sessions, AFTER, one) for one in clusters] == [config(n) for n in range(120)]
    with sessions() as session:
        row = session.query(IdempotencyKey).filter_by(key="answered").one()
        assert row.body is not None
        assert unseal(row.body, answer_binding(row), AFTER) == b"the token"
    assert rotate(sessions, BOTH, nothing).rows == 0


def test_a_change_meanwhile_is_kept_and_re_encrypted_too(
    sessions: Sessions, clusters: list[uuid.UUID]
) -> None:
    """Its writer still has the old key first, as a process that was not restarted yet."""
    changed, gone = clusters[60], clusters[90]
    rotated: list[Any] = []
    thread = threading.Thread(target=lambda: rotated.append(rotate(sessions, BOTH, nothing)))
    with sessions.begin() as session:
        row = session.get_one(Cluster, changed, with_for_update=True)
        session.delete(session.get_one(Cluster, gone))
        session.flush()
        thread.start()
        until(lambda: is_waiting(sessions), "the rotation never came to the row")
        row.kubeconfig = seal(b"another cluster", binding(row), BEFORE)
        row.version += 1
    thread.join(60)
    assert not thread.is_alive()
    assert (rotated[0].rows, rotated[0].unopened) == (119, ())
    assert opened(sessions, AFTER, changed) == b"another cluster"
    assert status(sessions, AFTER).only_primary


def test_what_was_done_before_a_kill_stays_and_the_next_call_goes_on(
    sessions: Sessions, clusters: list[uuid.UUID], database_url: str, command: Commands
) -> None:
    old, new = BEFORE.primary.key_id, AFTER.primary.key_id
    environment = {k: v for k, v in os.environ.items() if k not in environment_names()}
    environment |= {
        "DATABASE_URL": database_url.replace("postgresql+psycopg", "postgresql"),
        "PODMETER_ENCRYPTION_KEYS": f"{NEW},{OLD}",
    }

    argv = [sys.executable, "-m", "podmeter.cli", "keys", "rotate"]
    with sessions.begin() as session:
        session.get_one(Cluster, clusters[70], with_for_update=True)
        killed = subprocess.Popen(argv, env=environment, stderr=subprocess.PIPE, text=True)
        until(lambda: is_waiting(sessions), "the rotation never came to the row")
        killed.kill()
        killed.communicate(timeout=60)
    until(lambda: not is_waiting(sessions), "the killed one's statement did not end")
    assert by_key(sessions, BOTH)["kubeconfigs", new] in (70, 71)
    told = command(environment, "keys", "status")
    assert told.returncode == 2, told.stderr
    left = by_key(sessions, BOTH)["kubeconfigs", old]
    assert f"key {old.hex()} (decrypts): {left} " in told.stderr
    again = command(environment, "keys", "rotate")
    assert again.returncode == 0, again.stderr
    assert f"key {new.hex()} (the first, encrypts): 120 kubeconfigs" in again.stderr
    assert f"key {old.hex()} (decrypts): nothing" in again.stderr
    environment["PODMETER_ENCRYPTION_KEYS"] = NEW
    alone = command(environment, "keys", "status")
    assert alone.returncode == 0, alone.stderr
    assert [opened(sessions, AFTER, one) for one in clusters] == [config(n) for n in range(120)]


def test_a_missing_key_is_named_and_the_rest_goes_on(
    sessions: Sessions, clusters: list[uuid.UUID]
) -> None:
    lost = KeyRing.parse(LOST)
    with sessions.begin() as session:
        row = session.get_one(Cluster, clusters[5])
        row.kubeconfig = seal(b"lost", binding(row), lost)
        session.get_one(Cluster, clusters[6]).kubeconfig = b"damaged"
        moved = session.get_one(Cluster, clusters[7])
        moved.kubeconfig = seal(b"of another row", Binding("elsewhere", "x"), BEFORE)
    rotated = rotate(sessions, BOTH, nothing)
    assert rotated.rows == 117
    assert [one.row for one in rotated.unopened] == [(one,) for one in clusters[5:8]]
    assert lost.primary.key_id.hex() in rotated.unopened[0].reason
    found = status(sessions, BOTH)
    assert (found.only_primary, found.rows_left) == (False, 3)
    assert by_key(sessions, BOTH) == {
        ("kubeconfigs", AFTER.primary.key_id): 117,
        ("kubeconfigs", lost.primary.key_id): 1,
        ("kubeconfigs", BEFORE.primary.key_id): 1,
        ("kubeconfigs", None): 1,
    }
