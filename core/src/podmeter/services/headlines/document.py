"""A headline as documents carry it: typed, and in every language that it is read in."""

from dataclasses import dataclass, field

from pydantic import JsonValue

from podmeter.domain.axes import AxisValue


@dataclass(frozen=True, slots=True)
class Sentence:
    """One statement: a code with parameters for programs, itself in both languages for people.

    Whoever shows it, page, file or terminal, shows one of these texts as it is.
    """

    code: str
    params: dict[str, JsonValue]
    en: str
    zh: str


@dataclass(frozen=True, slots=True)
class Advised(Sentence):
    """A statement on what to do; `cases` are the points of those that it rests on.

    Of a comparison a point is what both sides share.
    """

    cases: list[dict[str, AxisValue]]


@dataclass(frozen=True, slots=True)
class Headline:
    """What was found, the most important first, and what has to be known to believe it.

    `recommendation` is what to do by it, empty where nothing is clear. What was kept before there
    were any has none.
    """

    sentences: list[Sentence]
    caveats: list[Sentence] = field(default_factory=list)
    recommendation: list[Advised] = field(default_factory=list)

    @property
    def every(self) -> list[Sentence]:
        """What was found, then what has to be known of it."""
        return [*self.sentences, *self.caveats]
