"""Tools' JSON documents in a paste."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers.fields import Fields, leading_json
from podmeter.drivers.iperf3_flows import TOOL_NAME as IPERF3
from podmeter.drivers.pasted import (
    curl,
    fortio,
    iperf3_json,
    iperf3_stream,
    k8s_netperf,
    knb,
    knb_documents,
    unread,
    vegeta,
)
from podmeter.drivers.pasted.json_values import begins, place_of, value
from podmeter.drivers.pasted.text import PasteError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from podmeter.drivers.pasted.output import Output
    from podmeter.drivers.pasted.text import Cursor, Line

__all__ = ["begins", "read"]

#: Parameters of messages that name what a document says.
_NAMING = ("path", "what", "unit", "test", "protocol")
#: What documents of a tool are found in where an index was asked for them (Elasticsearch).
_INDEXED = "_source"


def read(cursor: Cursor) -> tuple[Output, ...]:
    """The JSON value that begins here; of curl's and of iperf3's stream all that follow."""
    begin = cursor.at
    held, first, last = value(cursor)
    command = cursor.command
    lines = cursor.lines[begin : cursor.at]
    if iperf3_stream.is_tool_json(held):
        return _stream(cursor, held, begin)
    with _blamed(lines):
        if iperf3_json.is_tool_json(held):
            document = Fields(IPERF3, held)
            return iperf3_json.read(document, first.number, last.number, command)
        if knb_documents.is_tool_json(held):
            return knb_documents.read_json(Fields(knb.TOOL_NAME, held), first, last, command)
        for tool in (fortio, vegeta):
            if tool.is_tool_json(held):
                document = Fields(tool.TOOL_NAME, held)
                return (tool.read_json(document, first.number, last.number, command),)
    indexed = _indexed(held)
    if indexed:
        with _blamed(lines):
            return tuple(_k8s_document(one, first, last, command) for one in indexed)
    if k8s_netperf.is_tool_json(held):
        return tuple(_k8s_netperf(cursor, begin, len(held) if isinstance(held, list) else 1))
    if not curl.is_tool_json(held):
        first.refuse(unread.recognised_document(held) or say("paste_json_unknown"))
    documents = [(Fields(curl.TOOL_NAME, held), first)]
    while not cursor.ended and begins(cursor.line.flat) and cursor.line.flat.startswith("{"):
        at = cursor.at
        held, begun, ended = value(cursor)
        if not curl.is_tool_json(held):
            cursor.at = at
            break
        documents.append((Fields(curl.TOOL_NAME, held), begun))
        last = ended
    return (curl.read_json(documents, last, command),)


def _stream(cursor: Cursor, held: Any, begin: int) -> tuple[Output, ...]:
    """A run of iperf3 as a stream of events, each a JSON document on its own line."""
    events = [(held, begin)]
    while not cursor.ended and iperf3_stream.goes_on(events[-1][0]):
        if not cursor.line.flat:
            cursor.at += 1
            continue
        at = cursor.at
        if not begins(cursor.line.flat):
            break
        held, *_ = value(cursor)
        if not iperf3_stream.is_tool_json(held) or iperf3_stream.is_start(held):
            cursor.at = at
            break
        events.append((held, at))
    told, place = iperf3_stream.document(events)
    first, last = cursor.lines[begin], cursor.lines[cursor.at - 1]
    if told is None:
        last.refuse(say("paste_cut", tool=IPERF3, missing="end"))
    with cursor.lines[place].locating_errors():
        return iperf3_json.read(
            Fields(IPERF3, told),
            first.number,
            last.number,
            cursor.command,
            shown=cursor.lines[place].number,
        )


def _indexed(held: Any) -> list[Any]:
    """The k8s-netperf documents that an index gave: one, a list, or an answer to a search."""
    if isinstance(held, dict) and isinstance(hits := held.get("hits"), dict):
        held = hits.get("hits")
    ones = held if isinstance(held, list) else [held]
    sources = [one.get(_INDEXED) if isinstance(one, dict) else None for one in ones]
    return sources if sources and all(k8s_netperf.is_tool_json(one) for one in sources) else []


def _k8s_document(held: Any, first: Line, last: Line, command: str) -> Output:
    document = Fields(k8s_netperf.TOOL_NAME, held)
    return k8s_netperf.read(document, first.number, last.number, command)


def _k8s_netperf(cursor: Cursor, begin: int, count: int) -> Iterator[Output]:
    """So many documents, one after another, from a line on; they were read as a whole before."""
    end = cursor.starts[begin]
    for _ in range(count):
        at = cursor.whole.index("{", end)
        held, end = leading_json(cursor.whole, at)
        first, last = place_of(cursor, at), place_of(cursor, end - 1)
        with _blamed(cursor.lines[first : last + 1]):
            yield _k8s_document(held, cursor.lines[first], cursor.lines[last], cursor.command)


@contextmanager
def _blamed(lines: Sequence[Line]) -> Iterator[None]:
    """What is not to be read in a document is the fault of the field that is named, if one is."""
    try:
        yield
    except PasteError:
        raise
    except ToolError as error:
        with _told(lines, error.said.params).locating_errors():
            raise


def _told(lines: Sequence[Line], params: Mapping[str, object]) -> Line:
    """The line of what an error names: a field by its path, or a word of the document's."""
    named = next((params[one] for one in _NAMING if one in params), "error")
    place = 0
    for part in str(named).split("."):
        after = range(place, len(lines))
        place = next((at for at in after if f'"{part}"' in lines[at].text), place)
    return lines[place]
