"""The headline on the public page, in the language that the browser asks for."""

from collections.abc import Iterable

from podmeter.services.headlines.document import Headline, Sentence
from podmeter_api.public.markup import Html, element, fragment

ENGLISH, CHINESE = "en", "zh"
_ADVICE = {ENGLISH: "Recommendation", CHINESE: "建议"}
#: What the languages are called in HTML.
TAGS = {ENGLISH: ENGLISH, CHINESE: "zh-Hans"}
_METHOD = {ENGLISH: "How verdicts are reached", CHINESE: "结论是如何得出的"}


def language_of(accepted: str) -> str:
    """The language of ours that an Accept-Language asks for first; English where it is neither."""
    wanted = []
    for place, one in enumerate(accepted.split(",")):
        tag, *options = (part.strip().lower() for part in one.split(";"))
        known = tag.partition("-")[0]
        if known in (ENGLISH, CHINESE):
            wanted.append((-_weight(options), place, known))
    return min(wanted)[2] if wanted else ENGLISH


def said_in(one: Sentence, language: str) -> str:
    """The sentence in one of the languages."""
    return one.zh if language == CHINESE else one.en


def describe(headline: Headline | None, language: str) -> str:
    """All of it in one line, for link previews."""
    if headline is None:
        return ""
    return "; ".join(said_in(one, language) for one in headline.every)


def render(headline: Headline | None, language: str) -> Html:
    """What was found first, the rest below it, and what has to be known; how that is known."""
    if headline is None:
        return fragment()
    first, *rest = headline.sentences
    return element(
        "section",
        element("p", element("strong", said_in(first, language))),
        element("ul", _items(rest, language)) if rest else "",
        [element("p", said_in(one, language), class_="caveat") for one in headline.caveats],
        _recommendation(headline, language),
        element("p", element("a", _METHOD[language], href="/method")),
        class_="headline",
        lang=TAGS[language],
    )


def _recommendation(headline: Headline, language: str) -> Html:
    if not headline.recommendation:
        return fragment()
    items = element("ul", _items(headline.recommendation, language))
    return fragment(element("p", element("strong", _ADVICE[language])), items)


def _items(sentences: Iterable[Sentence], language: str) -> list[Html]:
    return [element("li", said_in(one, language)) for one in sentences]


def _weight(options: Iterable[str]) -> float:
    for option in options:
        name, _, value = option.partition("=")
        if name == "q":
            try:
                return float(value)
            except ValueError:
                return 0.0
    return 1.0
