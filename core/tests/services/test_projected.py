"""Rows of documents: what they carry is listed, written and read again."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass

from pydantic import JsonValue, TypeAdapter

from podmeter.results.projected import PARAMETERS, Key, Projected

from .exports.documents import run_report
from .headlines.test_headlines import LADDER, comparison_of, run_of

ROWS = TypeAdapter(list[Projected])


def rows() -> list[Projected]:
    """Every row of a run's report and of a comparison, in whatever field it is."""
    compared = comparison_of(run_of(LADDER, lambda _: 9000.0, 0.01, 6))
    return [*rows_in(run_report()), *rows_in(compared)]


def rows_in(value: object) -> Iterator[Projected]:
    """The rows in a document, its own fields and those of its parts."""
    if isinstance(value, Projected):
        yield value
    elif is_dataclass(value):
        for field in fields(value):
            yield from rows_in(getattr(value, field.name))
    elif isinstance(value, Mapping):
        yield from rows_in(list(value.values()))
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for part in value:
            yield from rows_in(part)


def test_every_parameter_is_listed_so_that_sharing_replaces_no_name_of_one() -> None:
    codes = {row.code for row in rows()}
    assert codes >= {"loss", "difference", "change", "slope", "curve_difference"}
    assert codes >= {"ratio", "shift", "median", "centre"}
    assert {name for row in rows() for name in row.parameters} <= PARAMETERS


def test_rows_are_read_as_they_were_written() -> None:
    every = rows()
    assert ROWS.validate_json(ROWS.dump_json(every)) == every


def test_a_parameter_of_another_type_is_none() -> None:
    key = Key("throughput", "", "ratio", "lower", {})
    parameters: dict[str, JsonValue] = {
        "p": 0.5,
        "reason": "x",
        "xs": [1, "a", 2.0],
        "controlled": True,
    }
    row = Projected(key, None, None, None, 0, None, "change", parameters)
    assert (row.number("p"), row.number("reason"), row.number("missing")) == (0.5, None, None)
    assert (row.text("reason"), row.text("p")) == ("x", "")
    assert (row.numbers("xs"), row.numbers("p")) == ([1, 2.0], [])
    assert row.groups("xs") == [[], [], []]
    assert (row.holds("controlled"), row.holds("p")) == (True, False)
    assert row.warnings == []
