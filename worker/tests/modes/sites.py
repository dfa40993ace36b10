"""An open site, and the cluster's modes put back whatever a test does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import pytest

from podmeter_worker.connection import SiteControl
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.modes.hands import open_site
from podmeter_worker.modes.switcher import Site

from ..labs import IMAGE, RUN

Open = Callable[..., AbstractContextManager[Site]]


@pytest.fixture
def open_here(client: KubeClient) -> Open:
    """Opens a site on the cluster; takes `progress`."""

    def opened(progress: Callable[[str], None] = lambda step: None) -> AbstractContextManager[Site]:
        return open_site(client, image=IMAGE, run_label=RUN, progress=progress)

    return opened


@pytest.fixture
def stood(open_here: Open, request: pytest.FixtureRequest) -> Iterator[str]:
    """The value of the module's AXIS that stands; it stands again after the test."""
    axis: str = request.module.AXIS
    with open_here() as site:
        modes = SiteControl(site)
        value, saved = modes.observe(axis), modes.save(axis)
    yield value
    with open_here() as site:
        modes = SiteControl(site)
        modes.restore(axis, saved)
        assert modes.observe(axis) == value
