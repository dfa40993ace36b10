"""Every reference there is: the files in `data/`, read once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING

import yaml

from podmeter.references.cells import Cells, InvalidReferenceError
from podmeter.references.claims import Judged, judge
from podmeter.references.document import Reference

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Published:
    """A reference with its figures, and its claims held against them."""

    reference: Reference
    cells: Cells
    claims: tuple[Judged, ...]


def read(text: str) -> Published:
    """A data file. Raises ValueError where it does not fit together, YAMLError where it is none."""
    reference = Reference.model_validate(yaml.safe_load(text))
    cells = Cells(reference)
    return Published(reference, cells, tuple(judge(one, cells) for one in reference.claims))


@cache
def references() -> Mapping[str, Published]:
    """All of them by id, in the order of their files' names. A file is named by its id."""
    found: dict[str, Published] = {}
    folder = files("podmeter.references") / "data"
    documents = (one for one in folder.iterdir() if one.name.endswith(".yaml"))
    for file in sorted(documents, key=lambda one: one.name):
        published = read(file.read_text(encoding="utf-8"))
        if file.name != f"{published.reference.id}.yaml":
            raise InvalidReferenceError(f"{file.name} has the id {published.reference.id}")
        found[published.reference.id] = published
    return MappingProxyType(found)
