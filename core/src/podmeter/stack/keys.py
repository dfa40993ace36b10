"""`podmeter-admin keys status` and `podmeter-admin keys rotate`."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from podmeter.credentials.key_ring import KeyRing
from podmeter.db.session import Sessions, make_engine, make_sessions, unit_of_work
from podmeter.services.audit.record import record_command
from podmeter.services.keys.rotation import Status
from podmeter.services.keys.rotation import rotate as rotate_keys
from podmeter.services.keys.rotation import status as status_of
from podmeter.services.work import Work
from podmeter.settings import Settings
from podmeter.stack.up import database

#: The exit code while something is not under the first key.
STILL_NEEDED = 2


def status(settings: Settings) -> int:
    """Print what is under which key; 0 if all is under the first one, else `STILL_NEEDED`."""
    with _opened(settings) as (sessions, ring):
        return _told(status_of(sessions, ring))


def rotate(settings: Settings) -> int:
    """Re-encrypt by the first key, saying how far it is; exits as `status` does."""
    with _opened(settings) as (sessions, ring):
        with unit_of_work(sessions) as session:  # before: it takes many transactions
            record_command(Work(session), "keys rotate")
        rotated = rotate_keys(
            sessions, ring, lambda name, rows: _say(f"{name}: {rows} re-encrypted")
        )
        for one in rotated.unopened:
            _say(f"left as it is, {one.name} {'/'.join(map(str, one.row))}: {one.reason}")
        return _told(status_of(sessions, ring))


@contextmanager
def _opened(settings: Settings) -> Iterator[tuple[Sessions, KeyRing]]:
    with database(settings) as completed:
        ring = KeyRing.parse(completed.require_encryption_keys())
        engine = make_engine(completed.require_database_url(), pool_size=1)
        try:
            yield make_sessions(engine), ring
        finally:
            engine.dispose()


def _told(found: Status) -> int:
    def order(key_id: bytes | None) -> tuple[bool, str]:
        return key_id != found.primary, "" if key_id is None else key_id.hex()

    ids = {found.primary, *found.known, *(one.key_id for one in found.found)}
    for key_id in sorted(ids, key=order):
        counts = [f"{one.rows} {one.name}" for one in found.found if one.key_id == key_id]
        _say(f"{_named(found, key_id)}: {', '.join(counts) or 'nothing'}")
    if found.only_primary:
        _say("every key but the first may be taken away")
        return 0
    _say(f"{found.rows_left} rows are not under the first key; keep the keys that they are under")
    return STILL_NEEDED


def _named(found: Status, key_id: bytes | None) -> str:
    if key_id is None:
        return "damaged, under no key"
    if key_id == found.primary:
        return f"key {key_id.hex()} (the first, encrypts)"
    return f"key {key_id.hex()} ({'decrypts' if key_id in found.known else 'missing'})"


def _say(message: str) -> None:
    sys.stderr.write(f"podmeter: {message}\n")
