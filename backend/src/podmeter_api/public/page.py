"""GET /s/{token}: what a link shows in a browser.

Everything is in the page itself, so that it is read without scripts and by link previews. Where
the frontend is built, its own snapshot page takes over in the browser and draws the charts.
"""

from datetime import UTC, datetime
from http import HTTPStatus

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from podmeter.db.models import Snapshot
from podmeter.experiments.registry import IMPORTED
from podmeter.services.headlines.document import Headline
from podmeter.services.snapshots.document import SnapshotContent
from podmeter_api.errors import HttpProblemError
from podmeter_api.public import comparison_view, headline_view, method_view, run_view
from podmeter_api.public.markup import Html, element, fragment, raw_style
from podmeter_api.public.reading import HEADERS, shown
from podmeter_api.public.style import CSS, PLAIN_POLICY, SCRIPTED_POLICY
from podmeter_api.state import state_of
from podmeter_api.unit_of_work import WorkDep

router = APIRouter(include_in_schema=False)
_TEMPLATE = "snapshot.html"
_HEADERS = {**HEADERS, "Vary": "Accept-Language"}
_MEASURED = "Measured with Podmeter on the clusters themselves."
_FILES = (("json", "JSON"), ("csv", "CSV"), ("markdown", "Markdown"))


@router.api_route("/s/{token}", methods=["GET", "HEAD"])
def snapshot_page(token: str, request: Request, work: WorkDep) -> Response:
    """The page, or a page that says there is nothing."""
    try:
        row, content = shown(work, token)
    except HttpProblemError as error:
        head, body = _head("No such snapshot", error.detail), element("p", error.detail)
        return _plain(head, _main("No such snapshot", body, _footer(None)), error.status)
    language = headline_view.language_of(request.headers.get("accept-language", ""))
    headline = _headline(content)
    head = _head(row.title, headline_view.describe(headline, language))
    said = headline_view.render(headline, language)
    main = _main(row.title, _body(token, row, content, said), _footer(content))
    folder = state_of(request).settings.frontend_dir
    if folder is None:
        return _plain(head, main)
    page = (folder / _TEMPLATE).read_text()
    page = page.replace("<!--head-->", head).replace("<!--body-->", main)
    return HTMLResponse(page, headers={**_HEADERS, "Content-Security-Policy": SCRIPTED_POLICY})


def _headline(content: SnapshotContent) -> Headline | None:
    subject = content.comparison or content.run
    return None if subject is None else subject.headline


def _body(token: str, row: Snapshot, content: SnapshotContent, headline: Html) -> Html:
    path = f"/api/v1/public/snapshots/{token}/export"
    files = [
        element("li", element("a", f"Download {name}", href=f"{path}?format={word}", download=""))
        for word, name in _FILES
    ]
    until = "" if row.expires_at is None else f", shown until {_day(row.expires_at)}"
    return fragment(
        headline,
        element("p", f"A frozen {content.subject}, taken {_day(row.created_at)}{until}."),
        element("ul", files, class_="files"),
        comparison_view.render(content.comparison) if content.comparison is not None else "",
        run_view.render(content.run) if content.run is not None else "",
        method_view.render(content),
    )


def _head(title: str, description: str) -> Html:
    short = description if len(description) <= 300 else f"{description[:299]}…"
    return fragment(
        element("title", f"{title} – Podmeter"),
        element("meta", name="description", content=short),
        element("meta", name="robots", content="noindex, nofollow, noarchive"),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", property="og:type", content="article"),
        element("meta", property="og:site_name", content="Podmeter"),
        element("meta", property="og:title", content=title),
        element("meta", property="og:description", content=short),
        element("meta", name="twitter:card", content="summary"),
        raw_style(CSS),
    )


def _main(title: str, body: Html, footer: Html) -> Html:
    return fragment(element("main", element("h1", title), body), footer)


def _plain(head: Html, main: Html, status: HTTPStatus = HTTPStatus.OK) -> Response:
    """A page without scripts."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        head,
    )
    page = element("html", head, element("body", main), lang="en")
    headers = {**_HEADERS, "Content-Security-Policy": PLAIN_POLICY}
    return HTMLResponse(f"<!doctype html>{page}", status, headers)


def _footer(content: SnapshotContent | None) -> Html:
    run = None if content is None else content.run
    imported = run is not None and run.run.kind == IMPORTED.name
    said = "Shown by Podmeter, which measured none of it." if imported else _MEASURED
    return element("footer", element("p", said))


def _day(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
