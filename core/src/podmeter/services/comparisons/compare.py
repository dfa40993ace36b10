"""Making and reading comparisons."""

import uuid
from typing import Any

from pydantic import TypeAdapter

from podmeter.db.base import now
from podmeter.db.repositories.samples import SampleRepository
from podmeter.db.repositories.sharing import ComparisonRepository
from podmeter.domain.problems import Problem
from podmeter.services.accounts.principal import Principal
from podmeter.services.comparisons.build import compare_sides, compared_run
from podmeter.services.comparisons.document import Comparison
from podmeter.services.comparisons.pairing import Chosen, choose
from podmeter.services.comparisons.request import InvalidComparisonError, Request, Side
from podmeter.services.errors import NotFoundError
from podmeter.services.measured.runs import MeasuredRun, load
from podmeter.services.work import Work

DOCUMENT = TypeAdapter(Comparison)
_REQUEST = TypeAdapter(Request)


def create(work: Work, principal: Principal, request: Request) -> tuple[uuid.UUID, bytes]:
    """Compare, and keep the comparison as it is now; its id and its document as JSON.

    Raises:
        NotFoundError: a run is not there.
        InvalidComparisonError: the sides have nothing in common, with JSON pointers.
    """
    found = build(work, principal, request)
    content = DOCUMENT.dump_json(found)
    ComparisonRepository(work.session, principal.organization_id).add(
        found.id,
        principal.user_id,
        found.created_at,
        _REQUEST.dump_python(request, mode="json"),
        content.decode(),
    )
    return found.id, content


def build(work: Work, principal: Principal, request: Request) -> Comparison:
    """Compare without keeping it. Raises as `create` does."""
    sides = [request.baseline, *request.contenders]
    runs = load(work, principal, {side.run_id for side in sides}, request.metrics)
    chosen = [
        _chosen(side, runs, ["baseline"] if index == 0 else ["contenders", index - 1])
        for index, side in enumerate(sides)
    ]
    baseline, contenders = chosen[0], chosen[1:]
    for one in contenders:
        if one.measured.run.kind is not baseline.measured.run.kind:
            kinds = f"{one.measured.run.kind} and {baseline.measured.run.kind}"
            text = f"runs of different kinds ({kinds}) have nothing in common"
            raise InvalidComparisonError([Problem(f"{one.pointer}/run_id", text)])
    repository = SampleRepository(work.session, principal.organization_id)
    return Comparison(
        id=uuid.uuid4(),
        created_at=now(),
        kind=baseline.measured.run.kind.value,
        metrics=request.metrics.value,
        noise_threshold=request.noise_threshold,
        alpha=request.alpha,
        baseline=compared_run(baseline),
        contenders=[
            compare_sides(
                baseline,
                one,
                repository.fingerprints,
                noise=request.noise_threshold,
                alpha=request.alpha,
            )
            for one in contenders
        ],
    )


def get(work: Work, principal: Principal, comparison_id: uuid.UUID) -> Comparison:
    """A comparison as it was made. Raises NotFoundError."""
    row = ComparisonRepository(work.session, principal.organization_id).get(comparison_id)
    if row is None:
        raise NotFoundError("comparison")
    return parse(row.content)


def parse(content: Any) -> Comparison:
    """A document read from the database."""
    return DOCUMENT.validate_python(content)


def _chosen(side: Side, runs: dict[uuid.UUID, MeasuredRun], where: list[str | int]) -> Chosen:
    measured = runs.get(side.run_id)
    if measured is None:
        raise NotFoundError("run")
    return choose(side, measured, where)
