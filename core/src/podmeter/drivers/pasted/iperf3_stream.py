"""iperf3 --json-stream (since 3.17): the document of --json event by event."""

from __future__ import annotations

from typing import Any

#: What an event's data may be; others (`server_output_text`) tell nothing that is read.
_START, _INTERVAL, _END, _ERROR = "start", "interval", "end", "error"


def is_tool_json(held: Any) -> bool:
    """Whether a JSON value is an event."""
    return isinstance(held, dict) and held.keys() == {"event", "data"}


def is_start(held: Any) -> bool:
    """Whether it is the first event of a run."""
    return bool(held["event"] == _START)


def goes_on(held: Any) -> bool:
    """Whether an event of the same run may follow."""
    return bool(held["event"] != _ERROR)


def document(events: list[tuple[Any, int]]) -> tuple[dict[str, Any] | None, int]:
    """The document that the events make, None where its end is missing, and where its end is."""
    held: dict[str, Any] = {"intervals": []}
    place = events[0][1]
    for event, at in events:
        name = event["event"]
        if name in (_START, _END) and name not in held:
            held[name] = event["data"]
            place = at
        elif name == _ERROR:
            return {"error": event["data"], "start": {}, "end": {}, "intervals": []}, at
    return (held if _START in held and _END in held else None), place
