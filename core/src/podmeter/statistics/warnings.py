"""Warnings are data: what a reader must know about a figure, with the numbers behind it."""

from dataclasses import dataclass
from enum import StrEnum


class WarningCode(StrEnum):
    """Why a figure is missing or must be read with care. A user interface translates by it."""

    NO_TRIALS = "no_trials"
    TOO_FEW_TRIALS = "too_few_trials"
    TOO_FEW_ROUNDS = "too_few_rounds"
    NO_COMMON_ROUND = "no_common_round"
    ROUND_WITHOUT_COUNTERPART = "round_without_counterpart"
    CONSTANT_SAMPLE = "constant_sample"
    ROUNDS_DIFFER = "rounds_differ"
    ROUNDS_DISAGREE = "rounds_disagree"
    GROUPS_DIFFER = "groups_differ"
    RATIO_UNDEFINED = "ratio_undefined"
    QUANTILE_BEYOND_TRIALS = "quantile_beyond_trials"
    NORMAL_APPROXIMATION = "normal_approximation"
    POINT_MISSING = "point_missing"
    CURVES_CROSS_AGAIN = "curves_cross_again"
    CLIENT_LIMITED = "client_limited"
    SLOWER_CLIENT_LIMITED = "slower_client_limited"


_TEXTS = {
    WarningCode.NO_TRIALS: "no counted trials",
    WarningCode.TOO_FEW_TRIALS: "too few trials for an interval",
    WarningCode.TOO_FEW_ROUNDS: "too few rounds for a verdict",
    WarningCode.NO_COMMON_ROUND: "no round has trials of both samples",
    WarningCode.ROUND_WITHOUT_COUNTERPART: "rounds with trials of one sample only were left out",
    WarningCode.CONSTANT_SAMPLE: "all trials of a sample gave the same value",
    WarningCode.ROUNDS_DIFFER: "the rounds differ by more than their trials explain",
    WarningCode.ROUNDS_DISAGREE: "a round shows a clear effect in the opposite direction",
    WarningCode.GROUPS_DIFFER: "the spread between node pairs makes the interval wider",
    WarningCode.RATIO_UNDEFINED: "a value is zero or negative, so a ratio has no meaning",
    WarningCode.QUANTILE_BEYOND_TRIALS: "too few trials for such an extreme quantile",
    WarningCode.NORMAL_APPROXIMATION: "too many trials for an exact p; a normal approximation",
    WarningCode.POINT_MISSING: "points of only one curve, or without trials, were left out",
    WarningCode.CURVES_CROSS_AGAIN: "the curves cross more than once; the first is given",
    WarningCode.CLIENT_LIMITED: (
        "the client was at its limit on the faster side, so the difference may be larger"
    ),
    WarningCode.SLOWER_CLIENT_LIMITED: (
        "the client was at its limit on the slower side alone, so a part of the difference may be "
        "the client's"
    ),
}


@dataclass(frozen=True)
class StatisticsWarning:
    """A code, and where numbers explain it, what was needed and what was found."""

    code: WarningCode
    needed: float | None = None
    found: float | None = None

    @property
    def message(self) -> str:
        """One English sentence without a full stop, like "too few trials ... (need 6, have 5)"."""
        text = _TEXTS[self.code]
        if self.needed is not None and self.found is not None:
            return f"{text} (need {self.needed:g}, have {self.found:g})"
        if self.found is not None:
            return f"{text} ({self.found:.3g})"
        return text
