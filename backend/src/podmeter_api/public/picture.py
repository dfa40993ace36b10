"""GET /s/{token}/preview.png: what chats and wikis show beside a link."""

import uuid
from dataclasses import dataclass

from fastapi import APIRouter, Response

from podmeter.services.headlines.document import Headline
from podmeter.services.kept import Kept
from podmeter.services.snapshots.document import SnapshotContent
from podmeter_api.public.headline_view import CHINESE, ENGLISH, said_in
from podmeter_api.public.reading import HEADERS, shown
from podmeter_api.public.wording import said, word
from podmeter_api.unit_of_work import WorkDep

router = APIRouter(include_in_schema=False)
PICTURE = "preview.png"
WIDTH, HEIGHT = 1200, 630
#: A snapshot never changes; one that is revoked is not asked for here.
_DRAWN: Kept[tuple[uuid.UUID, str], bytes] = Kept(16)


@dataclass(frozen=True)
class Words:
    """What stands in a picture: a name that people gave, and what Podmeter says."""

    title: str
    said: list[str]
    caveats: list[str]
    taken: str


@router.api_route(f"/s/{{token}}/{PICTURE}", methods=["GET", "HEAD"])
def preview_picture(token: str, work: WorkDep, lang: str = ENGLISH) -> Response:
    """The headline, drawn; nothing where the link shows nothing."""
    row, content = shown(work, token)
    language = CHINESE if lang == CHINESE else ENGLISH
    drawn = _DRAWN.get((row.id, language))
    if drawn is None:
        drawn = _DRAWN.put((row.id, language), _draw(row.title, content, language))
    return Response(drawn, media_type="image/png", headers=HEADERS)


def _draw(title: str, content: SnapshotContent, language: str) -> bytes:
    # What draws it is large, and seldom needed.
    from podmeter_api.public.drawing import draw

    return draw([_words(title, content, one) for one in (language, ENGLISH)])


def _words(title: str, content: SnapshotContent, language: str) -> Words:
    headline = content.headline or Headline([])
    subject, day = word(language, content.subject), f"{content.taken_at:%Y-%m-%d}"
    taken = said(language, "A frozen {subject}, taken {day}.", subject=subject, day=day)
    return Words(
        title=title,
        said=[said_in(one, language) for one in headline.sentences],
        caveats=[said_in(one, language) for one in headline.caveats],
        taken=taken.rstrip(".。"),
    )
