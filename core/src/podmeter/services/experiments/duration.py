"""How long blocks take as their kind reckons, in seconds; `pace` has what a cluster makes of it."""

from collections.abc import Iterable

from podmeter.domain.experiment import ResolvedSpec
from podmeter.domain.planning import Block
from podmeter.experiments.registry import kind_of

#: Preparing and cleaning of a block: its pods are made, reached and removed; and before its first
#: block and after its last one, a run's preflight and sweep. On the testbed six blocks of
#: network_policy take 34 s besides their trials, and the median of preparing and cleaning is 3.9 to
#: 6.3 s by kind (the notes of `overhead` in docs/benchmarks.md).
SET_UP_SECONDS, AROUND_SECONDS = 4.0, 10.0


def reckoned_seconds(spec: ResolvedSpec, blocks: Iterable[Block]) -> list[float]:
    """About how long each of the blocks takes with its set-up and its trials, switching apart."""
    kind = kind_of(spec)
    each: dict[str, float] = {}
    found = []
    for block in (one.of_kind for one in blocks):
        for case in block.cases:
            if case.key not in each:
                each[case.key] = kind.trial_seconds(case, spec)
        trials = sum(each[trial.case.key] for trial in block.trials)
        found.append(SET_UP_SECONDS + trials + kind.block_seconds(spec, block))
    return found
