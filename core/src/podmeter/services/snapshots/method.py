"""The method block: what a sceptical reader needs to repeat what was measured."""

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from podmeter.db.repositories.samples import SampleRepository
from podmeter.domain.experiment import FROZEN
from podmeter.services.snapshots.document import Environment, Method, RunMethod, ToolCommand

MOST_COMMANDS = 100


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
        axes={axis: list(values) for axis, values in spec.written_axes.items()},
        repetition=spec.repetition.model_dump(mode="json"),
        commands=[
            ToolCommand(tool, version, json.loads(argv), count)
            for tool, version, argv, count in rows[:MOST_COMMANDS]
        ],
        complete=len(rows) <= MOST_COMMANDS,
    )
