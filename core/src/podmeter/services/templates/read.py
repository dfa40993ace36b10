"""Listing templates."""

from dataclasses import dataclass

from podmeter.domain.experiment import ExperimentSpec, KindName
from podmeter.templates.document import Template
from podmeter.templates.library import templates


@dataclass(frozen=True, slots=True)
class TemplateView:
    """A question with the specifications that answer it; `POST /experiments` takes either.

    `reference_id` is the published result set whose question it is. `published` has that article's
    own values, where the experiment is the article's; `quick` is short and repeated so that it can
    decide, and `narrowed` is what it leaves out of the article.
    """

    id: str
    kind: KindName
    reference_id: str | None
    title: str
    question: str
    published: ExperimentSpec | None
    quick: ExperimentSpec
    narrowed: str | None


def page(kind: str | None) -> list[TemplateView]:
    """All templates, or those of a kind."""
    return [_view(one) for one in templates().values() if kind in (None, one.kind)]


def _view(one: Template) -> TemplateView:
    return TemplateView(
        id=one.id,
        kind=one.kind,
        reference_id=one.reference,
        title=one.title,
        question=one.question,
        published=one.published_spec,
        quick=one.quick_spec,
        narrowed=one.narrowed,
    )
