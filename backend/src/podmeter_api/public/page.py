"""GET /s/{token}, and /s/{token}/embed: what a link shows in a browser.

The server writes what link previews read and what is read without scripts: title, headline, files.
The built frontend draws the page from the same document as the application does.
"""

from datetime import UTC, datetime
from http import HTTPStatus

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from podmeter.db.models import Snapshot
from podmeter.kinds.registry import IMPORTED
from podmeter.services.snapshots import shares
from podmeter.services.snapshots.document import SnapshotContent
from podmeter.services.snapshots.picture import HEIGHT, WIDTH
from podmeter.services.work import Work
from podmeter.texts import Language, render
from podmeter_api.errors import HttpProblemError
from podmeter_api.language import answered_in
from podmeter_api.public import headline_view
from podmeter_api.public.headline_view import tag_of
from podmeter_api.public.markup import Html, element, fragment, raw_style
from podmeter_api.public.picture import PICTURE
from podmeter_api.public.reading import HEADERS, shown
from podmeter_api.public.style import (
    CSS,
    PLAIN_EMBED_POLICY,
    PLAIN_POLICY,
    SCRIPTED_EMBED_POLICY,
    SCRIPTED_POLICY,
)
from podmeter_api.state import state_of
from podmeter_api.unit_of_work import WorkDep

router = APIRouter(include_in_schema=False)
_TEMPLATE = "snapshot.html"
#: A preview is a card of text where nobody drew a picture.
_CARDS = {True: "summary_large_image", False: "summary"}
_FILES = (("json", "JSON"), ("csv", "CSV"), ("markdown", "Markdown"))


@router.api_route("/s/{token}", methods=["GET", "HEAD"])
def snapshot_page(token: str, request: Request, work: WorkDep) -> Response:
    """The page, or a page that says there is nothing."""
    language = answered_in()
    try:
        row, content = shown(work, token)
    except HttpProblemError as error:
        return _nothing(error, language)
    head = _head(request, work, token, row, content, language)
    main = _main(row.title, _body(token, row, content, language), content, language)
    return _answer(request, head, main, language, PLAIN_POLICY, SCRIPTED_POLICY)


@router.api_route("/s/{token}/embed", methods=["GET", "HEAD"])
def embedded_page(token: str, request: Request, work: WorkDep) -> Response:
    """The same in short, which other pages may have inside of them: what was found, and when."""
    language = answered_in()
    try:
        row, content = shown(work, token)
    except HttpProblemError as error:
        return _nothing(error, language)
    main = element(
        "main",
        element("h1", row.title),
        headline_view.section(content.headline, language),
        element("p", _taken(row, content, language)),
        element("p", element("a", render(language, "public_page.whole_page"), href=f"/s/{token}")),
        class_="embed",
        lang=tag_of(language),
    )
    # Nothing that is pressed in it opens inside of the other page.
    told = _head(request, work, token, row, content, language)
    head = fragment(told, element("base", target="_blank"))
    return _answer(request, head, main, language, PLAIN_EMBED_POLICY, SCRIPTED_EMBED_POLICY)


def _nothing(error: HttpProblemError, language: Language) -> Response:
    keys = ("public_page.no_snapshot", "public_page.no_snapshot_why")
    if error.document is not None:
        keys = ("public_page.unreadable", "public_page.unreadable_why")
    title, why = (render(language, key) for key in keys)
    head = fragment(_titled(title), raw_style(CSS))
    main = _main(title, element("p", why), None, language)
    return _plain(head, main, language, PLAIN_POLICY, error.status)


def _answer(
    request: Request, head: Html, main: Html, language: Language, plain: str, scripted: str
) -> Response:
    """The page as it is, or as the built frontend takes it over, each by its policy."""
    folder = state_of(request).settings.frontend_dir
    if folder is None:
        return _plain(head, main, language, plain)
    page = (folder / _TEMPLATE).read_text()
    page = page.replace("<!--head-->", head).replace("<!--body-->", main)
    return HTMLResponse(page, headers={**HEADERS, "Content-Security-Policy": scripted})


def _body(token: str, row: Snapshot, content: SnapshotContent, language: Language) -> Html:
    path = f"/api/v1/public/snapshots/{token}/export"
    files = [
        element(
            "li",
            element(
                "a",
                render(language, "public_page.download", name=name),
                href=f"{path}?format={format_}",
                download="",
            ),
        )
        for format_, name in _FILES
    ]
    without = render(language, "public_page.scripts_needed")
    return fragment(
        headline_view.section(content.headline, language),
        element("p", _taken(row, content, language, row.expires_at)),
        element("noscript", element("p", without)),
        element("ul", files, class_="files"),
    )


def _head(
    request: Request,
    work: Work,
    token: str,
    row: Snapshot,
    content: SnapshotContent,
    language: Language,
) -> Html:
    """What a browser and a link preview read first; addresses are absolute, as these need them."""
    description = headline_view.describe(content.headline, language)
    short = description if len(description) <= 300 else f"{description[:299]}…"
    page = f"{state_of(request).settings.public_url.rstrip('/')}/s/{token}"
    pictured = shares.has_picture(work, row)
    return fragment(
        _titled(row.title),
        element("meta", name="description", content=short),
        element("meta", property="og:type", content="article"),
        element("meta", property="og:site_name", content="Podmeter"),
        element("meta", property="og:url", content=page),
        element("meta", property="og:title", content=row.title),
        element("meta", property="og:description", content=short),
        _pictured(f"{page}/{PICTURE}", short or row.title) if pictured else "",
        element("meta", name="twitter:card", content=_CARDS[pictured]),
        raw_style(CSS),
    )


def _pictured(address: str, alternative: str) -> Html:
    return fragment(
        element("meta", property="og:image", content=address),
        element("meta", property="og:image:type", content="image/png"),
        element("meta", property="og:image:width", content=str(WIDTH)),
        element("meta", property="og:image:height", content=str(HEIGHT)),
        element("meta", property="og:image:alt", content=alternative),
    )


def _titled(title: str) -> Html:
    return fragment(
        element("title", f"{title} – Podmeter"),
        element("meta", name="robots", content="noindex, nofollow, noarchive"),
        element("meta", name="referrer", content="no-referrer"),
    )


def _main(title: str, body: Html, content: SnapshotContent | None, language: Language) -> Html:
    tag = tag_of(language)
    return fragment(
        element("main", element("h1", title), body, lang=tag),
        element("footer", element("p", _source(content, language)), lang=tag),
    )


def _plain(
    head: Html, main: Html, language: Language, policy: str, status: HTTPStatus = HTTPStatus.OK
) -> Response:
    """A page without scripts."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        head,
    )
    page = element("html", head, element("body", main), lang=tag_of(language))
    headers = {**HEADERS, "Content-Security-Policy": policy}
    return HTMLResponse(f"<!doctype html>{page}", status, headers)


def _source(content: SnapshotContent | None, language: Language) -> str:
    run = None if content is None else content.run
    if run is not None and run.run.kind == IMPORTED.name:
        return render(language, "public_page.displayed")
    return render(language, "public_page.measured")


def _taken(
    row: Snapshot, content: SnapshotContent, language: Language, until: datetime | None = None
) -> str:
    subject = render(language, f"public_subject.{content.subject}")
    told = {"subject": subject, "day": _day(row.created_at)}
    if until is None:
        return render(language, "public_page.frozen", **told)
    return render(language, "public_page.frozen_until", **told, until=_day(until))


def _day(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
