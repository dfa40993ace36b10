"""Exports against files that were read by a person. PODMETER_WRITE_GOLDEN=1 writes them again."""

import csv
import io
import json
import os
from pathlib import Path

import pytest

from podmeter.services.exports.formats import (
    COMPARISON_WRITERS,
    MEDIA_TYPES,
    RUN_WRITERS,
    SUFFIXES,
    Format,
)

from .documents import comparison, run_of_one_mode, run_report

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("format_", Format)
@pytest.mark.parametrize("subject", ["run", "comparison"])
def test_the_file_is_as_it_was_read(subject: str, format_: Format) -> None:
    text = (
        RUN_WRITERS[format_](run_report())
        if subject == "run"
        else COMPARISON_WRITERS[format_](comparison())
    )
    path = GOLDEN / f"{subject}.{SUFFIXES[format_]}"
    if os.environ.get("PODMETER_WRITE_GOLDEN"):
        path.write_text(text, encoding="utf-8", newline="")
    assert text == path.read_bytes().decode()


def test_every_format_is_in_every_registry() -> None:
    for registry in (COMPARISON_WRITERS, MEDIA_TYPES, RUN_WRITERS, SUFFIXES):
        assert set(registry) == set(Format)


def test_csv_has_units_intervals_and_no_number_for_a_failure() -> None:
    rows = list(csv.DictReader(io.StringIO(RUN_WRITERS[Format.CSV](run_report()))))
    failed = next(row for row in rows if row["status"] == "failed")
    assert failed["throughput median [bit/s]"] == failed["throughput n [trials]"] == ""
    assert failed["failed trials"] == "12"
    good = next(row for row in rows if row["status"] == "succeeded")
    low, high = (float(good[f"throughput {end} [bit/s]"]) for end in ("low", "high"))
    assert low < float(good["throughput median [bit/s]"]) < high


def test_no_text_of_a_csv_is_a_formula() -> None:
    for text in (
        RUN_WRITERS[Format.CSV](run_report()),
        COMPARISON_WRITERS[Format.CSV](comparison()),
    ):
        for row in csv.reader(io.StringIO(text)):
            for cell in row:
                assert not cell.startswith(("=", "+", "@", "\t", "\r"))
                if cell.startswith("-"):
                    float(cell)


def test_json_holds_the_whole_document() -> None:
    found = json.loads(RUN_WRITERS[Format.JSON](run_report()))
    assert found["format"] == "podmeter.run/2"
    trials = found["content"]["summaries"][0]["parameters"]["trials"]
    assert sum(map(len, trials)) == 12


def test_environments_that_nothing_compared_are_not_called_comparable() -> None:
    found = comparison(run_of_one_mode())
    assert [one.gate.verdict for one in found.contenders] == ["unknown"]
    text = COMPARISON_WRITERS[Format.MARKDOWN](found)
    assert "unknown whether the environments are the same: no case was measured" in text
    assert "comparable" not in text
