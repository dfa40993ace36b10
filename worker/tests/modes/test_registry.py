"""Every axis of a cluster has a switcher, and each is what the protocol says."""

import re
from pathlib import Path

import pytest

from podmeter.domain.axes import MODE_AXES
from podmeter_worker.modes.registry import SWITCHERS, by_component
from podmeter_worker.modes.switcher import Switcher

#: What every switcher has of its own.
SWITCHERS_OWN = set.intersection(*(set(vars(type(one))) for one in SWITCHERS.values()))


def test_every_mode_has_a_switcher() -> None:
    """A cluster is chosen, not switched, and arms differ in nothing."""
    assert set(MODE_AXES) == {switcher.axis for switcher in SWITCHERS.values()}


def test_the_page_names_members_that_a_switcher_has() -> None:
    """`add-a-switcher.md` is followed literally."""
    page = (Path(__file__).parents[3] / "docs/how-to/develop/add-a-switcher.md").read_text()
    table = page[page.index("| member |") :].partition("\n\n")[0]
    cells = (row.split("|")[1] for row in table.splitlines()[2:])
    named = {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}
    own = {
        name
        for name, member in vars(Switcher).items()
        if not name.startswith("_") and name in SWITCHERS_OWN
    }
    assert own <= named
    assert {name for name in named if not hasattr(Switcher, name)} == set()


def test_components_are_told_apart() -> None:
    for component, switcher in SWITCHERS.items():
        assert switcher.component == component
        assert by_component(component) is switcher
    with pytest.raises(KeyError):
        by_component("none such")
