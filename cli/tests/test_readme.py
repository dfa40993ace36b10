"""The README's steps from an empty folder to a verdict and a link, run word for word."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from bench.scripted.cluster import ScriptedCluster

pytestmark = pytest.mark.services
README = Path(__file__).parents[2] / "README.md"


def script() -> str:
    (found,) = (
        block
        for block in re.findall(r"```sh\n(.*?)```", README.read_text(), re.DOTALL)
        if "podmeter login" in block
    )
    return str(found)


@pytest.fixture
def cluster_uid(scripted: ScriptedCluster) -> str:
    return scripted.uid


@pytest.mark.usefixtures("worker", "kubectl", "kubeconfig")
def test_five_commands_from_nothing_to_a_link(served: str, token: str, tmp_path: Path) -> None:
    install, *commands = script().splitlines()
    assert install.partition("#")[0].strip() == "pipx install ./cli"
    assert sum(line.startswith("podmeter ") for line in commands) == 4
    # Nobody is here to say yes, and one trial decides nothing.
    said = "\n".join(commands).replace("clusters add prod", "clusters add prod --yes")
    said = said.replace("--wait <<'END'", "--wait <<'END' || test $? = 2")
    ended = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", said],
        cwd=tmp_path,
        env={
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PODMETER_URL": served,
        },
        input=f"{token}\n",
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "vxlan against host-gw" in ended.stdout
    link = ended.stdout.splitlines()[-1]
    shown = httpx.get(f"{served}/api/v1/public/snapshots/{link.rpartition('/')[2]}", timeout=30)
    assert shown.json()["content"]["run"]["summaries"]


def test_the_readme_stays_on_its_page() -> None:
    assert len(README.read_text().splitlines()) <= 100
