"""A sentence of a data file, in every language that it is read in."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Text(BaseModel):
    """A sentence in both languages."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    en: str = Field(min_length=1)
    zh: str = Field(min_length=1)
