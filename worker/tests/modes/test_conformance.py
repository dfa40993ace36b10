"""What every switcher does on a cluster of objects, whatever it switches.

There and back through all modes, killed after each step, cancelled, with an API server that is away
at each change; what cannot be had is refused before anything changes, and what others do stays.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from core.tests.sampling import sampled

from podmeter.domain.components.registry import COMPONENTS
from podmeter.domain.errors import (
    ConvergenceError,
    PodmeterError,
    PreconditionError,
    RunCancelledError,
)
from podmeter_worker.modes import switch_record
from podmeter_worker.modes.control import SwitcherModeControl
from podmeter_worker.modes.registry import SWITCHERS, configurations
from podmeter_worker.modes.switcher import Saved

from ..kube.api_server import Answer, Asked
from ..kube.object_server import served
from .cluster_of_objects import ClusterOfObjects, site_of
from .described import Described
from .interruptions import KilledError, killed_at
from .toynet.registered import register

FOLDERS = sorted(file.parent.name for file in Path(__file__).parent.glob("*/conformance.py"))
DESCRIBED: tuple[Described, ...] = tuple(
    one
    for folder in FOLDERS
    for one in import_module(f"{__package__}.{folder}.conformance").DESCRIBED
)
#: What is switched by the same code, in several states.
ALIKE = [
    [one for one in DESCRIBED if (one.switcher.component, one.nodes) == same]
    for same in dict.fromkeys((one.switcher.component, one.nodes) for one in DESCRIBED)
]
#: Two of each go through all modes.
TOURED = [one for alike in ALIKE for one in sampled(alike, 2)]
#: One of each, and each with one of the values that it is switched to and that do not stand.
EACH = [one for alike in ALIKE for one in sampled(alike, 1)]
SHOWING_STUCK = [
    one for alike in ALIKE for one in sampled([one for one in alike if not one.hides_stuck], 1)
]
SWITCHES = [
    chosen
    for alike in ALIKE
    for chosen in sampled(
        [(one, value) for one in alike for value in sorted({*one.tour} - {one.stood})], 1
    )
]
WRITTEN = [
    (one, name)
    for alike in ALIKE
    for name in sorted({name for one in alike for name in one.as_written})
    for one in [next(one for one in alike if name in one.as_written)]
]
each = pytest.mark.parametrize("described", EACH, ids=lambda one: one.name)
switches = pytest.mark.parametrize(
    ("described", "value"),
    SWITCHES,
    ids=lambda one: one.name if isinstance(one, Described) else one,
)


@pytest.fixture
def cluster(
    described: Described, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ClusterOfObjects]:
    """One in the described state, in which nothing is waited for in vain."""
    register(monkeypatch)
    for where, seconds in described.impatient.items():
        monkeypatch.setattr(where, seconds)
    with served(described.cluster, tmp_path, **described.fields) as made:
        described.set_up(made)
        yield made


def is_back(described: Described, cluster: ClusterOfObjects, before: dict[str, Any]) -> None:
    """All that a switch may change stands as before, and the nodes show it."""
    assert cluster.stands() == before
    described.in_effect(cluster, described.stood)
    with site_of(cluster) as context:
        assert described.switcher.observe(context) == described.stood


def steps_of(described: Described, cluster: ClusterOfObjects, value: str) -> tuple[list[str], ...]:
    """The names of the steps of a switch to a value that is not killed, and of its restore."""
    steps: list[str] = []
    with described.context(cluster, steps.append) as context:
        saved = described.switcher.save(context)
        described.switcher.switch(context, value)
        switching = names_of(steps)
        steps.clear()
        described.switcher.restore(context, saved)
    assert switching
    assert steps
    return switching, names_of(steps)


def names_of(steps: list[str]) -> list[str]:
    """By their codes, as `killed_at` knows them."""
    return [getattr(step, "code", "").removeprefix("step_") for step in steps]


def test_every_switcher_is_described() -> None:
    found = {one.switcher.component for one in DESCRIBED}
    assert found >= set(SWITCHERS)
    assert {folder.replace("_", "-") for folder in FOLDERS} == found


@pytest.mark.parametrize("described", TOURED, ids=lambda one: one.name)
def test_through_all_modes_and_back(described: Described, cluster: ClusterOfObjects) -> None:
    before, axis = cluster.stands(), described.axis
    with described.context(cluster) as context:
        modes = SwitcherModeControl(context)
        values = described.switcher.values(context)
        assert set(values) == set(COMPONENTS[described.switcher.component].values)
        assert {value for value, why in values.items() if why is None} <= {
            described.stood,
            *described.tour,
        }
        saved = modes.save(axis)
        modes.note(axis, saved)
        for last, value in pairwise((described.stood, *described.tour, described.tour[-1])):
            old = cluster.agents_on(*described.switched_nodes)
            switched = modes.switch(axis, value)
            assert switched.changed == (value != last)
            assert switched.nodes == described.nodes
            assert set(switched.accepted) == set(described.switched_nodes)
            assert modes.observe(axis) == value
            described.in_effect(cluster, value)
            # Also where it stood already.
            assert not set(old.values()) & set(cluster.agents_on().values())
            assert modes.why_touched(axis, modes.component_state(axis)) is None
        (noted,) = switch_record.read_all(context.client, configurations(context.client))
        assert noted.saved == saved["saved"]
        modes.restore(axis, saved)
        assert switch_record.read_all(context.client, configurations(context.client)) == []
    is_back(described, cluster, before)


@switches
def test_killed_after_any_step_of_a_switch_it_is_undone_by_whoever_comes(
    described: Described, cluster: ClusterOfObjects, value: str
) -> None:
    """Who may know of no nodes: the saved ones say which. Undoing it twice is once too often."""
    before = cluster.stands()
    for step in steps_of(described, cluster, value)[0]:
        with described.context(cluster, killed_at(step)) as context:
            saved = described.switcher.save(context)
            with pytest.raises(KilledError):
                described.switcher.switch(context, value)
        for _ in range(2):
            with site_of(cluster) as context:
                described.switcher.restore(context, saved)
            is_back(described, cluster, before)


@switches
def test_killed_after_any_step_of_a_restore_it_is_ended(
    described: Described, cluster: ClusterOfObjects, value: str
) -> None:
    before = cluster.stands()
    for step in steps_of(described, cluster, value)[1]:
        with described.context(cluster) as context:
            saved = described.switcher.save(context)
            described.switcher.switch(context, value)
        with site_of(cluster, killed_at(step)) as context, pytest.raises(KilledError):
            described.switcher.restore(context, saved)
        with site_of(cluster) as context:
            described.switcher.restore(context, saved)
        is_back(described, cluster, before)


@switches
def test_whatever_change_the_api_server_misses_all_is_put_back(
    described: Described, cluster: ClusterOfObjects, value: str
) -> None:
    """It is away from the first change of a switch on, from the second, and so on."""
    before = cluster.stands()
    left = 0

    def away(asked: Asked) -> Answer | None:
        nonlocal left
        left -= asked.method != "GET" and not asked.path.endswith("reviews")
        return Answer(503, {"message": "away"}) if left < 0 else None

    cluster.before = away
    for count in range(100):
        left = 10_000
        with described.context(cluster) as context:
            saved = described.switcher.save(context)
            left = count
            whole = False
            with suppress(PodmeterError):
                described.switcher.switch(context, value)
                whole = True
            # In restoring as well.
            for once_more in (0, 1, 2, 4, 100):
                left = once_more
                with suppress(PodmeterError):
                    described.switcher.restore(context, saved)
                    break
            left = 10_000
        is_back(described, cluster, before)
        if whole:
            # The object that sets the mode, and the pod on each node that reads it again.
            assert count > len(described.switched_nodes)
            return
    raise AssertionError("no switch was let through")


@each
def test_a_cancelled_switch_is_undone(described: Described, cluster: ClusterOfObjects) -> None:
    """Right after its first step."""
    before, cancelled = cluster.stands(), list[str]()

    def check() -> None:
        if cancelled:
            raise RunCancelledError("cancelled")

    with described.context(cluster, cancelled.append, check) as context:
        saved = described.switcher.save(context)
        with pytest.raises(RunCancelledError):
            described.switcher.switch(context, described.tour[0])
    assert cluster.stands() != before
    with site_of(cluster) as context:
        described.switcher.restore(context, saved)
    is_back(described, cluster, before)


@each
def test_what_stands_is_not_put_back_once_more(
    described: Described, cluster: ClusterOfObjects
) -> None:
    with described.context(cluster) as context:
        saved = described.switcher.save(context)
        before = json.dumps(dict(cluster.at))
        cluster.asked.clear()
        described.switcher.restore(context, saved)
    assert json.dumps(dict(cluster.at)) == before
    # Nor is anything written that is there already; what may be left over is deleted unseen.
    assert [
        (method, path)
        for method, path in cluster.asked
        if method != "GET"
        and not path.endswith("reviews")
        and (method != "DELETE" or path in cluster.at)
    ] == []


@each
def test_what_nobody_saved_is_not_put_back(described: Described, cluster: ClusterOfObjects) -> None:
    before = json.dumps(dict(cluster.at))
    unusable: tuple[Saved, ...] = ({}, {"what": "nobody saves"}, *described.unusable)
    with site_of(cluster) as context:
        for saved in unusable:
            with pytest.raises(PreconditionError) as caught:
                described.switcher.restore(context, saved)
            assert caught.value.said.code == "saved_unusable"
    assert json.dumps(dict(cluster.at)) == before


@pytest.mark.parametrize(
    ("described", "name"),
    WRITTEN,
    ids=lambda one: one.name if isinstance(one, Described) else one,
)
def test_what_could_not_be_restored_is_not_switched(
    described: Described, cluster: ClusterOfObjects, name: str
) -> None:
    """Whatever else an owner has written: it is refused at once, or can be restored."""
    write, code = described.as_written[name]
    write(cluster)
    before = json.dumps(dict(cluster.at))
    with described.context(cluster) as context:
        if code is not None:
            assert getattr(described.switcher.why_absent(context), "code", "") == code
            with pytest.raises(PreconditionError) as caught:
                described.switcher.save(context)
            assert caught.value.said.code == code
            assert json.dumps(dict(cluster.at)) == before
            return
        modes = SwitcherModeControl(context)
        saved = modes.save(described.axis)
        modes.switch(described.axis, described.tour[0])
        modes.restore(described.axis, saved)
    described.in_effect(cluster, described.stood)


@pytest.mark.parametrize("described", SHOWING_STUCK, ids=lambda one: one.name)
def test_a_node_that_does_not_follow_is_named(
    described: Described, cluster: ClusterOfObjects
) -> None:
    before = cluster.stands()
    cluster.stuck.add("b")
    with described.context(cluster) as context:
        saved = described.switcher.save(context)
        with pytest.raises(ConvergenceError, match=r"\bb\b"):
            described.switcher.switch(context, described.tour[0])
        with pytest.raises(PreconditionError, match=r"\bb\b"):
            described.switcher.observe(context)
        cluster.stuck.clear()
        described.switcher.restore(context, saved)
    is_back(described, cluster, before)


@each
def test_on_a_node_that_is_dead_it_is_put_back_once_that_is_there(
    described: Described, cluster: ClusterOfObjects
) -> None:
    before = cluster.stands()
    with described.context(cluster) as context:
        saved = described.switcher.save(context)
        described.switcher.switch(context, described.tour[0])
    with site_of(cluster, missing=frozenset({"b"})) as context:
        described.switcher.restore(context, saved)
        assert described.switcher.observe(context) == described.stood
    with site_of(cluster) as context:
        described.switcher.restore(context, saved)
    is_back(described, cluster, before)


@each
def test_what_somebody_else_changes_in_between_stays(
    described: Described, cluster: ClusterOfObjects
) -> None:
    left = [3, 2, 1]
    with described.context(cluster) as context, site_of(cluster) as other:

        def guard() -> None:
            if left:
                described.beside(other.client, left.pop())

        context.client.guard = guard
        saved = described.switcher.save(context)
        described.switcher.switch(context, described.tour[0])
        assert described.switcher.observe(context) == described.tour[0]
        assert str(described.kept(cluster)) == "3"
        described.switcher.restore(context, saved)
        assert str(described.kept(cluster)) == "3"


@each
def test_whoever_touches_it_is_noticed(described: Described, cluster: ClusterOfObjects) -> None:
    def agent(client: Any) -> None:
        client.delete(next(iter(cluster.agents_on("b"))))

    touches: dict[str, Callable[[Any], object]] = {"agent": agent, **described.touches}
    with described.context(cluster) as context, site_of(cluster) as other:
        modes = SwitcherModeControl(context)
        for what, touch in touches.items():
            modes.switch(described.axis, described.tour[0])
            before = modes.component_state(described.axis)
            assert modes.why_touched(described.axis, before) is None
            touch(other.client)
            assert modes.why_touched(described.axis, before) is not None, what


@each
def test_a_value_that_cannot_be_had_is_refused_before_anything_changes(
    described: Described, cluster: ClusterOfObjects
) -> None:
    before = json.dumps(dict(cluster.at))
    assert described.lacking
    for module, value in described.lacking.items():
        cluster.lacks = {module}
        with described.context(cluster) as context:
            why = described.switcher.values(context)[value]
            assert getattr(why, "code", "").startswith("kernel_no_")
            for wanted in (value, "none such"):
                with pytest.raises(PreconditionError):
                    described.switcher.switch(context, wanted)
    assert json.dumps(dict(cluster.at)) == before


@each
def test_what_may_not_be_changed_is_not_changed(
    described: Described, cluster: ClusterOfObjects
) -> None:
    """As where a manifest was applied before this could be switched."""
    before = json.dumps(dict(cluster.at))

    def forbidden(asked: Asked) -> Answer | None:
        if asked.method == "GET" or asked.path.endswith("reviews"):
            return None
        return Answer(403, {"reason": "Forbidden", "message": "it is forbidden"})

    cluster.before = forbidden
    with described.context(cluster) as context, pytest.raises(PodmeterError, match="forbidden"):
        described.switcher.switch(context, described.tour[0])
    assert json.dumps(dict(cluster.at)) == before


@each
def test_where_it_is_not_there_it_is_said_and_nothing_is_noted(
    described: Described, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(monkeypatch)
    with served(described.cluster, tmp_path) as empty, site_of(empty) as context:
        assert getattr(described.switcher.why_absent(context), "code", "")
        assert described.switcher.configurations(context.client) == ()
        with pytest.raises(PreconditionError):
            SwitcherModeControl(context).save(described.axis)
        with pytest.raises(PreconditionError):
            described.switcher.save(context)
