"""A signal to a tier or to one of its parts: all that was started ends, and nothing more begins."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from podmeter.stack.process import wait_until

ROOT = Path(__file__).parents[2]
#: Two parts, the first of which starts a process that would outlive its own shell.
PARTS = """\
part-first:
	$(PART) first $(NICE) ./slow
part-second:
	$(PART) second touch second
"""
SLOW = """\
#!/bin/sh
sleep 600 &
echo $! >child
mv child begun
wait
"""


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Path]:
    """A tree with the Makefile and the scripts, in which a tier has begun."""
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "parts.mk").write_text(PARTS)
    (tmp_path / "slow").write_text(SLOW)
    (tmp_path / "slow").chmod(0o755)
    (tmp_path / ".test").mkdir()
    yield tmp_path
    child = tmp_path / "begun"
    if child.exists() and lives(child.read_text().strip()):
        os.kill(int(child.read_text()), signal.SIGKILL)


def lives(process: str) -> bool:
    try:
        return "State:\tZ" not in Path("/proc", process, "status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def environment(**more: str) -> dict[str, str]:
    """Without what a make that runs this test tells its children."""
    own = {
        name: text for name, text in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))
    }
    return own | more


def interruptible() -> None:
    """As in a terminal: what a shell starts in the background, such as this test, is not."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def begun(tree: Path, *command: str) -> "subprocess.Popen[str]":
    """The command, as soon as the first part has started its child; in a group of its own."""
    process = subprocess.Popen(
        command,
        cwd=tree,
        env=environment(MAKEFILES=str(tree / "parts.mk")),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        preexec_fn=interruptible,
    )
    assert wait_until(lambda: (tree / "begun").exists() or process.poll() is not None, 30)
    assert process.poll() is None, process.communicate()[0]
    return process


def has_ended(tree: Path, process: "subprocess.Popen[str]") -> None:
    """It fails, its output ends, and so does what the first part started."""
    printed, _ = process.communicate(timeout=30)
    assert process.returncode != 0
    assert "== first: FAILED with exit code 143" in printed
    assert wait_until(lambda: not lives((tree / "begun").read_text().strip()), 30)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_a_part_ends_what_it_started(tree: Path, number: signal.Signals) -> None:
    process = begun(tree, ".ci/part", "first", "./slow")
    process.send_signal(number)
    has_ended(tree, process)
    assert (tree / ".test" / "results").read_text().startswith("first\t143\t")


TIERS = [
    ("part-testbeds", "TESTBED_PARTS=first second"),
    ("test-cluster", "--assume-old=test-setup", "CLUSTER_PARTS=first second"),
    ("test", "--assume-old=test-setup", "TEST_PARTS=first"),
]


@pytest.mark.parametrize("tier", TIERS, ids=lambda words: words[0])
def test_a_signal_to_make_ends_the_tier(tree: Path, tier: tuple[str, ...]) -> None:
    process = begun(tree, "make", *tier)
    process.send_signal(signal.SIGTERM)
    has_ended(tree, process)
    assert not (tree / "second").exists()


@pytest.mark.parametrize("tier", TIERS, ids=lambda words: words[0])
def test_an_interrupt_from_the_terminal_ends_the_tier(tree: Path, tier: tuple[str, ...]) -> None:
    """It reaches the whole group of the terminal, and not what a part started."""
    process = begun(tree, "make", *tier)
    os.killpg(process.pid, signal.SIGINT)
    has_ended(tree, process)
    assert not (tree / "second").exists()


def test_what_runs_beside_the_testbed_gives_way_to_it(tree: Path) -> None:
    def command(part: str) -> str:
        printed = subprocess.run(
            ["make", "--dry-run", f"part-{part}"],
            cwd=tree,
            env=environment(),
            capture_output=True,
            text=True,
        )
        return printed.stdout.splitlines()[-1]

    for part in ("frontend", "python", "browser"):
        assert command(part).startswith(f".ci/part {part} nice -n 10 ")
    assert command("smoke").startswith(".ci/part smoke .venv/bin/pytest ")
