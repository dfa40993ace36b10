import csv
import io

import pytest

from podmeter.domain.untrusted_text import printable
from podmeter.services.exports import csv_text, markdown
from podmeter.services.exports.table import Table


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\r=1",
        "  =1",
        "＝1",
        "|calc",
        "%x",
        "\u00a0=1",
    ],
)
def test_a_formula_is_neutralised(text: str) -> None:
    assert csv_text.neutral(text) == f"'{printable(text)}"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("x;=cmd|' /C calc'!A0;y", "x;'=cmd|' /C calc'!A0;y"),
        ("x; \u00a0@y", "x;' \u00a0@y"),
        ('x;"=1"', 'x;\'"=1"'),
        ("x\t+1", "x\t'+1"),
        ("x\n=1", "x\n'=1"),
        ("=1;=1", "'=1;'=1"),
        ("\t=1", "'\t'=1"),
        ("\n=1", "'\n'=1"),
        (";\n;=1", ";\n;'=1"),
    ],
)
def test_a_formula_behind_another_separator_is_neutralised(text: str, written: str) -> None:
    assert csv_text.neutral(text) == written


@pytest.mark.parametrize(
    ("cell", "written"),
    [(-1.5, "-1.5"), (3, "3"), (None, ""), ("a-b", "a-b"), ("a; b\nc;d", "a; b\nc;d")],
)
def test_what_is_no_formula_stays(cell: float | str | None, written: str) -> None:
    assert csv_text.neutral(cell) == written


def test_what_was_written_is_read_again() -> None:
    rows: list[list[str | float | None]] = [["a,b", 'c "d"', "e\nf", 1e-300, None]]
    text = csv_text.write(Table(["1", "2", "3", "4", "5"], rows))
    assert list(csv.reader(io.StringIO(text)))[1] == ["a,b", 'c "d"', "e\nf", "1e-300", ""]


def test_markdown_is_escaped() -> None:
    text = markdown.table(["a|b"], [["<b>*x*\n`y` [z](u)"]])
    assert text.splitlines() == [
        "| a\\|b |",
        "| --- |",
        "| \\<b\\>\\*x\\* \\`y\\` \\[z\\](u) |",
    ]
