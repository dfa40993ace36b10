"""Kinds of fields that several resources share."""

from typing import Annotated

from fastapi import Path
from pydantic import StringConstraints

#: A name on one line.
Name = Annotated[
    str,
    StringConstraints(
        strip_whitespace=True, min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$"
    ),
]
#: Free text; PostgreSQL stores no NUL.
Text = Annotated[str, StringConstraints(max_length=4000, pattern=r"^[^\x00]*$")]
#: The number of a row inside its run.
RowId = Annotated[int, Path(ge=1, lt=2**63)]
