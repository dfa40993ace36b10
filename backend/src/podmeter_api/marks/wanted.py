"""What lists can be narrowed to, and their order."""

from dataclasses import replace
from typing import Annotated

from fastapi import Depends, Query

from podmeter.db.repositories.marks import Order, Wanted
from podmeter.services.finding.alike import stored_words
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


async def get_sought(
    q: Words = "",
    sort: Annotated[Order, Query(description="by when it was made, or by its name")] = Order.NEWEST,
) -> Wanted:
    """What is wanted of any list."""
    return Wanted(words=q, order=sort, alike=stored_words())


SoughtDep = Annotated[Wanted, Depends(get_sought)]


async def get_wanted(
    principal: Viewer,
    sought: SoughtDep,
    tag: Annotated[tuple[Tag, ...], Query(max_length=20, description="it has all of these")] = (),
    favourite: Annotated[bool, Query(description="the caller's favourites alone")] = False,
) -> Wanted:
    """What is wanted of a list of runs, experiments or clusters."""
    return replace(sought, tags=tag, favourite_of=principal.user_id if favourite else None)


WantedDep = Annotated[Wanted, Depends(get_wanted)]
