"""Kinds of fields that several resources share."""

from typing import Annotated

from fastapi import Path
from pydantic import AfterValidator, Field, StringConstraints

from podmeter.domain.bench_image import (
    LONGEST_REFERENCE,
    LONGEST_SECRET,
    image_reference,
    secret_name,
)
from podmeter.domain.displayed import Line, Name, Text
from podmeter.domain.experiment import KindName
from podmeter.kinds.registry import names


def _offered(name: str) -> str:
    if name not in names():
        raise ValueError(f"no such kind; there are {', '.join(names())}")
    return name


#: The image of the measuring pods.
ImageReference = Annotated[
    str,
    StringConstraints(min_length=1, max_length=LONGEST_REFERENCE),
    AfterValidator(image_reference),
    Field(
        description="the image of the measuring pods as nodes pull it, with a tag, a digest, or "
        "both; null for the installation's",
        examples=["registry.example/team/bench:0.1.0"],
    ),
]
#: What nodes pull it with.
SecretName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=LONGEST_SECRET),
    AfterValidator(secret_name),
    Field(
        description="the Secret that nodes pull the image with, in the cluster's namespace "
        "podmeter, and with host access in podmeter-host; Podmeter does not read it",
        examples=["registry"],
    ),
]
#: Whether a run is started although something about its clusters is uncertain.
Force = Annotated[
    bool,
    Field(description="go past obstacles that are uncertain; the run and the audit log keep which"),
]
#: The number of a row inside its run.
RowId = Annotated[int, Path(ge=1, lt=2**63)]
#: A kind that runs may be of.
OfferedKind = Annotated[KindName, AfterValidator(_offered)]

__all__ = ["Force", "ImageReference", "Line", "Name", "OfferedKind", "RowId", "SecretName", "Text"]
