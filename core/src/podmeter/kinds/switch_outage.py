"""How long a switch of kube-proxy's mode is taken to leave Services without rules.

Assumed where a cluster has no figures of its own; documented with its source in
docs/reference/mode-switches.md, "How long rules are missing".
"""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

#: kube-proxy ends and starts again.
RESTART_SECONDS = 5.0
#: (Service ports, seconds of a full sync), the slower of iptables and nftables on the testbed.
FULL_SYNC = ((0, 0.0), (1_000, 1.0), (5_000, 18.0), (10_000, 129.0), (15_000, 289.0))
#: What was measured with about as many Service ports tells of them; where nothing was, what was
#: with between a third and three times as many.
_NEAR = (1.25, 3.0)


def assumed_outage(ports: int) -> float:
    """Seconds with so many Service ports: linear between the documented figures, by the square of
    the number above them.
    """
    last, slowest = FULL_SYNC[-1]
    if ports > last:
        return RESTART_SECONDS + slowest * (ports / last) ** 2
    for (below, fast), (above, slow) in pairwise(FULL_SYNC):
        if ports <= above:
            return RESTART_SECONDS + fast + (slow - fast) * (ports - below) / (above - below)
    return RESTART_SECONDS


def assumed_sync(ports: int) -> float:
    """Seconds of a full sync with so many Service ports, without kube-proxy's restart."""
    return assumed_outage(ports) - RESTART_SECONDS


def predicted_outage(ports: int, measured: Iterable[tuple[int, float]]) -> tuple[float, int]:
    """Seconds with so many Service ports, and by how many measured switches: 0 where assumed.

    `measured` are (Service ports, seconds) of switches on the same cluster.
    """
    known, assumed = list(measured), assumed_outage(ports)
    for near in _NEAR:
        ratios = [
            seconds / assumed_outage(there)
            for there, seconds in known
            if max(ports, 1) / near <= max(there, 1) <= max(ports, 1) * near
        ]
        if ratios:
            return assumed * median(ratios), len(ratios)
    return assumed, 0
