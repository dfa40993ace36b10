"""Articles beside our own figures, on the public page."""

from podmeter.services.headlines.text import sentence
from podmeter.services.references.document import InBoth
from podmeter.services.reproduction import said as words
from podmeter.services.reproduction.document import (
    BesideCell,
    BesideTable,
    OurClaim,
    OurResult,
    Reproduction,
)
from podmeter_api.public import headline_view
from podmeter_api.public.headline_view import CHINESE
from podmeter_api.public.markup import Html, element, fragment, table
from podmeter_api.public.wording import said, word


def render(found: Reproduction, language: str) -> Html:
    """One of them: its claims, its tables with ours beside, and what there is nothing of."""
    cited = element("span", found.title, lang=found.language)
    if found.url is not None:
        cited = element("a", cited, href=found.url, rel="noopener noreferrer")
    runs = ("、" if language == CHINESE else ", ").join(run.name for run in found.runs)
    return element(
        "section",
        element("h2", _in(found.subject, language)),
        element("p", cited),
        element("p", said(language, "Runs: {runs}", runs=runs)),
        [
            element(
                "p",
                said(
                    language,
                    "{measured} stands in the place of the article's {published}: a claim about "
                    "the one is told here of the other.",
                    measured=one.measured,
                    published=one.published,
                ),
            )
            for one in found.stand_ins
        ],
        headline_view.caveat(sentence("shared_host"), language)
        if any(run.shared_host for run in found.runs)
        else "",
        table(
            said(language, "Claims, of our figures"),
            [
                said(language, name)
                for name in ("claim", "of its own figures", "of our figures", "verdict")
            ],
            [
                (
                    f"{_in(one.said, language)} ({one.where})",
                    word(language, words.PUBLISHED[one.published]),
                    [element("div", _computed(one, each, language)) for each in one.results],
                    _verdict(one, language),
                )
                for one in found.claims
            ],
        ),
        [_table(one, found.language, language) for one in found.tables if one.measured],
        _missing(found, language),
    )


def _in(text: InBoth, language: str) -> str:
    return text.zh if language == CHINESE else text.en


def _computed(claim: OurClaim, one: OurResult, language: str) -> str:
    value, low, high = words.computed(one, claim.how)
    text = value or said(language, "none")
    if value and claim.how in words.TIMES:
        text = said(language, "{value} times", value=value)
    if low and high:
        text += f" [{low} – {high}]"
    return text if one.comparison is None else f"{text} ({word(language, one.comparison)})"


def _verdict(claim: OurClaim, language: str) -> str:
    found = word(language, words.VERDICTS[claim.verdict])
    if claim.why_not is not None:
        why = word(language, words.WHY_NOT[claim.why_not])
        return f"{found}: {why}"
    if len(claim.results) < claim.asked:
        of = said(
            language,
            "{measured} of {asked} results measured",
            measured=len(claim.results),
            asked=claim.asked,
        )
        return f"{found} ({of})"
    return found


def _table(one: BesideTable, printed: str, language: str) -> Html:
    rows, places = words.measured(one)
    sides = said(language, "published"), said(language, "ours")
    columns = [one.columns[place].printed or _in(one.title, language) for place in places]
    left = one.figures - one.measured
    return fragment(
        table(
            f"{_in(one.title, language)} ({one.where})",
            [said(language, "row"), *(f"{name}, {side}" for name in columns for side in sides)],
            [
                (
                    element("span", row.printed or row.id, lang=printed),
                    *(cell for place in places for cell in _beside(row.cells[place])),
                )
                for row in rows
            ],
        ),
        element(
            "p",
            said(
                language,
                "{left} of its {figures} figures have none of ours beside them.",
                left=left,
                figures=one.figures,
            ),
        )
        if left
        else "",
    )


def _beside(cell: BesideCell) -> tuple[str, str]:
    if cell.ours is None:
        return words.quoted(cell), ""
    value, low, high = words.ends(cell.ours)
    interval = f" [{low} – {high}]" if low and high else ""
    return words.quoted(cell), f"{value}{interval}, n = {cell.ours.n}"


def _missing(found: Reproduction, language: str) -> Html | str:
    missing = words.missing(found.tables)
    if not missing:
        return ""
    return fragment(
        element("h3", said(language, "Not reproduced")),
        element(
            "ul",
            [
                element(
                    "li",
                    f"{_in(one.title, language)} ({one.where})",
                    f": {word(language, words.WHY_NOT[one.why_not])}" if one.why_not else "",
                )
                for one in missing
            ],
        ),
    )
