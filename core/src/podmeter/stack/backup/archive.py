"""The file of a backup: an archive of pg_dump's custom format, and behind it what it holds.

pg_restore reads such a file as any other one: it does not look behind the last of its blocks.
What is there is a JSON document, its length, the SHA-256 of all before, and a mark: so a file that
was cut, changed, or is something else is known before anything is done with it.
"""

import hashlib
import struct
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from pydantic import BaseModel, ValidationError

from podmeter.stack.errors import StackError

_MARK = b"podmeter backup\n"
#: Length of the document, digest of archive and document.
_ENDING = struct.Struct(f">Q32s{len(_MARK)}s")
_LONGEST_DOCUMENT = 1 << 20
_PORTION = 1 << 20


class Contents(BaseModel):
    """What a backup holds. `keys` maps the id of an encryption key to the rows under it."""

    format: int = 1
    made_at: str
    podmeter: str
    revision: str
    #: The major versions of the server that was dumped, and of pg_dump.
    postgres: int
    pg_dump: int
    rows: dict[str, int]
    keys: dict[str, int]


def write(target: BinaryIO, archive: Iterable[bytes], contents: Contents) -> int:
    """Write the whole file; how many bytes it has."""
    digest, written = hashlib.sha256(), 0
    document = contents.model_dump_json().encode()
    for portion in chain(archive, [document]):
        digest.update(portion)
        target.write(portion)
        written += len(portion)
    target.write(_ENDING.pack(len(document), digest.digest(), _MARK))
    return written + _ENDING.size


def read(path: Path) -> Contents:
    """What a file holds, once all of it was looked at.

    Raises:
        StackError: it cannot be read, is no backup, was cut or changed, or is of a newer format.
    """
    try:
        with path.open("rb") as file:
            return _read(file, path)
    except OSError as error:
        raise StackError(f"{path} cannot be read: {error.strerror}") from None


def _read(file: BinaryIO, path: Path) -> Contents:
    size = file.seek(0, 2)
    file.seek(max(0, size - _ENDING.size))
    ending = file.read()
    if len(ending) < _ENDING.size or not ending.endswith(_MARK):
        raise StackError(f"{path} is no backup that `podmeter backup` made, or its end is missing")
    length, expected, _ = _ENDING.unpack(ending)
    start = size - _ENDING.size - length
    if not start > 0 or length > _LONGEST_DOCUMENT:
        raise _damaged(path)
    digest, left = hashlib.sha256(), size - _ENDING.size
    file.seek(0)
    while left:
        portion = file.read(min(_PORTION, left))
        if not portion:
            raise _damaged(path)
        digest.update(portion)
        left -= len(portion)
    if digest.digest() != expected:
        raise _damaged(path)
    file.seek(start)
    try:
        contents = Contents.model_validate_json(file.read(length))
    except ValidationError:
        raise _damaged(path) from None
    if contents.format != Contents.model_fields["format"].default:
        raise StackError(
            f"{path} was made by a newer Podmeter ({contents.podmeter}): restore by it"
        )
    return contents


def _damaged(path: Path) -> StackError:
    return StackError(f"{path} is damaged: it is not what was written into it")
