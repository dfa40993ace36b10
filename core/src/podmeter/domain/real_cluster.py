"""Which cluster it really is, however often and under whatever address it was registered."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class RealCluster:
    """One real cluster: the UID of its kube-system namespace, and who vouches for that.

    A UID is a text that any server may answer. `authority` is a digest of what its answer was
    verified by (see `podmeter_worker.kube.facts.identity`), which nobody has who is not given it
    by the cluster; so two registrations are one real cluster only if both agree. It is "" where
    nobody has looked yet.
    """

    uid: str
    authority: str = ""
