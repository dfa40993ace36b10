"""The script that removes a run's kernel rules, on a network of its own."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from podmeter.domain.errors import ToolError
from podmeter.domain.ports import CommandOutput
from podmeter_worker.kube.sweep import sweep_rules

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="makes a network")

RUN = "abcdef123456"
RULE = "iptables-nft -w -t nat -A POSTROUTING -s 192.0.2.9/32 -m comment --comment {} -j MASQUERADE"
MAP = (
    "add table ip kube-proxy; add map ip kube-proxy service-ips "
    "{ type ipv4_addr . inet_proto . inet_service : verdict; }; "
    'add element ip kube-proxy service-ips { 192.0.2.9 . tcp . 9 comment "podmeter/abcdef123456" '
    ": drop, 192.0.2.8 . tcp . 8 : drop }"
)


class Node:
    """Commands share one network; `limits` are the seconds that each was given."""

    def __init__(self, before: Sequence[str] = (), path: Path | None = None) -> None:
        self.before, self.path, self.limits = list(before), path, list[float]()

    def run(self, argv: Sequence[str], seconds: float) -> CommandOutput:
        self.limits.append(seconds)
        path = f"export PATH={self.path}:$PATH; " if self.path else ""
        again = f"{shlex.join(argv)}; code=$?; {shlex.join(argv)} >&2; exit $code"
        script = " && ".join([*self.before, f"({path}{again})"])
        done = subprocess.run(
            ["unshare", "--net", "sh", "-c", script],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        self.second = done.stderr
        return CommandOutput(done.stdout, done.stderr, done.returncode, 0.0)


def test_a_runs_rules_and_elements_are_removed_and_no_other() -> None:
    rules = [RULE.format(f"podmeter/{name}") for name in (RUN, f"{RUN}/sync", "others", f"{RUN}1")]
    node = Node([*rules, f"nft {shlex.quote(MAP)}"])
    assert sweep_rules(node.run, RUN) == 3
    assert "0 swept" in node.second


def test_rules_that_cannot_be_listed_are_not_taken_for_none(tmp_path: Path) -> None:
    broken = tmp_path / "iptables-nft"
    broken.write_text("#!/bin/sh\necho 'Could not fetch rule set generation id' >&2; exit 4\n")
    broken.chmod(0o755)
    with pytest.raises(ToolError, match="generation id"):
        sweep_rules(Node(path=tmp_path).run, RUN)


def test_a_table_that_another_tool_made_holds_no_rule_of_a_run(tmp_path: Path) -> None:
    other = tmp_path / "iptables-nft"
    other.write_text(
        "#!/bin/sh\necho \"iptables v1.8.9: table \\`nat' is incompatible, use 'nft' tool.\" >&2\n"
        "exit 1\n"
    )
    other.chmod(0o755)
    assert sweep_rules(Node(path=tmp_path).run, RUN) == 0


def test_kube_proxy_may_hold_the_lock_for_minutes() -> None:
    node = Node()
    sweep_rules(node.run, RUN)
    assert node.limits == [600.0]
