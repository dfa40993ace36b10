"""For tests marked `cluster`, of any package: skip them clearly, or fail, and share a testbed."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator

import pytest

from podmeter_testbed import lifecycle, machines, requirements
from podmeter_testbed.kubectl import Kubectl
from podmeter_testbed.layout import MACHINES, Kernel, Layout

REQUIRED = "PODMETER_REQUIRE_CLUSTER"


_LEFT_OUT = pytest.StashKey[int]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where this machine cannot run a testbed, skip what needs one, or fail if it is required.

    What needs the testbed on another kernel is left to the command that starts it on that.
    """
    elsewhere = [item for item in items if not _is_for(item, _kernel())]
    if elsewhere:
        config.hook.pytest_deselected(items=elsewhere)
        config.stash[_LEFT_OUT] = len(elsewhere)
        items[:] = [item for item in items if item not in elsewhere]
    marked = [item for item in items if item.get_closest_marker("cluster")]
    if not marked:
        return
    requirements.complete_path()
    layout = Layout.from_environment()
    built = requirements.cannot_run() == [] and lifecycle.is_built(layout)
    problems = requirements.problems(built=built, kernel=layout.kernel)
    if not problems:
        return
    reason = "no testbed here: " + "; ".join(problems)
    if os.environ.get(REQUIRED) == "1":
        raise pytest.UsageError(f"{len(marked)} cluster tests cannot run. {reason}")
    for item in marked:
        item.add_marker(pytest.mark.skip(reason=reason))


def _kernel() -> Kernel:
    return Layout.from_environment().kernel or Kernel.MACHINE


def _is_for(item: pytest.Item, kernel: Kernel) -> bool:
    marker = item.get_closest_marker("kernel")
    return marker is None or Kernel(marker.args[0]) is kernel


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say what another kernel is needed for."""
    if count := config.stash.get(_LEFT_OUT, 0):
        (other,) = set(Kernel) - {_kernel()}
        terminalreporter.write_line(f"{count} tests are of `make test KERNEL={other}`")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where the cluster is required, a test marked `cluster` that skips itself has failed."""
    report = yield
    required = os.environ.get(REQUIRED) == "1" and item.get_closest_marker("cluster")
    if required and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{REQUIRED}=1, but it was skipped: {report.longreprtext}"
    return report


@pytest.fixture(scope="session")
def layout() -> Layout:
    """Where the testbed's files and addresses are."""
    return Layout.from_environment()


@pytest.fixture(scope="session")
def testbed_session(layout: Layout) -> Iterator[None]:
    """Leave the machine as it was: a testbed that was up stays up, one started here goes."""
    was_up = any(machines.running(layout, name) for name in MACHINES)
    yield
    if was_up:
        lifecycle.up(layout)
    else:
        lifecycle.down(layout)


@pytest.fixture
def testbed(layout: Layout, testbed_session: None) -> Layout:
    """A testbed that is up; starting it takes about 20 s, finding it up 0.2 s."""
    lifecycle.up(layout)
    return layout


@pytest.fixture
def kubectl(testbed: Layout) -> Kubectl:
    """The administrator's kubectl on a testbed that is up."""
    return Kubectl(testbed)
