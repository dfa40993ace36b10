"""A restart of a mode's component on one node, in the middle of a block."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from podmeter.domain.errors import ConvergenceError
from podmeter.domain.modes import KUBE_PROXY_MODE
from podmeter.domain.ports import ModeSwitch
from podmeter.domain.switching import Switched
from podmeter_worker.runner.cluster_guard import ClusterGuard
from podmeter_worker.runner.mode_keeper import switch_in_block

ASKED = ModeSwitch(KUBE_PROXY_MODE, "nftables", (), 5000, 60.0, node="n1")


class Control:
    """kube-proxy's mode on one node; `touched` is how often its pods were replaced."""

    def __init__(self) -> None:
        self.touched = 0
        self.restarted: list[tuple[str, str, str, int]] = []

    def why_fixed(self, axis: str) -> None:
        return None

    def component_state(self, axis: str) -> dict[str, Any]:
        return {"touched": self.touched}

    def why_touched(self, axis: str, before: dict[str, Any]) -> str | None:
        return None if before == self.component_state(axis) else "its pods were replaced"

    def restart(self, axis: str, value: str, node: str, added: int) -> Switched:
        self.touched += 1
        self.restarted.append((axis, value, node, added))
        return Switched(axis, value, False, {node: 1.0}, 2.0, (node,))


def restart(control: Control, standing: dict[str, dict[str, Any]], log: list[str]) -> Switched:
    run = SimpleNamespace(
        steps=lambda identity: None,
        info=lambda said: log.append(said.code),
        log=lambda level, said: None,
        guard_of=lambda identity: ClusterGuard(),
    )
    link = SimpleNamespace(lab=lambda write: None, modes=lambda progress, guard: control)
    identity = SimpleNamespace(name="c", by_hand_minutes=None)
    switched, watches = switch_in_block(
        cast(Any, run), cast(Any, link), cast(Any, identity), standing, ASKED
    )
    assert watches == ()
    return switched


def test_it_is_of_that_node_alone_and_the_blocks_own_doing() -> None:
    control, log = Control(), list[str]()
    standing = {KUBE_PROXY_MODE: control.component_state(KUBE_PROXY_MODE)}
    assert restart(control, standing, log).nodes == ("n1",)
    assert control.restarted == [(KUBE_PROXY_MODE, "nftables", "n1", 5000)]
    assert log == ["log_restarting", "log_restarted"]
    assert control.why_touched(KUBE_PROXY_MODE, standing[KUBE_PROXY_MODE]) is None


def test_what_others_did_before_is_not_taken_for_it() -> None:
    control, log = Control(), list[str]()
    standing = {KUBE_PROXY_MODE: control.component_state(KUBE_PROXY_MODE)}
    control.touched += 1
    with pytest.raises(ConvergenceError, match="its pods were replaced"):
        restart(control, standing, log)
    assert control.restarted == []
