"""Re-encrypting what is under an old key, while the service runs."""

from collections.abc import Callable
from dataclasses import dataclass

from podmeter.credentials.envelope import HEADER_BYTES, header_of, key_id_in, rewrap, unseal
from podmeter.credentials.errors import EnvelopeError
from podmeter.credentials.key_ring import KeyRing
from podmeter.db.repositories.sealed import (
    Identity,
    count_by_header,
    identity_of,
    replace,
    rows_without,
)
from podmeter.db.session import Sessions, unit_of_work
from podmeter.services.keys.sealed import SEALED, Sealed

#: Rows that are read at once; each is written in a transaction of its own.
_BATCH = 50


@dataclass(frozen=True)
class UnderKey:
    """How many rows are under a key; `key_id` is None for those that are no envelope at all."""

    name: str
    key_id: bytes | None
    rows: int


@dataclass(frozen=True)
class Status:
    """What is under which key. `primary` encrypts, `known` are the ids of all keys given."""

    primary: bytes
    known: frozenset[bytes]
    found: tuple[UnderKey, ...]

    @property
    def only_primary(self) -> bool:
        """Whether every other key may be taken away."""
        return self.rows_left == 0

    @property
    def rows_left(self) -> int:
        """How many rows are not under the first key."""
        return sum(one.rows for one in self.found if one.key_id != self.primary)


@dataclass(frozen=True)
class Unopened:
    """A row that could not be re-encrypted, and why: its key is missing, or it is damaged."""

    name: str
    row: Identity
    reason: str


@dataclass(frozen=True)
class Rotated:
    """How many rows were re-encrypted, and those that could not be."""

    rows: int
    unopened: tuple[Unopened, ...]


def status(sessions: Sessions, ring: KeyRing) -> Status:
    """What is under which key, at this moment."""
    found: list[UnderKey] = []
    with unit_of_work(sessions) as session:
        for sealed in SEALED:
            by_key: dict[bytes | None, int] = {}
            for header, rows in count_by_header(session, sealed.column, HEADER_BYTES).items():
                key_id = key_id_in(header)
                by_key[key_id] = by_key.get(key_id, 0) + rows
            found += [UnderKey(sealed.name, key_id, rows) for key_id, rows in by_key.items()]
    known = frozenset(key.key_id for key in ring.keys)
    return Status(ring.primary.key_id, known, tuple(found))


def unopened(sessions: Sessions, ring: KeyRing) -> tuple[int, tuple[Unopened, ...]]:
    """How many rows are encrypted, and those that do not open with the ring's keys."""
    rows, found = 0, []
    for sealed in SEALED:
        after: Identity | None = None
        while True:
            with unit_of_work(sessions) as session:
                batch = rows_without(session, sealed.column, b"", after, _BATCH)
                for row in batch:
                    after = identity_of(row)
                    try:
                        unseal(getattr(row, sealed.column.key), sealed.binding(row), ring)
                    except EnvelopeError as error:
                        found.append(Unopened(sealed.name, after, str(error)))
            rows += len(batch)
            if len(batch) < _BATCH:
                break
    return rows, tuple(found)


def rotate(sessions: Sessions, ring: KeyRing, note: Callable[[str, int], None]) -> Rotated:
    """Re-encrypt by the ring's first key what is under another one of the ring.

    Each row is written by itself, and only if it is still what was read: a change meanwhile
    wins, and is checked again. A row that cannot be decrypted is reported and left unchanged. What
    was done stays when this is stopped at any point; calling it again continues. `note` is called
    with the rows' name and how many of them are done.
    """
    done, unopened = 0, []
    for sealed in SEALED:
        rows, faults = _rotate_column(sessions, ring, sealed, note)
        done += rows
        unopened += faults
    return Rotated(done, tuple(unopened))


def _rotate_column(
    sessions: Sessions, ring: KeyRing, sealed: Sealed, note: Callable[[str, int], None]
) -> tuple[int, list[Unopened]]:
    done = 0
    while True:
        changed_meanwhile = False
        unopened: list[Unopened] = []
        after: Identity | None = None
        while batch := _read(sessions, ring, sealed, after):
            after = batch[-1][0]
            for row, old, new in batch:
                if isinstance(new, str):
                    unopened.append(Unopened(sealed.name, row, new))
                    continue
                with unit_of_work(sessions) as session:
                    written = replace(session, sealed.column, row, old, new)
                done += written
                changed_meanwhile |= not written
            note(sealed.name, done)
        if not changed_meanwhile:
            return done, unopened


def _read(
    sessions: Sessions, ring: KeyRing, sealed: Sealed, after: Identity | None
) -> list[tuple[Identity, bytes, bytes | str]]:
    """(row, what it is, what it becomes or why it cannot be opened) of the next rows."""
    found: list[tuple[Identity, bytes, bytes | str]] = []
    with unit_of_work(sessions) as session:
        header = header_of(ring.primary)
        for row in rows_without(session, sealed.column, header, after, _BATCH):
            old = getattr(row, sealed.column.key)
            try:
                new: bytes | str = rewrap(old, sealed.binding(row), ring)
            except EnvelopeError as error:
                new = str(error)
            found.append((identity_of(row), old, new))
    return found
