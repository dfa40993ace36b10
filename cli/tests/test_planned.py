"""A plan in the terminal: each obstacle once, the command that helps, the detectable difference."""

from __future__ import annotations

from typing import Any

import pytest

from podmeter_cli import measurable, planned
from podmeter_cli.commands.clusters import _told_whether_runs_start
from podmeter_cli.exits import CommandError, ExitCode

KERNEL = "the kernel has no module for it"


def obstacle(code: str, value: str | None = None, level: str = "refused") -> dict[str, Any]:
    def message(text: str) -> dict[str, Any]:
        params = {"axis": "encapsulation", "value": value, "cluster": "prod"}
        return {"code": code, "params": params, "text": text}

    return {
        "cluster": "prod",
        "code": code,
        "level": level,
        "subject": "host_access",
        "axis": "encapsulation",
        "value": value,
        "cause": message(f"encapsulation {value} is unavailable: {KERNEL}"),
        "remedy": message(f"remove {value} from encapsulation"),
    }


def plan(**more: Any) -> dict[str, Any]:
    return {
        "kind": "throughput",
        "repetition": {"until_decided": {"difference": 0.1, "most_minutes": 10}},
        "blocks": [],
        "cases": [],
        "trials": 12,
        "switches": [],
        "mode_switches": 0,
        "expected_seconds": 780,
        "sight": None,
        "notes": [],
        "impact": [],
        "left_out": [],
        "unavailable": [],
        "outside_missing": None,
        "obstacles": [],
        **more,
    }


def test_a_note_that_begins_with_a_name_keeps_its_letters() -> None:
    note = obstacle("switched_everywhere", level="note")
    note["remedy"]["text"] = "choose a quiet time"
    texts = {
        "kube_proxy_mode is switched": "Note: kube_proxy_mode is switched. Choose a quiet time.",
        "iptables is slow": "Note: iptables is slow. Choose a quiet time.",
        "the ladder is long": "Note: The ladder is long. Choose a quiet time.",
    }
    for text, line in texts.items():
        note["cause"]["text"] = text
        assert planned.obstacle_lines(plan(obstacles=[note])) == [line]


def test_obstacles_that_differ_in_their_value_alone_share_a_line() -> None:
    values = [obstacle("mode_unavailable", value) for value in ("ipip", "wireguard")]
    (line,) = planned.obstacle_lines(plan(obstacles=values))
    assert line.startswith("Refused: encapsulation ipip, wireguard: ")
    assert line.count(KERNEL) == 1
    apart = [*values, obstacle("mode_unknown", "ipip"), obstacle("mode_unavailable", "x", "note")]
    assert len(planned.obstacle_lines(plan(obstacles=apart))) == 3
    with pytest.raises(CommandError) as refused:
        planned.check(plan(obstacles=values), force=False)
    assert str(refused.value).count(KERNEL) == 1


def test_modes_that_the_experiment_does_not_name_are_not_printed() -> None:
    lines = planned.lines(plan(unavailable=[obstacle("mode_unavailable", "ipip")]), {"name": "x"})
    assert KERNEL not in " ".join(lines)


def test_an_obstacle_names_the_command_that_removes_it() -> None:
    (image,) = planned.obstacle_lines(plan(obstacles=[obstacle("no_image")]))
    assert image.endswith("Command: podmeter clusters add prod --image REFERENCE")
    (rights,) = planned.obstacle_lines(plan(obstacles=[obstacle("rights_missing")]))
    assert rights.endswith("Command: podmeter clusters add prod --allow host_access")
    lacking = {**obstacle("rights_missing"), "subject": "measure"}
    (rights,) = planned.obstacle_lines(plan(obstacles=[lacking]))
    assert rights.endswith("Command: podmeter clusters add prod")


def test_a_plan_says_which_difference_it_can_detect() -> None:
    sight = {"rounds": 6, "rounds_needed": 6, "block_deviation": 0.05, "noise_floor": None}
    text = " ".join(planned.lines(plan(sight={**sight, "effect": 0.333}), {}))
    assert "Detects differences from 33% with 80% probability in 6 rounds" in text
    assert "stay undecided, also those of 10%" in text
    fine = " ".join(planned.lines(plan(sight={**sight, "effect": 0.08}), {}))
    assert "stay undecided" not in fine
    none = " ".join(planned.lines(plan(sight={**sight, "rounds": 3, "effect": None}), {}))
    assert "a verdict needs 6 rounds, and the plan has 3" in none


class Server:
    """Gives the plan that it has."""

    def __init__(self, found: dict[str, Any]) -> None:
        self.found = found

    def post(self, path: str, body: object, query: object) -> dict[str, Any]:
        return self.found


def test_a_cluster_on_which_no_run_can_start_is_not_added_in_silence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    cluster = {"id": "1", "name": "prod"}
    refused: Any = Server(plan(obstacles=[obstacle("no_image")]))
    assert _told_whether_runs_start(refused, cluster) == ExitCode.FAILED
    said = capsys.readouterr().err
    assert "No run can start on prod yet:" in said
    assert "podmeter clusters add prod --image REFERENCE" in said
    noted: Any = Server(plan(obstacles=[obstacle("stood_before", level="note")]))
    assert _told_whether_runs_start(noted, cluster) == ExitCode.FINE
    assert "Runs can start on prod" in capsys.readouterr().err


def test_what_is_unknown_of_the_network_is_said_so() -> None:
    network = {"cni": {"name": "flannel", "version": None}, "kube_proxy": {"mode": None}}
    assert measurable._network(network) == "flannel, kube-proxy in mode unknown"
    assert measurable._network({"cni": None, "kube_proxy": None}) == "pod network unknown"


#: Its first case is what sets up the modes.
ORDERED: dict[str, Any] = {
    "blocks": [{"modes": {"encapsulation": "host-gw"}}],
    "cases": [
        {"point": {"encapsulation": "host-gw"}},
        {"point": {"encapsulation": "host-gw", "path": "pod-pod"}},
        {"point": {"encapsulation": "host-gw", "path": "node-node", "streams": 1}},
    ],
}


def test_what_sets_up_the_modes_is_no_row_without_a_path() -> None:
    shown = planned.table(ORDERED)
    assert list(shown.headings) == ["encapsulation", "path", "streams"]
    assert [list(row) for row in shown.rows] == [
        ["host-gw", "pod-pod", "any"],
        ["host-gw", "node-node", "1"],
    ]


def test_what_a_run_does_to_the_cluster_is_said_before() -> None:
    impact = [{"code": "impact_pods", "params": {}, "text": "runs up to 2 measuring pods"}]
    assert "Impact: Runs up to 2 measuring pods." in planned.lines(plan(impact=impact), {})


def test_a_plan_counts_every_mode_switch_and_not_only_those_before_blocks() -> None:
    switches = [
        {"block": block, "axis": "kube_proxy_mode", "value": value}
        for block, value in enumerate(("iptables", "nftables"))
    ]
    (size, *_) = planned.lines(plan(switches=switches, mode_switches=3), {"name": "x"})
    assert "3 mode switches" in size
