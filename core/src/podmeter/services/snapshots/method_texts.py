"""How figures were made, in English, by the version of the method."""

_FIGURES = (
    "n counts trials, timed executions of a tool: never its own intervals or requests, and never "
    "warm-up, failed or void trials. "
    "A summary is the median of the rounds' medians with a distribution-free interval of order "
    "statistics; with fewer than 6 trials there is no 95 % interval. "
)
_RANK_TEST = (
    "van Elteren's rank test stratified by round, exact where feasible, with the "
    "Hodges-Lehmann shift and ratio and the intervals that follow from the test. "
)
_VERDICTS = (
    "Better and worse need a small p, an interval without zero effect and an effect beyond the "
    "noise threshold; same needs the whole interval inside it; all else is undecided."
)


def _between_blocks(of_runs: str, blocks: str = "modes and clusters") -> str:
    return (
        f"{_FIGURES}What was measured in the same blocks is compared by {_RANK_TEST}"
        f"Between {blocks} each round is one piece of evidence, however many trials it "
        "has: the effect is the mean of the rounds' shifts, with Student's interval and p, and "
        "the exact signed-rank test of the shifts must agree, which takes 6 rounds. "
        f"{of_runs}"
        "A curve is judged by its rounds too. "
        "p values are corrected for the comparisons made together (Benjamini and Hochberg). "
        f"{_VERDICTS}"
    )


_NO_FLOOR = _between_blocks(
    "Between runs nothing is called different until it is known how far the cluster differs "
    "from itself. "
)
_OF_RUNS = (
    "Two runs are called different where they differ by more than other runs of the same thing "
    "on the same cluster do (its noise floor), by a prediction interval of 99 %; where those are "
    "fewer than 4, or lie closer together in time, nothing is. "
)
_BY_METRIC = (
    "Each metric has a noise threshold of its own besides the relative one; what "
    "arrived as fast as it was offered is never called the same; and a curve is judged by its "
    "ratio to the control that was measured on each rung, where there is one."
)
_SET_UP_ANEW = "modes, clusters and rungs of a ladder"
_SINGLE_TRIALS = "and where each round has one trial of either side"
_BY_ROUNDS = (
    "Each round is one piece of evidence, however many trials it has: the effect is the mean of "
    "the rounds' shifts, with Student's interval and p, and the exact signed-rank test of the "
    "shifts must agree, which takes 6 rounds. What was measured beside it and no mode can change "
    "(the control) is a covariate. All that is compared together is one family (Holm), and its "
    "intervals hold together. A run that looks after each round holds every look to a smaller p "
    "(Pocock). "
)
_FAMILIES = f"{_FIGURES}{_BY_ROUNDS}{_OF_RUNS}{_VERDICTS} {_BY_METRIC}"
_CLIENT = (
    "A rate is never called the same where the client limited most trials of both sides: by its "
    "CPU, by a CPU quota, or by too few requests at a time."
)
_KEPT_CONNECTIONS = (
    "The control of kube-proxy's modes and of rungs is what kept connections do, as new ones pass "
    "kube-proxy's rules whatever their destination."
)
#: By the version of the method.
STATISTICS = {
    1: f"{_FIGURES}A comparison is {_RANK_TEST}{_VERDICTS}",
    2: _NO_FLOOR,
    3: f"{_NO_FLOOR} {_BY_METRIC}",
    4: f"{_between_blocks(_OF_RUNS)} {_BY_METRIC}",
    5: f"{_between_blocks(_OF_RUNS, _SET_UP_ANEW)} {_BY_METRIC}",
    6: f"{_between_blocks(_OF_RUNS, f'{_SET_UP_ANEW}, {_SINGLE_TRIALS},')} {_BY_METRIC}",
    7: _FAMILIES,
    8: f"{_FAMILIES} {_CLIENT}",
    9: f"{_FAMILIES} {_CLIENT} {_KEPT_CONNECTIONS}",
}
