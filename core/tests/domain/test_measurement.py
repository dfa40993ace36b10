import math

import pytest

from podmeter.domain.measurement import Measurement, Series
from podmeter.domain.trial import Failure, TrialReport, TrialStatus


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_no_measurement(value):
    with pytest.raises(ValueError, match="finite"):
        Measurement("throughput", value)


def test_a_series_has_a_value_for_each_offset():
    with pytest.raises(ValueError, match="2 offsets, 1 values"):
        Series("throughput", (1.0, 2.0), (5.0,))


@pytest.mark.parametrize("status", [TrialStatus.FAILED, TrialStatus.VOID])
def test_a_failure_is_never_a_number(status):
    failure = Failure("tool_failed", "refused", temporary=False)
    assert TrialReport(status, failure=failure).measurements == ()
    with pytest.raises(ValueError, match="no measurements"):
        TrialReport(status, measurements=(Measurement("throughput", 0.0),), failure=failure)
    with pytest.raises(ValueError, match="must have a failure"):
        TrialReport(status)


def test_a_counted_trial_has_no_failure():
    with pytest.raises(ValueError, match="must not have a failure"):
        TrialReport(TrialStatus.COUNTED, failure=Failure("x", "y", temporary=False))
