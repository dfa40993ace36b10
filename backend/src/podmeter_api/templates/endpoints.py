"""/templates: list. They are part of this version; nobody changes them."""

from typing import Annotated

from fastapi import APIRouter, Query

from podmeter.domain.experiment import KindName
from podmeter.services.templates import read
from podmeter.services.templates.read import TemplateView
from podmeter_api.paging import ListOf
from podmeter_api.security import Viewer

router = APIRouter(prefix="/templates", tags=["templates"])


@router.get("", operation_id="list_templates")
def list_templates(
    _: Viewer,
    kind: Annotated[KindName | None, Query(description="a kind of experiment")] = None,
) -> ListOf[TemplateView]:
    """Specifications to start from: the articles' experiments, with their values and quick."""
    return ListOf(items=read.page(kind), next_cursor=None)
