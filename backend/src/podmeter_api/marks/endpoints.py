"""/runs, /experiments and /clusters: {id}/marks and {id}/favourite, alike for each; /tags."""

import uuid
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, Depends, Path, Response

from podmeter.db.models import Cluster, Experiment, Run
from podmeter.db.repositories.marks import Model
from podmeter.services.search import annotations
from podmeter_api.experiments.named import find_experiment
from podmeter_api.marks.schemas import FavouritePut, Marks, MarksPatch, Tags, TagView
from podmeter_api.security import Operator, Viewer
from podmeter_api.unit_of_work import WorkDep
from podmeter_api.versions import IfMatch, etag

router = APIRouter()


@router.get("/tags", operation_id="list_tags", tags=["search"])
def list_tags(principal: Viewer, work: WorkDep) -> Tags:
    """Every tag of the organization's, by name."""
    current = annotations.tags(work, principal)
    return Tags(items=[TagView(tag=tag, count=count) for tag, count in current])


def _add(thing: str, model: Model) -> None:
    """Add the operations on tags, notes and favourites of one kind of resource."""
    one = f"/{thing}s/{{{thing}_id}}"
    by_id = Path(alias=f"{thing}_id")
    named: Any = Depends(find_experiment) if model is Experiment else by_id

    @router.get(f"{one}/marks", operation_id=f"get_{thing}_marks", tags=[f"{thing}s"])
    def get_marks(
        principal: Viewer, work: WorkDep, response: Response, thing_id: uuid.UUID = named
    ) -> Marks:
        """Its tags and notes, and whether it is the caller's favourite."""
        return _answer(annotations.get(work, principal, model, thing_id), response)

    @router.patch(f"{one}/marks", operation_id=f"update_{thing}_marks", tags=[f"{thing}s"])
    def update_marks(
        body: MarksPatch,
        principal: Operator,
        work: WorkDep,
        version: IfMatch,
        response: Response,
        thing_id: uuid.UUID = named,
    ) -> Marks:
        """Change its tags or notes. Nothing that was measured, computed or shared changes."""
        current = annotations.change(work, principal, model, thing_id, body.change, version)
        return _answer(current, response)

    @router.put(
        f"{one}/favourite",
        operation_id=f"set_{thing}_favourite",
        tags=[f"{thing}s"],
        status_code=HTTPStatus.NO_CONTENT,
    )
    def set_favourite(
        body: FavouritePut, principal: Viewer, work: WorkDep, thing_id: uuid.UUID = named
    ) -> None:
        """Make it a favourite of the caller's, or one no more."""
        annotations.set_favourite(work, principal, model, thing_id, wanted=body.favourite)


def _answer(current: annotations.Annotations, response: Response) -> Marks:
    response.headers["ETag"] = etag(current.version)
    return Marks.model_validate(current)


_add("run", Run)
_add("experiment", Experiment)
_add("cluster", Cluster)
