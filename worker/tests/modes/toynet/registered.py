"""The one line in each of the two registries."""

from __future__ import annotations

import pytest
from core.tests.toynet.component import TOYNET

from podmeter.domain.components.registry import COMPONENTS
from podmeter_worker.modes.registry import SWITCHERS

from .switcher import ToynetSwitcher


def register(monkeypatch: pytest.MonkeyPatch) -> None:
    """For one test."""
    monkeypatch.setitem(COMPONENTS, TOYNET.name, TOYNET)
    monkeypatch.setitem(SWITCHERS, TOYNET.name, ToynetSwitcher())
