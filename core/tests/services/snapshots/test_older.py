"""Snapshots that were frozen in an older form say the same in today's."""

from podmeter.services.snapshots.older import with_floor_rows

SPREAD = {"deviation": 0.05, "low": 0.04, "high": 0.08, "n": 12, "relative": True}
FIGURE = {
    "point": {"path": "pod-pod"},
    "metric": "throughput",
    "subject": "",
    "unit": "bit/s",
    "main": True,
    "within": None,
    "blocks": SPREAD,
    "runs": {**SPREAD, "relative": False, "deviation": 3.0},
}


def test_each_level_that_is_known_becomes_a_row():
    content = {"title": "t", "cluster": {"noise_floor": [{"kind": "k", "figures": [FIGURE]}]}}
    found = with_floor_rows(content)
    (floor,) = found["cluster"]["noise_floor"]
    assert (found["title"], floor["kind"]) == ("t", "k")
    rows = floor["figures"]
    assert [(row["code"], row["value"], row["low"], row["high"], row["n"]) for row in rows] == [
        ("blocks", 0.05, 0.04, 0.08, 12),
        ("runs", 3.0, 0.04, 0.08, 12),
    ]
    assert [row["key"]["unit"] for row in rows] == ["ratio", "bit/s"]
    assert {row["key"]["point"]["path"] for row in rows} == {"pod-pod"}


def test_what_has_no_cluster_stays():
    assert with_floor_rows({"cluster": None, "run": 1}) == {"cluster": None, "run": 1}
    assert with_floor_rows({"run": 1}) == {"run": 1}
