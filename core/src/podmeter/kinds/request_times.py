"""What single HTTP requests by curl measure, one after another.

A sample's unit is the trial: its requests give it a mean and percentiles, never a number n.
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from podmeter.domain.measurement import Direction, MetricDefinition, Unit, duration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from podmeter.drivers.curl import Request
    from podmeter.kinds.recording import Recorder


TOTAL_MEAN = duration("curl_total_mean", main=True)
TOTAL_P50 = duration("curl_total_p50")
TOTAL_P90 = duration("curl_total_p90")
NAMELOOKUP_MEAN = duration("curl_namelookup_mean", noise=20e-6)
CONNECT_MEAN = duration("curl_connect_mean")
STARTTRANSFER_MEAN = duration("curl_starttransfer_mean")
PROCESS_MEAN = duration("curl_process_mean")
#: Ends and beginnings are of `curl --write-out`; what lies between two of them is a part.
PARTS = MetricDefinition(
    name="request_parts",
    unit=Unit.SECONDS,
    direction=Direction.NONE,
    parts=("name-lookup", "tcp-connect", "request-ready", "first-byte", "last-byte"),
)
METRICS = (
    TOTAL_MEAN,
    TOTAL_P50,
    TOTAL_P90,
    NAMELOOKUP_MEAN,
    CONNECT_MEAN,
    STARTTRANSFER_MEAN,
    PROCESS_MEAN,
)


def record(recorder: Recorder, requests: Sequence[Request]) -> None:
    """Measure what a trial's requests took."""
    # Here, not above: an idle worker need not hold numpy's 20 MB.
    import numpy as np

    totals = [one.total for one in requests]
    for metric, value in (
        (TOTAL_MEAN, fmean(totals)),
        (TOTAL_P50, float(np.percentile(totals, 50))),
        (TOTAL_P90, float(np.percentile(totals, 90))),
        (NAMELOOKUP_MEAN, fmean(one.namelookup for one in requests)),
        (CONNECT_MEAN, fmean(one.connect for one in requests)),
        (STARTTRANSFER_MEAN, fmean(one.starttransfer for one in requests)),
        (PROCESS_MEAN, fmean(one.process for one in requests)),
    ):
        recorder.measure(metric.name, value)


def record_parts(recorder: Recorder, requests: Sequence[Request]) -> None:
    """Measure what each part of a trial's requests took."""
    ends = [
        (one.namelookup, one.connect, one.pretransfer, one.starttransfer, one.total)
        for one in requests
    ]
    means = [fmean(end) for end in zip(*ends, strict=True)]
    for part, begin, end in zip(PARTS.parts, (0.0, *means), means, strict=False):
        recorder.measure(PARTS.name, end - begin, part)
