"""What is asked of a kernel, run by a shell on an `ip` that writes down what it is asked."""

import os
import subprocess
from pathlib import Path

import pytest

from podmeter_worker.modes.kernel import _device


def asked(tmp_path: Path, probe: tuple[str, ...], exit_code: int) -> tuple[int, list[str]]:
    log = tmp_path / "asked"
    tool = tmp_path / "ip"
    tool.write_text(f'#!/bin/sh\necho "$*" >>{log}\nexit {exit_code}\n')
    tool.chmod(0o755)
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(probe, env=path, check=False, capture_output=True)
    return done.returncode, log.read_text().splitlines()


@pytest.mark.parametrize(
    ("probe", "added"),
    [
        (_device("wireguard"), "link add pm-probe type wireguard"),
        (_device("vxlan", "id 9 dstport 0"), "link add pm-probe type vxlan id 9 dstport 0"),
    ],
)
def test_a_device_is_made_and_gone_again(
    tmp_path: Path, probe: tuple[str, ...], added: str
) -> None:
    assert asked(tmp_path, probe, 0) == (0, [added, "link delete pm-probe"])


def test_a_kind_that_no_kernel_has_is_not_there(tmp_path: Path) -> None:
    exit_code, seen = asked(tmp_path, _device("no-such-kind"), 2)
    assert exit_code != 0
    assert seen == ["link add pm-probe type no-such-kind"]
