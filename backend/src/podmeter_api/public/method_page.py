"""GET /method: how verdicts are decided, for everybody; no account is needed."""

import re
from collections.abc import Iterator
from http import HTTPStatus
from itertools import groupby
from pathlib import Path

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from podmeter.domain.messages import say
from podmeter_api.errors import HttpProblemError
from podmeter_api.public.markup import Html, element, fragment, raw_style, table
from podmeter_api.public.style import CSS, PLAIN_POLICY
from podmeter_api.state import state_of
from podmeter_api.unit_of_work import ComputeSlot

router = APIRouter(include_in_schema=False)
_NAME = "verdicts.md"
#: Of a checkout that runs as it is.
_SOURCE = Path(__file__).parents[4] / "docs" / "explanation" / _NAME
_INLINE = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^\]]+)\]\(([^)\s]+)\)")


@router.api_route("/method", methods=["GET", "HEAD"], dependencies=[ComputeSlot])
def method_page(request: Request) -> Response:
    """The text of docs/explanation/verdicts.md, which the built web UI brings along."""
    folder = state_of(request).settings.frontend_dir
    places = [_SOURCE] if folder is None else [folder / _NAME, _SOURCE]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise HttpProblemError(HTTPStatus.NOT_FOUND, "not_found", say("path_unknown"))
    body = element("main", render(found.read_text(encoding="utf-8")))
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", "How verdicts are decided – Podmeter"),
        raw_style(CSS),
    )
    page = element("html", head, element("body", body), lang="en")
    return HTMLResponse(f"<!doctype html>{page}", headers={"Content-Security-Policy": PLAIN_POLICY})


def render(text: str) -> Html:
    """Markdown as the documents use it: headings, paragraphs, lists, tables, inline marks."""
    blocks = re.split(r"\n\s*\n", text.strip())
    return fragment(*(one for block in blocks for one in _block(block.splitlines())))


def _block(lines: list[str]) -> Iterator[Html]:
    for kind, group in groupby(lines, key=_kind):
        members = list(group)
        if kind == "heading":
            for line in members:
                marks, _, title = line.partition(" ")
                name = re.sub(r"\W+", "-", title.lower()).strip("-")
                yield element(f"h{min(6, len(marks))}", _inline(title), id=name)
        elif kind == "table":
            header, _, *rows = [_cells(line) for line in members]
            yield table("", [str(cell) for cell in header], rows)
        elif kind == "item":
            yield element("ul", [element("li", _inline(one)) for one in _items(members)])
        else:
            yield element("p", _inline(" ".join(members)))


def _kind(line: str) -> str:
    if line.startswith("#"):
        return "heading"
    if line.startswith("|"):
        return "table"
    return "item" if line.startswith(("- ", "  ")) else "text"


def _items(lines: list[str]) -> list[str]:
    found: list[str] = []
    for line in lines:
        if line.startswith("- ") or not found:
            found.append(line.removeprefix("- "))
        else:
            found[-1] += f" {line.strip()}"
    return found


def _cells(line: str) -> list[Html]:
    return [_inline(cell.strip()) for cell in line.strip().strip("|").split("|")]


def _inline(text: str) -> Html:
    parts: list[str] = []
    end = 0
    for found in _INLINE.finditer(text):
        parts.append(text[end : found.start()])
        end = found.end()
        code, strong, soft, name, link = found.groups()
        if code is not None:
            parts.append(element("code", code))
        elif strong is not None:
            parts.append(element("strong", strong))
        elif soft is not None:
            parts.append(element("em", soft))
        else:
            # Other documents are not served: their names stay.
            parts.append(element("a", name, href=link) if link.startswith("https://") else name)
    return fragment(*parts, text[end:])
