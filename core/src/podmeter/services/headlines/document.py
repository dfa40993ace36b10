"""A headline as documents carry it: codes with parameters, said in a language when it is read."""

from dataclasses import dataclass, field

from pydantic import JsonValue, computed_field

from podmeter.domain.axes import AxisValue
from podmeter.services.headlines import text as texts
from podmeter.services.headlines.text import Text
from podmeter.texts import ENGLISH, Language, Localized, document_language

#: The first sentences of headlines that compare nothing.
_COMPARES_NOTHING = ("nothing", "measured")


@dataclass(frozen=True, slots=True)
class Sentence(Localized):
    """One statement: a code with parameters, and in what the API gives its text besides.

    The text is in the language of the request's `Accept-Language`; nothing that is stored has one.
    Anyone who shows it, page, file or terminal, shows the text as it is.
    """

    code: str
    parameters: dict[str, JsonValue]

    @computed_field  # type: ignore[prop-decorator]
    @property
    def text(self) -> str:
        """The sentence in the language that is spoken; '' where none is."""
        language = document_language()
        return "" if language is None else self.text_in(language)

    def text_in(self, language: Language) -> str:
        """The sentence in a language."""
        return texts.say(self.code, self.parameters, language)

    def __str__(self) -> str:
        """In English."""
        return self.text_in(ENGLISH)


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


@dataclass(frozen=True, slots=True)
class Answer:
    """The first sentence of a headline, with what has to be known to believe it."""

    sentence: Sentence
    caveats: list[Sentence]


def answer_of(headline: Headline) -> Answer | None:
    """What a list says of it; None of a headline that compares nothing."""
    first, *others = headline.sentences
    if first.code in _COMPARES_NOTHING:
        return None
    confounded = [one for one in others if one.code == "confounded"]
    return Answer(first, [*confounded[:1], *headline.caveats])


def sentence(code: str, /, **given: Text | str | float | None) -> Sentence:
    """The sentence of a code. Raises KeyError for a code or parameter that is not."""
    return Sentence(code, texts.parameters_of(code, given))
