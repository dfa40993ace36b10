"""helm, and what is only run when it is asked for."""

import os

import pytest
from helm.tests.chart import Chart

from podmeter_testbed import builds
from podmeter_testbed.helm import Helm
from podmeter_testbed.layout import Layout
from podmeter_testbed.pytest_plugin import REQUIRED


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What takes images and many minutes runs only when it is asked for by its mark."""
    if "helm" in config.option.markexpr:
        return
    left_out = [item for item in items if item.get_closest_marker("helm")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="session")
def chart() -> Chart:
    """The chart; where helm was never built, a test is skipped, or fails if it is required."""
    layout = Layout.from_environment()
    if not builds.is_built(layout.cache, builds.HELM):
        reason = "helm is not built: `.venv/bin/podmeter-testbed helm version` builds it"
        if os.environ.get(REQUIRED) == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return Chart(Helm(layout))
