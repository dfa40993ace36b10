"""A plan's cases for people."""

from typing import Any

from podmeter_cli.planned import table

PLAN: dict[str, Any] = {
    "blocks": [{"modes": {"encapsulation": "host-gw"}}],
    "cases": [
        {"point": {"encapsulation": "host-gw"}},
        {"point": {"encapsulation": "host-gw", "path": "pod-pod"}},
        {"point": {"encapsulation": "host-gw", "path": "node-node", "streams": 1}},
    ],
}


def test_what_sets_up_the_modes_is_no_row_without_a_path() -> None:
    shown = table(PLAN)
    assert list(shown.headings) == ["encapsulation", "path", "streams"]
    assert [list(row) for row in shown.rows] == [
        ["host-gw", "pod-pod", "any"],
        ["host-gw", "node-node", "1"],
    ]
