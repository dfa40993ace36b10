"""Every axis of a cluster has a switcher, and each is what the protocol says."""

import pytest

from podmeter.domain.axes import MODE_AXES
from podmeter_worker.modes.registry import SWITCHERS, by_component


def test_every_mode_has_a_switcher() -> None:
    """A cluster is chosen, not switched, and arms differ in nothing."""
    assert set(MODE_AXES) == {switcher.axis for switcher in SWITCHERS.values()}


def test_components_are_told_apart() -> None:
    for component, switcher in SWITCHERS.items():
        assert switcher.component == component
        assert by_component(component) is switcher
    with pytest.raises(KeyError):
        by_component("none such")
