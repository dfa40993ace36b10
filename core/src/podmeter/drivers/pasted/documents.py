"""Tools' JSON documents in a paste."""

from __future__ import annotations

import json
from bisect import bisect_right
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers.fields import Fields, leading_json
from podmeter.drivers.iperf3_flows import TOOL_NAME as IPERF3
from podmeter.drivers.pasted import curl, iperf3_json, k8s_netperf, knb, knb_documents
from podmeter.drivers.pasted.text import PasteError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from podmeter.drivers.pasted.output import Output
    from podmeter.drivers.pasted.text import Cursor, Line

#: Parameters of messages that name what a document says.
_NAMING = ("path", "what", "unit", "test", "protocol")


def begins(text: str) -> bool:
    """Whether a line begins a JSON document."""
    return text.startswith(("{", "[{", "[ {")) or text == "["


def read(cursor: Cursor) -> tuple[Output, ...]:
    """The JSON value that begins here; of curl's all that follow each other."""
    begin = cursor.at
    held, first, last = _value(cursor)
    command = cursor.command
    with _blamed(cursor.lines[begin : cursor.at]):
        if iperf3_json.is_one(held):
            document = Fields(IPERF3, held)
            return iperf3_json.read(document, first.number, last.number, command)
        if knb_documents.is_one(held):
            return knb_documents.read_json(Fields(knb.TOOL_NAME, held), first, last, command)
    if k8s_netperf.is_one(held):
        return tuple(_k8s_netperf(cursor, begin, len(held) if isinstance(held, list) else 1))
    if not curl.is_one(held):
        first.refuse(say("paste_json_unknown"))
    documents = [(Fields(curl.TOOL_NAME, held), first)]
    while not cursor.ended and cursor.line.text.lstrip().startswith("{"):
        at = cursor.at
        held, begun, ended = _value(cursor)
        if not curl.is_one(held):
            cursor.at = at
            break
        documents.append((Fields(curl.TOOL_NAME, held), begun))
        last = ended
    return (curl.read_json(documents, last, command),)


def _k8s_netperf(cursor: Cursor, begin: int, count: int) -> Iterator[Output]:
    """So many documents, one after another, from a line on; they were read as a whole before."""
    end = cursor.starts[begin]
    for _ in range(count):
        at = cursor.whole.index("{", end)
        held, end = leading_json(cursor.whole, at)
        first, last = _line_at(cursor, at), _line_at(cursor, end - 1)
        with _blamed(cursor.lines[first.number - 1 : last.number]):
            document = Fields(k8s_netperf.TOOL_NAME, held)
            yield k8s_netperf.read(document, first.number, last.number, cursor.command)


@contextmanager
def _blamed(lines: Sequence[Line]) -> Iterator[None]:
    """What is not to be read in a document is the fault of the field that is named, if one is."""
    try:
        yield
    except PasteError:
        raise
    except ToolError as error:
        with _told(lines, error.said.params).blamed():
            raise


def _told(lines: Sequence[Line], params: Mapping[str, object]) -> Line:
    """The line of what an error names: a field by its path, or a word of the document's."""
    named = next((params[one] for one in _NAMING if one in params), "error")
    place = 0
    for part in str(named).split("."):
        after = range(place, len(lines))
        place = next((at for at in after if f'"{part}"' in lines[at].text), place)
    return lines[place]


def _value(cursor: Cursor) -> tuple[Any, Line, Line]:
    """The JSON value at the cursor with its first and last line."""
    first = cursor.line
    begin = cursor.starts[cursor.at]
    begin += len(first.text) - len(first.text.lstrip())
    try:
        held, end = leading_json(cursor.whole, begin)
    except json.JSONDecodeError as error:
        said = say("paste_json", said=error.msg, column=error.colno)
        _line_at(cursor, error.pos).refuse(said)
    last = _line_at(cursor, end - 1)
    if last.text[end - cursor.starts[last.number - 1] :].strip():
        last.refuse(say("paste_unknown"))
    cursor.at = last.number
    return held, first, last


def _line_at(cursor: Cursor, place: int) -> Line:
    """The line that a place of the whole text is in."""
    return cursor.lines[bisect_right(cursor.starts, place) - 1]
