"""The share of trials that failed, as every kind's runs have it where any trial did.

What is measured says nothing of a trial that failed, so a mode that fails often looks no worse than
its other trials. This metric lets the two sides' failures stand beside their figures.
"""

from podmeter.domain.measurement import Direction, MetricDefinition, Unit

FAILED_TRIALS = MetricDefinition(
    name="failed_trials",
    unit=Unit.RATIO,
    direction=Direction.LOWER,
    # A trial in fifty.
    noise=0.02,
)
