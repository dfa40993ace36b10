"""Kinds of fields that several resources share."""

from typing import Annotated

from fastapi import Path
from pydantic import AfterValidator, StringConstraints

from podmeter.domain.experiment import KindName
from podmeter.experiments.registry import KINDS


def _offered(name: str) -> str:
    if name not in KINDS:
        raise ValueError(f"no such kind; there are {', '.join(KINDS)}")
    return name


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
#: A kind that this version runs.
OfferedKind = Annotated[KindName, AfterValidator(_offered)]
