"""The record of a switch, with the original mode, as an annotation of the object that is switched.

So any Podmeter can tell that a cluster is not as its owner left it, also one whose database knows
nothing of the switch. It stays there until everything is restored.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pydantic import ValidationError

from podmeter.domain.cluster_report import UnrestoredSwitch
from podmeter.domain.errors import PreconditionError
from podmeter.domain.labels import UNRESTORED_SWITCH
from podmeter.domain.messages import say
from podmeter.services.errors import FencedError
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.kube.lease import Holder
from podmeter_worker.modes.changes import change

if TYPE_CHECKING:
    from collections.abc import Iterable

    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.resources import Object

_LONGEST = 64 * 1024
#: Of the note in the cluster alone.
_MTU_RESTARTS = "mtu_restarts"


def read(item: Object) -> UnrestoredSwitch | None:
    """The note on an object, if there is one. Raises PreconditionError for one nobody can read."""
    text = (item["metadata"].get("annotations") or {}).get(UNRESTORED_SWITCH)
    if text is None:
        return None
    try:
        if len(text) > _LONGEST:
            raise ValueError("too long")
        return UnrestoredSwitch.model_validate_json(text)
    except (ValidationError, ValueError) as error:
        metadata = item["metadata"]
        where = "/".join(metadata[one] for one in ("namespace", "name") if metadata.get(one))
        raise PreconditionError(
            say("note_unreadable", name=where, key=UNRESTORED_SWITCH)
        ) from error


def read_all(client: KubeClient, paths: Iterable[str]) -> list[UnrestoredSwitch]:
    """The notes on those of the objects that there are, and may be read.

    Where a mode is set by several objects, each has the same note, which is given once.
    """
    notes: list[UnrestoredSwitch] = []
    for path in paths:
        try:
            item = client.find(path)
        except ApiRefusedError as error:
            if error.status != 403:
                raise
            continue
        note = None if item is None else read(item)
        if note is not None and all(one.values != note.values for one in notes):
            notes.append(note)
    return notes


def require_own(client: KubeClient, path: str, holder: Holder) -> None:
    """Raise where another one's note says that what is set here is not the original mode.

    PreconditionError, or FencedError where a later worker of this run has written it.
    """
    record = read(client.get(path))
    if record is not None:
        _check_own(record, holder)


def write(client: KubeClient, path: str, note: UnrestoredSwitch) -> None:
    """Note the current mode before the first switch.

    Raises PreconditionError where another one's note stands, FencedError where a later worker of
    this run has written it.
    """

    def add_record(item: Object) -> Object | None:
        record = read(item)
        if record is None:
            return _annotated(note)
        _check_own(record, Holder.read(note.holder))
        return None

    change(client, path, add_record)


def claim(client: KubeClient, path: str, note: UnrestoredSwitch) -> int:
    """Begin to restore the original mode: earlier readers can no longer change the object.

    Returns how often restores have restarted the pod network for pods' MTU alone.

    Raises PreconditionError where the note says that something else stood, FencedError where a
    later worker of this run has written it.
    """
    restarts = 0

    def replace_record(item: Object) -> Object | None:
        nonlocal restarts
        record, restarts = read(item), _mtu_restarts(item)
        if record is not None:
            _check_not_later(record, Holder.read(note.holder))
            if record.values != note.values:
                raise PreconditionError(record.said)
        since = note.since if record is None else record.since
        return _annotated(note.model_copy(update={"since": since}), restarts)

    change(client, path, replace_record)
    return restarts


def count_mtu_restart(client: KubeClient, path: str, holder: Holder) -> None:
    """Note that a restore has restarted the pod network for pods' MTU alone, by who claimed it.

    Raises PreconditionError or FencedError where somebody else has claimed it since.
    """

    def add_restart(item: Object) -> Object | None:
        record = read(item)
        if record is None:
            return None
        _check_own(record, holder)
        return _annotated(record, _mtu_restarts(item) + 1)

    change(client, path, add_restart)


def forget(client: KubeClient, path: str) -> None:
    """Remove the record: the original mode is restored."""

    def remove_record(item: Object) -> Object | None:
        noted = UNRESTORED_SWITCH in (item["metadata"].get("annotations") or {})
        return {"metadata": {"annotations": {UNRESTORED_SWITCH: None}}} if noted else None

    change(client, path, remove_record)


def _annotated(note: UnrestoredSwitch, restarts: int = 0) -> Object:
    text = json.dumps({**note.model_dump(mode="json"), _MTU_RESTARTS: restarts})
    return {"metadata": {"annotations": {UNRESTORED_SWITCH: text}}}


def _mtu_restarts(item: Object) -> int:
    """The number in a note that `read` can read; 0 for one without that."""
    text = (item["metadata"].get("annotations") or {}).get(UNRESTORED_SWITCH)
    restarts = 0 if text is None else json.loads(text).get(_MTU_RESTARTS)
    return restarts if isinstance(restarts, int) else 0


def _check_own(record: UnrestoredSwitch, ours: Holder) -> None:
    _check_not_later(record, ours)
    if Holder.read(record.holder).label != ours.label:
        raise PreconditionError(record.said)


def _check_not_later(record: UnrestoredSwitch, ours: Holder) -> None:
    theirs = Holder.read(record.holder)
    if theirs.label == ours.label and theirs.token > ours.token:
        raise FencedError(say("run_taken"))
