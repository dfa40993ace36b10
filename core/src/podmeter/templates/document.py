"""The shape of a data file: a question, and the specifications that answer it."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints, model_validator

from podmeter.domain.axes import AxisValue
from podmeter.domain.experiment import ExperimentSpec, KindName, RepetitionPlan
from podmeter.texts import text_if_any, text_of


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Values(_Frozen):
    """What a specification measures, and how often."""

    axes: dict[str, tuple[AxisValue, ...]] = {}
    parameters: dict[str, JsonValue] = {}
    repetition: RepetitionPlan = RepetitionPlan()


class Template(_Frozen):
    """A question with the specifications that answer it.

    `reference` is the published result set whose question it is. `published` are that article's
    own values, where the experiment is the article's; `quick` is what is changed of them, axis by
    axis and parameter by parameter, for a run that is short and can decide, with its own
    repetition. Its texts are `template.<id>` of the catalog: title, question, and what the quick
    variant leaves out of the article.
    """

    id: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
    kind: KindName
    reference: str | None = None
    published: Values | None = None
    quick: Values = Field(default_factory=Values)

    @model_validator(mode="after")
    def _of_an_article(self) -> Self:
        if self.reference is None and self.published is not None:
            raise ValueError(f"{self.id}: values of no article")
        return self

    @property
    def title(self) -> str:
        """What it measures, in the language that is spoken."""
        return text_of(f"template.{self.id}.title")

    @property
    def question(self) -> str:
        """The question that it answers."""
        return text_of(f"template.{self.id}.question")

    @property
    def narrowed(self) -> str | None:
        """What the quick variant leaves out of the article."""
        return text_if_any(f"template.{self.id}.narrowed")

    @property
    def published_spec(self) -> ExperimentSpec | None:
        """With the article's own values; None where the experiment is not the article's."""
        return None if self.published is None else self._spec(self.published)

    @property
    def quick_spec(self) -> ExperimentSpec:
        """The short one."""
        whole = self.published or Values()
        return self._spec(
            Values(
                axes=whole.axes | self.quick.axes,
                parameters=whole.parameters | self.quick.parameters,
                repetition=self.quick.repetition,
            )
        )

    def _spec(self, values: Values) -> ExperimentSpec:
        return ExperimentSpec(
            name=self.title,
            kind=self.kind,
            description=self.question,
            axes=values.axes,
            parameters=values.parameters,
            repetition=values.repetition,
        )
