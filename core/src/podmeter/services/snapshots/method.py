"""The method block: what a sceptical reader needs to repeat what was measured."""

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from podmeter.db.repositories.samples import SampleRepository
from podmeter.domain.experiment import FROZEN
from podmeter.services.snapshots.document import Environment, Method, RunMethod, ToolCommand

MOST_COMMANDS = 100

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
#: By the version of the method.
STATISTICS = {
    1: f"{_FIGURES}A comparison is {_RANK_TEST}{_VERDICTS}",
    2: _NO_FLOOR,
    3: f"{_NO_FLOOR} {_BY_METRIC}",
    4: f"{_between_blocks(_OF_RUNS)} {_BY_METRIC}",
    5: f"{_between_blocks(_OF_RUNS, _SET_UP_ANEW)} {_BY_METRIC}",
    6: f"{_between_blocks(_OF_RUNS, f'{_SET_UP_ANEW}, {_SINGLE_TRIALS},')} {_BY_METRIC}",
    7: f"{_FIGURES}{_BY_ROUNDS}{_OF_RUNS}{_VERDICTS} {_BY_METRIC}",
}


def method(
    repository: SampleRepository, run_ids: Sequence[uuid.UUID], version: int
) -> tuple[Method, tuple[str, ...]]:
    """The method of the runs, and the names of all nodes that appear in it.

    `version` is that of how the verdicts were reached.
    """
    found = repository.runs(run_ids)
    runs = {run.id: run for run, _, _ in found}
    met = [uuid.UUID(met) for _, _, blocks in found for _, met, *_ in blocks if met is not None]
    contents = _fingerprints(repository, run_ids, met)
    nodes = {str(node["name"]) for one in contents for node in one.get("nodes", ())}
    nodes |= {
        name
        for row in repository.cases(run_ids)
        for end, name in (row.placement or {}).items()
        if name is not None and end.endswith("_node")
    }
    made = Method(
        runs=[_run_method(repository, runs[run_id]) for run_id in run_ids if run_id in runs],
        environments=[Environment(_without_uid(one)) for one in contents],
        statistics=STATISTICS[version],
        version=version,
    )
    return made, tuple(sorted(nodes))


def _fingerprints(
    repository: SampleRepository, run_ids: Sequence[uuid.UUID], met: Sequence[uuid.UUID]
) -> list[Mapping[str, Any]]:
    """Each environment once, in the order the blocks met it, then the cases."""
    of_cases = [row.fingerprint_id for row in repository.cases(run_ids)]
    ids = [one for one in dict.fromkeys([*met, *of_cases]) if one is not None]
    contents: Mapping[uuid.UUID, Mapping[str, Any]] = repository.fingerprints(ids)
    return [contents[one] for one in ids if one in contents]


def _without_uid(content: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in content.items() if name != "cluster_uid"}


def _run_method(repository: SampleRepository, run: Any) -> RunMethod:
    spec = FROZEN.read(run.spec)
    rows = repository.commands([run.id], MOST_COMMANDS + 1)
    return RunMethod(
        run_id=run.id,
        name=run.name,
        parameters=dict(spec.parameters),
        axes={axis: list(values) for axis, values in spec.matrix.items()},
        repetition=spec.repetition.model_dump(mode="json"),
        commands=[
            ToolCommand(tool, version, json.loads(argv), count)
            for tool, version, argv, count in rows[:MOST_COMMANDS]
        ],
        complete=len(rows) <= MOST_COMMANDS,
    )
