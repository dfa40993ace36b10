"""Building HTML so that nothing is ever put into it unescaped."""

from collections.abc import Iterable, Sequence
from html import escape as html_escape

from podmeter.domain.untrusted_text import printable

_VOID = {"meta", "link", "base", "br", "hr"}


def escape(text: str) -> str:
    """A text that stands for itself, without what steers a display or hides in it."""
    return html_escape(printable(text))


class Html(str):
    """Text that is HTML already; only this module makes it."""

    __slots__ = ()


Child = str | Iterable["Child"]


def element(tag: str, *children: Child, **attributes: str | None) -> Html:
    """An element; text among the children is escaped. An underscore at the end of a name goes."""
    given = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    if tag in _VOID:
        return Html(f"<{tag}{given}>")
    return Html(f"<{tag}{given}>{fragment(*children)}</{tag}>")


def fragment(*children: Child) -> Html:
    """Children one after the other."""
    return Html("".join(_flat(child) for child in children))


def raw_style(css: str) -> Html:
    """A stylesheet of ours, as it is."""
    return Html(f'<style id="plain-style">{css}</style>')


def table(caption: str, header: Sequence[str], rows: Iterable[Sequence[Child]]) -> Html:
    """A table; the first cell of each row heads it. It scrolls where the page is narrow."""
    head = element("tr", [element("th", name, scope="col") for name in header])
    body = [
        element(
            "tr",
            element("th", row[0], scope="row"),
            [element("td", cell) for cell in row[1:]],
        )
        for row in rows
    ]
    inner = element(
        "table", element("caption", caption), element("thead", head), element("tbody", body)
    )
    return element("div", inner, class_="scroll", role="region", tabindex="0", aria_label=caption)


def _flat(child: Child) -> str:
    if isinstance(child, Html):
        return str(child)
    if isinstance(child, str):
        return escape(child)
    return "".join(_flat(one) for one in child)
