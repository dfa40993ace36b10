"""What every list of runs, experiments and clusters can be narrowed to, and its order."""

from typing import Annotated

from fastapi import Depends, Query

from podmeter.db.repositories.marks import Order, Wanted
from podmeter.services.finding.alike import ALIKE
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


async def get_wanted(
    principal: Viewer,
    q: Words = "",
    tag: Annotated[tuple[Tag, ...], Query(max_length=20, description="it has all of these")] = (),
    favourite: Annotated[bool, Query(description="the caller's favourites alone")] = False,
    sort: Annotated[Order, Query(description="by when it was made, or by its name")] = Order.NEWEST,
) -> Wanted:
    """What is wanted of a list."""
    return Wanted(q, tag, principal.user_id if favourite else None, sort, ALIKE)


WantedDep = Annotated[Wanted, Depends(get_wanted)]
