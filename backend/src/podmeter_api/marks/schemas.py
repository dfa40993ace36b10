"""Tags, notes and favourites, in the API's shape."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from podmeter.domain.displayed import Displayed
from podmeter.services.search import annotations
from podmeter_api.fields import Text

#: Written small, so that there is one of each.
Tag = Annotated[
    str,
    StringConstraints(
        strip_whitespace=True,
        to_lower=True,
        min_length=1,
        max_length=40,
    ),
    Displayed(also=","),
]


class Marks(BaseModel):
    """What is said of a thing, apart from what it is: it changes nothing that was measured.

    Tags and notes are the organization's, `favourite` is the caller's own.
    """

    model_config = ConfigDict(from_attributes=True)

    tags: list[str]
    notes: str
    version: int = Field(description="of tags and notes: the ETag that a change is based on")
    favourite: bool


class MarksPatch(BaseModel):
    """What to say instead; what is absent or null stays."""

    model_config = ConfigDict(extra="forbid")

    tags: tuple[Tag, ...] | None = Field(
        default=None, max_length=20, description="all of them, written small, without commas"
    )
    notes: Text | None = None

    @property
    def change(self) -> annotations.AnnotationChange:
        """What is changed."""
        return annotations.AnnotationChange(self.tags, self.notes)


class FavouritePut(BaseModel):
    """Whether it becomes a favourite of the caller."""

    model_config = ConfigDict(extra="forbid")

    favourite: bool


class TagView(BaseModel):
    """A tag, and how many runs, experiments and clusters have it."""

    tag: str
    count: int


class Tags(BaseModel):
    """Every tag of the organization's, by name."""

    items: list[TagView]
