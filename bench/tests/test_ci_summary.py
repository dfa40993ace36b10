"""What a CI log ends with: `.ci/part` keeps how a part ended, `.ci/summary` prints it."""

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / ".ci"
PASSING = "bench/tests/test_a.py ...s\n==== 3 passed, 1 skipped in 2.50s ====\n"
FAILING = """\
bench/tests/test_b.py .F
>       assert lost == 0
E       AssertionError: 3 rows are lost
=========================== short test summary info ============================
FAILED bench/tests/test_b.py::test_rows - AssertionError: 3 rows are lost
==================== 1 failed, 4 passed in 3.10s (0:00:03) =====================
"""
#: As Playwright and Vitest print it, colours too.
PLAYWRIGHT = """\
  1) [scripted] › scripted/a.spec.ts:2:1 › a run is tagged ───────────────────────

    \x1b[31mError: expect(received).toBe(expected) // Object.is equality\x1b[39m

    Expected: 3
        at frontend/e2e/scripted/a.spec.ts:2:36

  2) [scripted] › scripted/a.spec.ts:3:1 › all pages ─────────────────────────────

    \x1b[31mTest timeout of 300ms exceeded.\x1b[39m

    Error Context: test-results/a-all-pages-scripted/error-context.md

  2 failed
    [scripted] › scripted/a.spec.ts:2:1 › a run is tagged ────────────────────────
    [scripted] › scripted/a.spec.ts:3:1 › all pages ──────────────────────────────
  1 skipped
  7 passed (3.1s)
"""
VITEST = """\
 ❯ \x1b[30m plain \x1b[39m src/a.test.ts (2 tests | 1 failed) 8ms
   \x1b[31m×\x1b[39m adds 6ms
   ✓ works 0ms

 \x1b[41m FAIL \x1b[49m  plain  src/a.test.ts > adds
\x1b[31mAssertionError: expected 2 to be 3 // Object.is equality\x1b[39m

- Expected
+ Received

 Test Files  1 failed | 40 passed (41)
      Tests  1 failed | 12 passed | 2 skipped (15)
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree with the two scripts, in which a tier has begun."""
    shutil.copytree(SCRIPTS, tmp_path / ".ci")
    (tmp_path / ".test").mkdir()
    (tmp_path / ".test" / "begun").write_text("0\n")
    return tmp_path


def run_part(
    tree: Path, name: str, printed: str, status: int
) -> "subprocess.CompletedProcess[str]":
    (tree / "printed").write_text(printed)
    command = ["sh", "-c", f"cat {tree}/printed; exit {status}"]
    return subprocess.run(
        [str(tree / ".ci" / "part"), name, *command], capture_output=True, text=True, timeout=60
    )


def summary(tree: Path, *parts: str) -> tuple[int, list[str]]:
    """Its exit code and its lines."""
    done = subprocess.run(
        [str(tree / ".ci" / "summary"), *parts], capture_output=True, text=True, timeout=60
    )
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def test_a_tier_that_passed(tree: Path) -> None:
    part = run_part(tree, "python", PASSING, 0)
    assert part.returncode == 0
    assert part.stdout.splitlines()[-1].startswith("== python: passed in ")
    status, lines = summary(tree, "python")
    assert status == 0
    assert lines[0].split()[:2] == ["python", "passed"]
    assert lines[-1] == "tests: 3 passed, 0 failed, 1 skipped"
    assert not any("because" in line for line in lines)


def test_a_tier_that_failed_says_what_and_why(tree: Path) -> None:
    run_part(tree, "frontend", PASSING, 0)
    part = run_part(tree, "python", FAILING, 1)
    assert part.returncode == 1
    assert "== python: FAILED with exit code 1" in part.stdout.splitlines()[-1]
    status, lines = summary(tree, "frontend", "python")
    assert status == 1
    assert [line.split()[1] for line in lines[:2]] == ["passed", "FAILED"]
    blamed = lines.index("python failed, because (all of it in .test/python.log):")
    reason = "FAILED bench/tests/test_b.py::test_rows - AssertionError: 3 rows are lost"
    assert f"  {reason}" in lines[blamed:]
    assert lines[-1] == "tests: 7 passed, 1 failed, 1 skipped"


@pytest.mark.parametrize(
    ("printed", "reasons", "counts"),
    [
        (
            PLAYWRIGHT,
            [
                "1) [scripted] › scripted/a.spec.ts:2:1 › a run is tagged ───────────────────────",
                "Error: expect(received).toBe(expected) // Object.is equality",
                "2) [scripted] › scripted/a.spec.ts:3:1 › all pages ─────────────────────────────",
                "Test timeout of 300ms exceeded.",
            ],
            "tests: 7 passed, 2 failed, 1 skipped",
        ),
        (
            VITEST,
            [
                "× adds 6ms",
                "FAIL   plain  src/a.test.ts > adds",
                "AssertionError: expected 2 to be 3 // Object.is equality",
            ],
            "tests: 12 passed, 1 failed, 2 skipped",
        ),
    ],
    ids=["playwright", "vitest"],
)
def test_failures_of_playwright_and_vitest_are_named(
    tree: Path, printed: str, reasons: list[str], counts: str
) -> None:
    run_part(tree, "ui", printed, 1)
    status, lines = summary(tree, "ui")
    assert status == 1
    blamed = lines.index("ui failed, because (all of it in .test/ui.log):")
    assert [line.strip() for line in lines[blamed + 1 : -1]] == reasons
    assert lines[-1] == counts


def test_a_part_that_did_not_run_fails_the_tier(tree: Path) -> None:
    run_part(tree, "frontend", PASSING, 0)
    status, lines = summary(tree, "frontend", "python")
    assert status == 1
    assert lines[1].split()[:3] == ["python", "not", "run"]


def test_a_part_that_failed_in_words_unknown_ends_with_its_last_lines(tree: Path) -> None:
    run_part(tree, "check", "one\ntwo\nthe disk is full\n", 7)
    status, lines = summary(tree, "check")
    assert status == 1
    assert "  the disk is full" in lines


@pytest.mark.parametrize("failing", [1, 5])
def test_many_failures_fit_in_forty_lines(tree: Path, failing: int) -> None:
    many = "".join(f"FAILED a/test_{number}.py::test - Error: {number}\n" for number in range(300))
    names = [f"part-{number}" for number in range(failing)]
    for name in names:
        assert run_part(tree, name, f"{many}==== 300 failed in 9.00s ====\n", 1).returncode == 1
    status, lines = summary(tree, *names)
    assert status == 1
    assert len(lines) <= 40
    for name in names:
        assert any(line.startswith(f"{name} failed, because") for line in lines)
    assert lines[-1] == f"tests: 0 passed, {300 * failing} failed, 0 skipped"
