"""Texts in Markdown stand for themselves, as a parser of CommonMark reads them."""

import html
import re

import pytest
from markdown_it import MarkdownIt

from podmeter.services.exports.markdown import bullets, code, escape, link

PARSER = MarkdownIt("commonmark", {"html": True})


@pytest.mark.parametrize(
    "text",
    [
        "a & b &amp; &copy; &#65;",
        "https://evil.example/x?a=b&c",
        "see HTTP://evil.example now",
        "www.evil.example",
        "mail boss@corp.example or @boss",
        "mailto:boss@corp.example",
        "<https://evil.example>",
        "[a](https://evil.example) ![b](c)",
        "*a* _b_ `c` ~~d~~ $e$ | f",
        "# a",
        "- a",
        "+ a",
        "1. a",
        "12) a",
        "=== a",
        "> a",
        "a\\",
        "<script>alert(1)</script>",
    ],
)
def test_a_text_is_read_as_itself(text: str) -> None:
    written = escape(text)
    made = PARSER.render(written).replace("<!-- -->", "").strip()
    assert made == f"<p>{html.escape(text, quote=False)}</p>".replace('"', "&quot;")
    # What GitHub makes links of where it finds it as it is.
    assert not re.search(r"(?i)[a-z]://|\bwww\.|@[a-z0-9]", written)


def test_what_steers_a_terminal_does_not_remain() -> None:
    assert escape("a\x1b[31mb\u202ec") == "a\ufffd\\[31mb\ufffdc"
    assert bullets(["\x07"]) == "- \ufffd\n"


def test_code_and_links() -> None:
    assert code("a`b") == "`` a`b ``"
    assert link("a]", "https://x.example/a b") == "[a\\]](<https://x.example/a%20b>)"
    assert link("a", "javascript:alert(1)") == "a"
