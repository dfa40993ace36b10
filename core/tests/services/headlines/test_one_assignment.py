"""The caveat of modes side by side on nodes that never swapped them."""

import copy
from typing import Any

import pytest

from podmeter.services.headlines import headline

from .test_headlines import LADDER, comparison_of, report_of, run_of


def spec(assignment: str, *services: int) -> dict[str, Any]:
    found: dict[str, Any] = copy.deepcopy(LADDER)
    found["parameters"] = {"assignment": assignment}
    found["axes"] |= {"services": list(services), "probe": ["qps"], "client": ["other-node"]}
    return found


@pytest.mark.parametrize(
    ("assignment", "services", "rungs"),
    [
        ("side_by_side", (10, 5000, 10_000, 20_000), [10_000, 20_000]),
        ("side_by_side", (10, 5000), []),
        ("switched", (10, 20_000), []),
    ],
)
def test_an_answer_says_on_which_rungs_it_rests_on_one_assignment(
    assignment: str, services: tuple[int, ...], rungs: list[int]
) -> None:
    found = run_of(spec(assignment, *services), lambda point: 100.0, 0.01, 6)
    report = report_of(found)
    assert [point["services"] for point in report.one_assignment] == rungs
    for made in (report.headline, headline.of_comparison(comparison_of(found))):
        assert made is not None
        caveats = [one for one in made.caveats if one.code == "one_assignment"]
        assert len(caveats) == bool(rungs) * (made is report.headline)
        for one in caveats:
            assert "no node swapped its mode (" in one.text_in("en")
            assert "20,000" in one.text_in("en") or "20000" in one.text_in("en")
            assert "也可能来自节点本身" in one.text_in("zh")
