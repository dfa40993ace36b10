"""The headline on the public page, in the language that the browser asks for."""

from collections.abc import Iterable

from podmeter.results.spoken import Language
from podmeter.services.headlines.document import Headline, Sentence
from podmeter_api.language import CHINESE, ENGLISH
from podmeter_api.public.markup import Html, element, fragment

_ADVICE = {ENGLISH: "Recommendation", CHINESE: "建议"}
#: What the languages are called in HTML.
TAGS = {ENGLISH: ENGLISH, CHINESE: "zh-Hans"}
_METHOD = {ENGLISH: "How verdicts are reached", CHINESE: "结论是如何得出的"}


def describe(headline: Headline | None, language: Language) -> str:
    """All of it in one line, for link previews."""
    if headline is None:
        return ""
    return "; ".join(one.text_in(language) for one in headline.every)


def render(headline: Headline | None, language: Language) -> Html:
    """What was found first, the rest below it, and what has to be known; how that is known."""
    if headline is None:
        return fragment()
    first, *rest = headline.sentences
    return element(
        "section",
        element("p", element("strong", first.text_in(language))),
        element("ul", _items(rest, language)) if rest else "",
        [element("p", one.text_in(language), class_="caveat") for one in headline.caveats],
        _recommendation(headline, language),
        element("p", element("a", _METHOD[language], href="/method")),
        class_="headline",
        lang=TAGS[language],
    )


def _recommendation(headline: Headline, language: Language) -> Html:
    if not headline.recommendation:
        return fragment()
    items = element("ul", _items(headline.recommendation, language))
    return fragment(element("p", element("strong", _ADVICE[language])), items)


def _items(sentences: Iterable[Sentence], language: Language) -> list[Html]:
    return [element("li", one.text_in(language)) for one in sentences]
