"""GET /method: how verdicts are decided, for everybody; no account is needed."""

import re
from http import HTTPStatus
from pathlib import Path

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse
from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from podmeter.domain.messages import say
from podmeter.services.lru_cache import LruCache
from podmeter_api.callers import caller_of
from podmeter_api.errors import HttpProblemError
from podmeter_api.lanes import lanes_of
from podmeter_api.public.markup import Html, element, fragment, raw_style, table
from podmeter_api.public.style import CSS, PLAIN_POLICY
from podmeter_api.state import state_of

router = APIRouter(include_in_schema=False)
_NAME = "verdicts.md"
#: Of a checkout that runs as it is.
_SOURCE = Path(__file__).parents[4] / "docs" / "explanation" / _NAME
#: By file and when it was changed: anyone may ask, and to parse it takes long.
_PAGES: LruCache[tuple[Path, int], str] = LruCache(2)


class _Parser(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802
        """All are parsed; which are links on the page, `_html` decides."""
        return True


_MARKDOWN = _Parser("commonmark", {"html": False}).enable("table")


@router.api_route("/method", methods=["GET", "HEAD"])
async def method_page(request: Request) -> Response:
    """The text of docs/explanation/verdicts.md, which the built web UI brings along."""
    folder = state_of(request).settings.frontend_dir
    places = [_SOURCE] if folder is None else [folder / _NAME, _SOURCE]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise HttpProblemError(HTTPStatus.NOT_FOUND, "not_found", say("path_unknown"))
    version = found, found.stat().st_mtime_ns
    page = _PAGES.get(version)
    if page is None:
        async with lanes_of(request).computing.place(caller_of(request)):
            page = _PAGES.put(version, await run_in_threadpool(_page, found))
    return HTMLResponse(page, headers={"Content-Security-Policy": PLAIN_POLICY})


def _page(source: Path) -> str:
    body = element("main", render(source.read_text(encoding="utf-8")))
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", "How verdicts are decided – Podmeter"),
        raw_style(CSS),
    )
    return f"<!doctype html>{element('html', head, element('body', body), lang='en')}"


def render(text: str) -> Html:
    """Markdown with tables, without HTML of its own."""
    return _inside(SyntaxTreeNode(_MARKDOWN.parse(text)))


def _inside(node: SyntaxTreeNode) -> Html:
    return fragment(*map(_html, node.children))


def _html(node: SyntaxTreeNode) -> str:
    match node.type:
        case "text":
            return node.content
        case "softbreak":
            return " "
        case "code_inline" | "fence" | "code_block":
            return element("code", node.content)
        case "heading":
            name = re.sub(r"\W+", "-", node.children[0].content.lower()).strip("-")
            return element(node.tag, _inside(node), id=name)
        case "table":
            header, *rows = [
                [_inside(cell) for cell in row.children]
                for part in node.children
                for row in part.children
            ]
            return table("", header, rows)
        case "link" if str(node.attrs["href"]).startswith("https://"):
            return element("a", _inside(node), href=str(node.attrs["href"]))
        case "link":
            # Other documents are not served: their names stay.
            return _inside(node)
        case _ if node.hidden or not node.tag:
            return _inside(node)
        case _:
            return element(node.tag, _inside(node))
