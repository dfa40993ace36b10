"""How it was measured, on the public page."""

import json
import shlex

from podmeter.services.snapshots.document import Method, RunMethod, SnapshotContent
from podmeter_api.public.markup import Html, element, fragment


def render(content: SnapshotContent) -> Html:
    """The method block."""
    method: Method = content.method
    return element(
        "section",
        element("h2", "How it was measured"),
        element("p", method.statistics),
        [_run(one) for one in method.runs],
        [
            _json(f"Environment {number}", one.fingerprint)
            for number, one in enumerate(method.environments, start=1)
        ],
        element("p", _withheld(content)),
    )


def _run(one: RunMethod) -> Html:
    plan = one.repetition
    tools = sorted({f"{command.tool} {command.version}" for command in one.commands})
    rest = "" if one.complete else "Further commands are not listed."
    return fragment(
        element("h3", f"Run {one.name}"),
        element(
            "p",
            f"{plan['trials']} counted trials of each case in each of {plan['rounds']} rounds, "
            f"{plan['warmup']} warm-up, in seeded random order (seed {plan['seed']}).",
        ),
        element("p", f"Tools: {', '.join(tools) or 'none recorded'}."),
        element(
            "details",
            element("summary", "Commands"),
            element(
                "ul",
                [
                    element("li", element("code", shlex.join(each.argv)), f" × {each.count}")
                    for each in one.commands
                ],
            ),
            element("p", rest) if rest else "",
        ),
        _json("Parameters and axes", {"parameters": one.parameters, "axes": one.axes}),
    )


def _json(title: str, document: object) -> Html:
    text = json.dumps(document, indent=2, ensure_ascii=False)
    return element("details", element("summary", title), element("pre", text))


def _withheld(content: SnapshotContent) -> str:
    names = ", ".join(content.withheld) or "none"
    kept = f" Left in on purpose: {', '.join(content.kept)}." if content.kept else ""
    return f"Names replaced by pseudonyms: {names}.{kept}"
