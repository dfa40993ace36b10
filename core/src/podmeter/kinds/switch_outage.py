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
#: What was measured with between a third and three times as many Service ports tells of them.
_NEAR = 3.0


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


def predicted_outage(ports: int, measured: Iterable[tuple[int, float]]) -> tuple[float, int]:
    """Seconds with so many Service ports, and by how many measured switches: 0 where assumed.

    `measured` are (Service ports, seconds) of switches on the same cluster.
    """
    ratios = [
        seconds / assumed_outage(there)
        for there, seconds in measured
        if max(ports, 1) / _NEAR <= max(there, 1) <= max(ports, 1) * _NEAR
    ]
    assumed = assumed_outage(ports)
    return (assumed * median(ratios), len(ratios)) if ratios else (assumed, 0)
