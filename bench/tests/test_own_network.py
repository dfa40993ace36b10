"""A network of its own: what is seen in it, and how a command in it ends."""

import subprocess
import sys
from pathlib import Path

import pytest
from bench.own_network import ADDRESS

ROOT = Path(__file__).parents[2]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bench.own_network", *words],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=60,
        check=False,
    )


@pytest.mark.cluster
def test_only_loopback_and_an_address_of_its_own_are_there() -> None:
    ended = run("ip", "-4", "-oneline", "address", "show", "up")
    assert ended.returncode == 0, ended.stderr
    assert [line.split()[3] for line in ended.stdout.splitlines()] == ["127.0.0.1/8", ADDRESS]


@pytest.mark.cluster
def test_a_command_ends_as_it_ends() -> None:
    ended = run("sh", "-c", "echo done; exit 3")
    assert (ended.returncode, ended.stdout, ended.stderr) == (3, "done\n", "")


def test_a_command_is_named() -> None:
    ended = run()
    assert ended.returncode == 2
    assert "name a command" in ended.stderr
