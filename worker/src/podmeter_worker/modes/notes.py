"""What stood before a switch, written into the cluster itself: on the object that is switched.

So any Podmeter can tell that a cluster is not as its owner left it, also one whose database knows
nothing of the switch. It stays there until everything is restored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from podmeter.domain.cluster_report import StoodBefore
from podmeter.domain.errors import PreconditionError
from podmeter.domain.labels import STOOD_BEFORE
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


def read(found: Object) -> StoodBefore | None:
    """The note on an object, if there is one. Raises PreconditionError for one nobody can read."""
    text = (found["metadata"].get("annotations") or {}).get(STOOD_BEFORE)
    if text is None:
        return None
    try:
        if len(text) > _LONGEST:
            raise ValueError("too long")
        return StoodBefore.model_validate_json(text)
    except (ValidationError, ValueError) as error:
        metadata = found["metadata"]
        where = "/".join(metadata[one] for one in ("namespace", "name") if metadata.get(one))
        raise PreconditionError(say("note_unreadable", name=where, key=STOOD_BEFORE)) from error


def read_all(client: KubeClient, paths: Iterable[str]) -> list[StoodBefore]:
    """The notes on those of the objects that there are, and may be read.

    Where a mode is set by several objects, each has the same note, which is given once.
    """
    notes: list[StoodBefore] = []
    for path in paths:
        try:
            found = client.find(path)
        except ApiRefusedError as error:
            if error.status != 403:
                raise
            continue
        note = None if found is None else read(found)
        if note is not None and all(one.values != note.values for one in notes):
            notes.append(note)
    return notes


def write(client: KubeClient, path: str, note: StoodBefore) -> None:
    """Note the current mode before the first switch.

    Raises PreconditionError where another one's note stands, FencedError where a later worker of
    this run has written it.
    """

    def wanted(found: Object) -> Object | None:
        standing = read(found)
        if standing is None:
            return _annotated(note)
        _check_not_later(standing, note)
        if Holder.read(standing.holder).label != Holder.read(note.holder).label:
            raise PreconditionError(standing.said)
        return None

    change(client, path, wanted)


def claim(client: KubeClient, path: str, note: StoodBefore) -> None:
    """Begin to restore the original mode: earlier readers can no longer change the object.

    It is another's name that makes this a change.

    Raises PreconditionError where the note says that something else stood, FencedError where a
    later worker of this run has written it.
    """

    def wanted(found: Object) -> Object | None:
        standing = read(found)
        if standing is not None:
            _check_not_later(standing, note)
            if standing.values != note.values:
                raise PreconditionError(standing.said)
        since = note.since if standing is None else standing.since
        return _annotated(note.model_copy(update={"since": since}))

    change(client, path, wanted)


def forget(client: KubeClient, path: str) -> None:
    """All stands as before."""

    def wanted(found: Object) -> Object | None:
        noted = STOOD_BEFORE in (found["metadata"].get("annotations") or {})
        return {"metadata": {"annotations": {STOOD_BEFORE: None}}} if noted else None

    change(client, path, wanted)


def _annotated(note: StoodBefore) -> Object:
    return {"metadata": {"annotations": {STOOD_BEFORE: note.model_dump_json()}}}


def _check_not_later(standing: StoodBefore, note: StoodBefore) -> None:
    theirs, ours = Holder.read(standing.holder), Holder.read(note.holder)
    if theirs.label == ours.label and theirs.token > ours.token:
        raise FencedError(say("run_taken"))
