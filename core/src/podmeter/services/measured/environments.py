"""What has to be known of the environments that cases were measured in."""

import uuid
from collections.abc import Callable, Collection, Iterable, Mapping

from podmeter.services.kept import Kept
from podmeter.services.measured.runs import MeasuredCase

#: Reads the contents of fingerprints by their ids.
ReadFingerprints = Callable[[Collection[uuid.UUID]], Mapping[uuid.UUID, Mapping[str, object]]]

#: Contents never change: another environment is another fingerprint.
_CONTENTS: Kept[uuid.UUID, Mapping[str, object]] = Kept(64)


def kept_fingerprints(read: ReadFingerprints) -> ReadFingerprints:
    """Reads those alone that this process did not read before.

    The ids must be of what the reader may see: what was kept is given without asking.
    """

    def reading(ids: Collection[uuid.UUID]) -> Mapping[uuid.UUID, Mapping[str, object]]:
        known = {id_: _CONTENTS.get(id_) for id_ in ids}
        found = {id_: content for id_, content in known.items() if content is not None}
        missing = [id_ for id_ in known if id_ not in found]
        new = read(missing) if missing else {}
        for id_, content in new.items():
            _CONTENTS.put(id_, content)
        return {**found, **new}

    return reading


def shared_host(cases: Iterable[MeasuredCase], read_fingerprints: ReadFingerprints) -> bool:
    """Whether some nodes of a cluster that a case was measured on are one machine."""
    ids = {id_ for case in cases for id_ in case.fingerprints if id_ is not None}
    found = read_fingerprints(ids) if ids else {}
    return any(one.get("shared_host") is True for one in found.values())
