"""Lists with cursors."""

from collections.abc import Callable
from typing import Annotated, Generic, TypeVar

from fastapi import Depends, Query
from pydantic import BaseModel, Field

from podmeter.db.paging import Page, PageRequest

Item = TypeVar("Item")
Row = TypeVar("Row")


class ListOf(BaseModel, Generic[Item]):
    """One page of a list."""

    items: list[Item]
    next_cursor: str | None = Field(description="the cursor of the next page; null on the last one")


async def get_page(
    limit: Annotated[int, Query(ge=1, le=200, description="rows on a page")] = 50,
    cursor: Annotated[
        str | None, Query(max_length=1000, description="`next_cursor` of the page before")
    ] = None,
) -> PageRequest:
    """Which page was asked for."""
    return PageRequest(limit=limit, cursor=cursor)


PageDep = Annotated[PageRequest, Depends(get_page)]


def listed(page: Page[Row], shape: Callable[[Row], Item]) -> ListOf[Item]:
    """A page in the API's shape."""
    return ListOf(items=[shape(row) for row in page.items], next_cursor=page.next_cursor)
