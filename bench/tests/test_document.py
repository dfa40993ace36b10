"""The tables: a section that was not measured keeps its rows, with their date."""

from dataclasses import replace
from pathlib import Path

import bench.__main__
import pytest
from bench import document
from bench.row import BenchEnvironment, BenchError, Row, Section
from bench.sections import SECTIONS

TEXT = f"# Benchmarks\n\nbefore\n\n{document.BEGIN}\n{document.END}\n\nafter\n"


def nothing(_: BenchEnvironment) -> list[Row]:
    return []


API = Section("api", "API", needs_testbed=False, measure=nothing)
SPEED = Section("services", "Services", needs_testbed=True, measure=nothing)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "benchmarks.md"
    path.write_text(TEXT)
    monkeypatch.setattr(document, "DOCUMENT", path)
    return path


def test_sections_are_written_one_by_one_in_their_order(file: Path) -> None:
    sections = (SPEED, API)
    first = document.lines(API, [Row("p95", 40.0, "ms", bar=100.0)])
    document.write(document.table(sections, {"api": first}))
    second = document.lines(SPEED, [Row("ratio", 0.7, "", bar=0.8, higher_is_better=True)])
    document.write(document.table(sections, {"services": second}))
    table = file.read_text().partition(document.BEGIN)[2].partition(document.END)[0]
    assert table.strip().splitlines() == [*second, "", *first]
    assert file.read_text().startswith("# Benchmarks\n\nbefore\n")
    assert file.read_text().endswith("\n\nafter\n")


def test_a_section_measured_again_replaces_its_rows(file: Path) -> None:
    for value in (40.0, 50.0):
        lines = document.lines(API, [Row("p95", value, "ms")])
        document.write(document.table((API,), {"api": lines}))
    assert "50 ms" in file.read_text()
    assert "40 ms" not in file.read_text()


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        (Row("a", 0.0554, "s", bar=1.0), "| a | 0.0554 s | ≤ 1 s | met |"),
        (Row("b", 0.79, "", bar=0.8, higher_is_better=True), "| b | 0.79 | ≥ 0.8 | **missed** |"),
        (Row("c", 6238.4, "1/s"), "| c | 6,238 1/s |  |  |"),
    ],
)
def test_a_row_tells_its_bar_and_whether_it_is_met(row: Row, cells: str) -> None:
    assert cells in document.lines(API, [row])[-1]


def test_sections_have_names_and_titles_of_their_own() -> None:
    assert len({section.name for section in SECTIONS}) == len(SECTIONS)
    assert len({section.title for section in SECTIONS}) == len(SECTIONS)


@pytest.mark.parametrize(
    ("rows", "ends"),
    [
        ([Row("p95", 40.0, "ms", bar=50.0), Row("read beside it", 9.0, "s")], 0),
        ([Row("p95", 60.0, "ms", bar=50.0), Row("p50", 10.0, "ms", bar=50.0)], 1),
        (None, 1),
    ],
    ids=["met", "missed", "not measured"],
)
@pytest.mark.parametrize("quick", [False, True])
def test_a_bar_that_is_missed_fails_the_command_and_the_next_section_is_still_measured(
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    rows: list[Row] | None,
    ends: int,
    quick: bool,
) -> None:
    def measure(_: BenchEnvironment) -> list[Row]:
        if rows is None:
            raise BenchError("nobody answers")
        return rows

    after = Row("measured after it", 1.0, "s", bar=2.0)
    sections = (
        replace(API, measure=measure),
        replace(API, name="after", measure=lambda _: [after]),
    )
    monkeypatch.setattr(bench.__main__, "SECTIONS", sections)
    monkeypatch.setattr("sys.argv", ["bench", *(["--quick"] if quick else [])])
    assert bench.__main__.main() == ends
    written = "| measured after it | 1 s | ≤ 2 s | met |" in file.read_text()
    assert written is not quick
