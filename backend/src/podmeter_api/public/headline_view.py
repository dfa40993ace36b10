"""The headline on the public page, in the language that the browser asks for."""

from collections.abc import Iterable

from podmeter.services.headlines.document import Headline, Sentence
from podmeter.texts import Language, render
from podmeter_api.public.markup import Html, element, fragment


def tag_of(language: Language) -> str:
    """What a language is called in HTML."""
    return render(language, "language.tag")


def describe(headline: Headline | None, language: Language) -> str:
    """All of it in one line, for link previews."""
    if headline is None:
        return ""
    return "; ".join(one.text_in(language) for one in headline.every)


def section(headline: Headline | None, language: Language) -> Html:
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
        element("p", element("a", render(language, "public_page.method"), href="/method")),
        class_="headline",
        lang=tag_of(language),
    )


def _recommendation(headline: Headline, language: Language) -> Html:
    if not headline.recommendation:
        return fragment()
    items = element("ul", _items(headline.recommendation, language))
    return fragment(
        element("p", element("strong", render(language, "public_page.recommendation"))), items
    )


def _items(sentences: Iterable[Sentence], language: Language) -> list[Html]:
    return [element("li", one.text_in(language)) for one in sentences]
