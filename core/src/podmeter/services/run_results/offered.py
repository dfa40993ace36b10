"""Whether a figure is what was asked for: then it could not have been more, whatever is there."""

from collections.abc import Iterable

from podmeter.services.run_results.runs import MeasuredSample

#: What arrived is counted over another time than what was sent, so it is never quite the same.
_LEAST_SLACK = 0.01


def at_offered_rate(one: MeasuredSample, samples: Iterable[MeasuredSample], noise: float) -> bool:
    """Whether a sample reaches the metric that caps it, but for what the threshold calls noise.

    `samples` are all of its case; False where its metric has no cap, or none was measured: a case
    is of one protocol, and has at most one.
    """
    names = one.metric.capped_by
    caps = (other.sample.centre for other in samples if other.metric.name in names)
    cap = next(caps, None)
    got = one.sample.centre
    if cap is None or got is None:
        return False
    return got >= (1 - max(noise, _LEAST_SLACK)) * cap
