"""An answer as it is printed: text, Markdown with a chart, JUnit, documents."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from podmeter_cli.answer import Answer, Line, Part
from podmeter_cli.output import Format, Table, markdown, print_document, print_table, print_text

ANSWER_FORMATS = (Format.TABLE, Format.JSON, Format.YAML, Format.MARKDOWN, Format.JUNIT)
#: A chart with more bars cannot be read.
_MOST_BARS = 12
#: A table with more rows is folded in a comment.
_FOLDED_FROM = 20

#: Below a table: its values are no medians, so that they agree with the difference beside them.
_VALUES = (
    "The difference is computed from these values. They are corrected by the control, if there is "
    "one, and so differ from medians."
)


def print_answer(format_: Format, answer: Answer) -> None:
    """Print it in this format."""
    if format_ is Format.TABLE:
        _print_text(answer)
    elif format_ is Format.MARKDOWN:
        print_text(as_markdown(answer))
    elif format_ is Format.JUNIT:
        print_text(as_junit(answer))
    else:
        print_document(format_, as_document(answer))


def as_document(answer: Answer) -> dict[str, Any]:
    """For programs: the verdict, and the API's own documents that it rests on."""
    return {
        "verdict": answer.code.name.lower(),
        "exit_code": int(answer.code),
        "title": answer.title,
        "link": answer.link,
        "failed": answer.failed or None,
        "incomplete": answer.incomplete or None,
        "missing": answer.missing or None,
        "sentences": list(answer.sentences),
        "caveats": list(answer.caveats),
        "lines": [
            {"baseline_name": part.baseline, "contender_name": part.contender, **_fields(line)}
            for part in answer.parts
            for line in part.lines
        ],
        "documents": list(answer.documents),
    }


def as_markdown(answer: Answer) -> str:
    """For a comment of a pull request."""
    parts = [f"### Podmeter: {answer.word}", "", *(_escaped(one) for one in answer.sentences[:3])]
    if answer.faults:
        parts += [f"**{_escaped(answer.faults)}**"]
    for part in answer.parts:
        parts += ["", *_markdown_part(answer, part)]
    if answer.figures and answer.figures.rows:
        parts += ["", markdown(answer.figures)]
    parts += ["", *(f"> {_escaped(one)}" for one in answer.caveats)]
    return "\n".join([*parts, "", f"[All results]({answer.link})"])


def as_junit(answer: Answer) -> str:
    """A test case for each line: worse fails, undecided is skipped, a failed run is an error."""
    root = ElementTree.Element("testsuites", name="podmeter")
    for part in answer.parts or [Part("", answer.title)]:
        suite = ElementTree.SubElement(
            root, "testsuite", name=part.title if part.baseline else answer.title
        )
        cases = [_junit_case(suite, line) for line in part.lines]
        if answer.faults or part.refused or not cases:
            case = ElementTree.SubElement(suite, "testcase", classname="podmeter", name="run")
            if answer.failed:
                ElementTree.SubElement(case, "error", message=answer.faults)
            elif part.refused:
                why = " ".join(filter(None, (part.why_refused, answer.faults)))
                ElementTree.SubElement(case, "skipped", message=why)
            elif answer.missing:
                ElementTree.SubElement(case, "skipped", message=answer.faults)
            elif answer.incomplete:
                ElementTree.SubElement(case, "system-out").text = answer.incomplete
        for tag, name in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            suite.set(name, str(len(suite.findall(f"testcase/{tag}"))))
        suite.set("tests", str(len(suite.findall("testcase"))))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)


def _print_text(answer: Answer) -> None:
    for sentence in answer.sentences:
        print_text(sentence)
    for caveat in answer.caveats:
        print_text(f"Note: {caveat}")
    for part in answer.parts:
        print_text("")
        if part.refused:
            print_text(f"{part.title}: may not be compared. {part.why_refused}")
        else:
            print_table(answer.table(part))
    if answer.lines:
        print_text(_VALUES)
    if answer.figures and answer.figures.rows:
        print_text("")
        print_table(answer.figures)
    print_text("")
    if answer.faults:
        print_text(answer.faults)
    if answer.hint and not answer.failed:
        print_text(answer.hint)
    if answer.open_losses:
        print_text(f"{answer.open_losses} losses are undecided.")
    print_text(f"{answer.word.capitalize()}. {answer.link}")


def _markdown_part(answer: Answer, part: Part) -> list[str]:
    if part.refused:
        return [f"**{_escaped(part.title)}** may not be compared: {_escaped(part.why_refused)}"]
    table = markdown(answer.table(part))
    chart = _chart(part)
    if len(part.lines) > _FOLDED_FROM:
        table = f"<details><summary>{len(part.lines)} cases</summary>\n\n{table}\n\n</details>"
    return [table, *(["", chart] if chart else [])]


def _chart(part: Part) -> str | None:
    """A Mermaid chart of the differences in percent: the value, and both ends of its interval."""
    counted = [line for line in part.lines if not line.not_counted]
    drawn = [(line, line.ends) for line in counted if line.ends is not None][:_MOST_BARS]
    if not drawn:
        return None
    names = ", ".join(f'"{_plain(line.case)}"' for line, _ in drawn)
    low, value, high = (", ".join(f"{ends[place]:.2f}" for _, ends in drawn) for place in range(3))
    return "\n".join(
        [
            "```mermaid",
            "xychart-beta",
            f'  title "{_plain(part.title)}, difference in percent with its interval"',
            f"  x-axis [{names}]",
            '  y-axis "%"',
            f"  bar [{value}]",
            f"  line [{low}]",
            f"  line [{high}]",
            "```",
        ]
    )


def _junit_case(suite: ElementTree.Element, line: Line) -> ElementTree.Element:
    name = f"{line.case}: {line.metric}"
    case = ElementTree.SubElement(suite, "testcase", classname="podmeter", name=name)
    said = f"{line.verdict}: {line.baseline} against {line.contender}, {line.difference}"
    if line.fails:
        ElementTree.SubElement(case, "failure", message=said)
    elif line.is_open:
        ElementTree.SubElement(case, "skipped", message=said)
    elif line.not_counted:
        ElementTree.SubElement(
            case, "system-out"
        ).text = f"{said} (not counted: {line.not_counted})"
    else:
        ElementTree.SubElement(case, "system-out").text = said
    return case


def _fields(line: Line) -> dict[str, Any]:
    return {
        "case": line.case,
        "metric": line.metric,
        "baseline": line.baseline,
        "contender": line.contender,
        "difference": line.difference,
        "verdict": line.verdict,
        "within_budget": line.budget,
        "to_decide": line.advice or None,
        "limited_by": line.limited_by or None,
        "not_counted": line.not_counted or None,
    }


def _escaped(text: str) -> str:
    return markdown(Table([text], [])).split("\n")[0].removeprefix("| ").removesuffix(" |")


def _plain(text: str) -> str:
    return "".join(one if one.isalnum() or one in " .,:/%-+_" else " " for one in text)[:80]
