"""What lists can be narrowed to, and their order."""

from dataclasses import replace
from typing import Annotated

from fastapi import Depends, Query

from podmeter.db.repositories.marks import ListFilter, Order
from podmeter.services.search.synonyms import stored_words
from podmeter_api.marks.schemas import Tag
from podmeter_api.security import Viewer

#: What is looked for.
Words = Annotated[
    str,
    Query(
        max_length=200,
        pattern=r"^[^\x00]*$",
        description="words, all of which are in its name, tags, modes, notes, or how it stands; "
        "parts of words are found too",
    ),
]


async def get_search_query(
    q: Words = "",
    sort: Annotated[Order, Query(description="by when it was made, or by its name")] = Order.NEWEST,
) -> ListFilter:
    """Filters and paging of any list."""
    return ListFilter(words=q, order=sort, alike=stored_words())


SearchQueryDep = Annotated[ListFilter, Depends(get_search_query)]


async def get_list_filter(
    principal: Viewer,
    query: SearchQueryDep,
    tag: Annotated[tuple[Tag, ...], Query(max_length=20, description="it has all of these")] = (),
    favourite: Annotated[bool, Query(description="the caller's favourites alone")] = False,
) -> ListFilter:
    """Filters and paging of a list of runs, experiments or clusters."""
    return replace(query, tags=tag, favourite_of=principal.user_id if favourite else None)


ListFilterDep = Annotated[ListFilter, Depends(get_list_filter)]
