"""What has to be known of the environments that cases were measured in."""

import uuid
from collections.abc import Callable, Collection, Iterable, Mapping

from podmeter.services.measured.runs import MeasuredCase

#: Reads the contents of fingerprints by their ids.
ReadFingerprints = Callable[[Collection[uuid.UUID]], Mapping[uuid.UUID, Mapping[str, object]]]


def shared_host(cases: Iterable[MeasuredCase], read_fingerprints: ReadFingerprints) -> bool:
    """Whether some nodes of a cluster that a case was measured on are one machine."""
    ids = {id_ for case in cases for id_ in case.fingerprints if id_ is not None}
    found = read_fingerprints(ids) if ids else {}
    return any(one.get("shared_host") is True for one in found.values())
