"""Numbers in, numbers out: summaries, comparisons, losses, trends, crossovers, units.

Imports nothing else of the project. Undefined is None plus a warning, never 0.
"""

from podmeter.statistics.advice import Advice, Remedy, advise
from podmeter.statistics.by_rounds import compare_all
from podmeter.statistics.centres import Centres, Estimator, centres
from podmeter.statistics.comparison import Comparison, Pairing
from podmeter.statistics.crossover import Crossover, find_crossover
from podmeter.statistics.curve import Curve
from podmeter.statistics.family import corrected
from podmeter.statistics.interval import Estimate, Interval
from podmeter.statistics.looks import least_rounds, look_p
from podmeter.statistics.method import METHOD_VERSION
from podmeter.statistics.noise_floor import (
    RUNS_NEEDED,
    FloorArm,
    FloorRun,
    Floors,
    NoiseFloor,
    Spread,
    Squares,
    noise_floor,
)
from podmeter.statistics.power import visible_effect
from podmeter.statistics.prospect import HOPELESS, chance_to_decide
from podmeter.statistics.quantiles import quantile
from podmeter.statistics.relative import RelativeLoss, loss_of, relative_loss
from podmeter.statistics.sample import Sample
from podmeter.statistics.summary import Summary, median, summarize
from podmeter.statistics.trend import (
    Flatness,
    Shape,
    Trend,
    TrendDifference,
    trend,
    trend_difference,
)
from podmeter.statistics.units import (
    Quantity,
    format_change,
    format_factor,
    format_figure,
    format_quantity,
    parse_quantity,
    to_base,
)
from podmeter.statistics.verdict import (
    Direction,
    Level,
    NoiseThreshold,
    Reason,
    Verdict,
    rounds_needed,
)
from podmeter.statistics.warnings import StatisticsWarning, WarningCode
from podmeter.statistics.worst import OutlyingGroup, outlying_group, outlying_rounds, worst_first

__all__ = [
    "HOPELESS",
    "METHOD_VERSION",
    "RUNS_NEEDED",
    "Advice",
    "Centres",
    "Comparison",
    "Crossover",
    "Curve",
    "Direction",
    "Estimate",
    "Estimator",
    "Flatness",
    "FloorArm",
    "FloorRun",
    "Floors",
    "Interval",
    "Level",
    "NoiseFloor",
    "NoiseThreshold",
    "OutlyingGroup",
    "Pairing",
    "Quantity",
    "Reason",
    "RelativeLoss",
    "Remedy",
    "Sample",
    "Shape",
    "Spread",
    "Squares",
    "StatisticsWarning",
    "Summary",
    "Trend",
    "TrendDifference",
    "Verdict",
    "WarningCode",
    "advise",
    "centres",
    "chance_to_decide",
    "compare_all",
    "corrected",
    "find_crossover",
    "format_change",
    "format_factor",
    "format_figure",
    "format_quantity",
    "least_rounds",
    "look_p",
    "loss_of",
    "median",
    "noise_floor",
    "outlying_group",
    "outlying_rounds",
    "parse_quantity",
    "quantile",
    "relative_loss",
    "rounds_needed",
    "summarize",
    "to_base",
    "trend",
    "trend_difference",
    "visible_effect",
    "worst_first",
]
