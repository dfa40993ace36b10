"""For tests marked `cluster`, of any package: skip them clearly, or fail, and share a testbed."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator, Iterator

import pytest

from podmeter_testbed import lifecycle, machines, requirements
from podmeter_testbed.kubectl import Kubectl
from podmeter_testbed.layout import Layout
from podmeter_testbed.lifecycle import NONE
from podmeter_testbed.settings import AddOn, Cni, Kernel, Nodes, Subnets

REQUIRED = "PODMETER_REQUIRE_CLUSTER"


_LEFT_OUT = pytest.StashKey[Counter[str]]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where this machine cannot run a testbed, skip what needs one, or fail if it is required.

    What needs the testbed on another kernel, with another pod network, or with more subnets or
    nodes is left to the command that starts that.
    """
    layout = Layout.from_environment()
    commands = {item: _command_of(item, layout) for item in items}
    elsewhere = [item for item, command in commands.items() if command is not None]
    if elsewhere:
        config.hook.pytest_deselected(items=elsewhere)
        config.stash[_LEFT_OUT] = Counter(filter(None, commands.values()))
        items[:] = [item for item in items if commands[item] is None]
    marked = [item for item in items if item.get_closest_marker("cluster")]
    if not marked:
        return
    requirements.complete_path()
    add_ons = NONE.union(*map(_add_ons_of, marked))
    built = requirements.cannot_run() == [] and lifecycle.is_built(layout, add_ons)
    problems = requirements.problems(built=built, kernel=layout.asked.kernel)
    if not problems:
        return
    reason = "no testbed here: " + "; ".join(problems)
    if os.environ.get(REQUIRED) == "1":
        raise pytest.UsageError(f"{len(marked)} cluster tests cannot run. {reason}")
    for item in marked:
        item.add_marker(pytest.mark.skip(reason=reason))


def _add_ons_of(item: pytest.Item) -> frozenset[AddOn]:
    """What a test needs of a testbed besides, by its markers."""
    return NONE.union(*(map(AddOn, marker.args) for marker in item.iter_markers("addons")))


def _command_of(item: pytest.Item, layout: Layout) -> str | None:
    """The command that runs a test which this one leaves out."""
    asked = layout.asked
    unlike, special = [], []
    for variable, choices, chosen, plain in (
        ("KERNEL", Kernel, asked.kernel, Kernel.MACHINE),
        ("CNI", Cni, asked.cni, Cni.FLANNEL),
        ("SUBNETS", Subnets, asked.subnets, Subnets.ONE),
        ("NODES", Nodes, asked.nodes, Nodes.TWO),
    ):
        if (marker := item.get_closest_marker(variable.lower())) is not None:
            wanted = choices(marker.args[0])
            unlike += [f"{variable}={wanted}"] if wanted is not (chosen or plain) else []
            special += [f"{variable}={wanted}"] if wanted is not plain else []
    # What a plain testbed has need not be asked for, unless that is all there is to say.
    return " ".join(("make test-cluster", *(special or unlike))) if unlike else None


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say what another testbed is needed for."""
    for command, count in sorted(config.stash.get(_LEFT_OUT, Counter()).items()):
        terminalreporter.write_line(f"{count} tests are of `{command}`")


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
    was_up = any(machines.running(layout, name) for name in layout.machines)
    yield
    if was_up:
        lifecycle.up(layout)
    else:
        lifecycle.down(layout)


@pytest.fixture(autouse=True)
def _add_ons(request: pytest.FixtureRequest) -> None:
    """Give the testbed what a test is marked with, whatever it came up by.

    KUBECONFIG names another cluster, which has what it has.
    """
    if _add_ons_of(request.node) and not os.environ.get("KUBECONFIG"):
        request.getfixturevalue("testbed")


@pytest.fixture
def testbed(request: pytest.FixtureRequest, layout: Layout, testbed_session: None) -> Layout:
    """A testbed that is up, with the add-ons that the test is marked with.

    Starting it takes about 20 s, finding it up 0.2 s.
    """
    lifecycle.up(layout, _add_ons_of(request.node))
    return layout


@pytest.fixture
def kubectl(testbed: Layout) -> Kubectl:
    """The administrator's kubectl on a testbed that is up."""
    return Kubectl(testbed)
