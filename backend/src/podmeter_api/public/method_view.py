"""How it was measured, on the public page."""

import json
import shlex

from podmeter.services.snapshots.document import Method, RunMethod, SnapshotContent
from podmeter_api.public.headline_view import ENGLISH
from podmeter_api.public.markup import Html, element, fragment
from podmeter_api.public.wording import listed, said


def render(content: SnapshotContent, language: str) -> Html:
    """The method block."""
    method: Method = content.method
    return element(
        "section",
        element("h2", said(language, "How it was measured")),
        element("p", method.statistics, lang=ENGLISH),
        [_run(one, language) for one in method.runs],
        [
            _json(said(language, "Environment {number}", number=number), one.fingerprint)
            for number, one in enumerate(method.environments, start=1)
        ],
        element("p", _withheld(content, language)),
    )


def _run(one: RunMethod, language: str) -> Html:
    plan = one.repetition
    unknown = said(language, "none recorded")
    tools = sorted({f"{command.tool} {command.version}" for command in one.commands})
    rest = "" if one.complete else said(language, "Further commands are not listed.")
    return fragment(
        element("h3", said(language, "Run {name}", name=one.name)),
        element(
            "p",
            said(
                language,
                "{trials} counted trials of each case in each of {rounds} rounds, "
                "{warmup} warm-up, in seeded random order (seed {seed}).",
                **plan,
            ),
        ),
        element("p", said(language, "Tools: {tools}.", tools=", ".join(tools) or unknown)),
        element(
            "details",
            element("summary", said(language, "Commands")),
            element(
                "ul",
                [
                    element("li", element("code", shlex.join(each.argv)), f" × {each.count}")
                    for each in one.commands
                ],
            ),
            element("p", rest) if rest else "",
        ),
        _json(
            said(language, "Parameters and axes"),
            {"parameters": one.parameters, "axes": one.axes},
        ),
    )


def _json(title: str, document: object) -> Html:
    text = json.dumps(document, indent=2, ensure_ascii=False)
    return element("details", element("summary", title), element("pre", text))


def _withheld(content: SnapshotContent, language: str) -> str:
    names = listed(language, content.withheld) or said(language, "none")
    replaced = said(language, "Names replaced by pseudonyms: {names}.", names=names)
    if not content.kept:
        return replaced
    kept = listed(language, content.kept)
    return replaced + said(language, " Left in on purpose: {kept}.", kept=kept)
