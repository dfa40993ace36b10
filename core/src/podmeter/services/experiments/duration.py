"""How long blocks take as their kind reckons, in seconds; `pace` has what a cluster makes of it."""

from collections.abc import Iterable

from podmeter.domain.experiment import ResolvedSpec
from podmeter.domain.planning import Block
from podmeter.experiments.registry import kind_of


def reckoned_seconds(spec: ResolvedSpec, blocks: Iterable[Block]) -> list[float]:
    """About how long each of the blocks takes with its trials, switching apart."""
    kind = kind_of(spec)
    each: dict[str, float] = {}
    found = []
    for block in (one.of_kind for one in blocks):
        for case in block.cases:
            if case.key not in each:
                each[case.key] = kind.trial_seconds(case, spec)
        trials = sum(each[trial.case.key] for trial in block.trials)
        found.append(trials + kind.block_seconds(spec, block))
    return found
