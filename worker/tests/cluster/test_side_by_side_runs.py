"""Runs of modes side by side on a real cluster that has a node more than they take."""

from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import select

from podmeter.db.models import CaseRecord
from podmeter.domain.run import Outcome
from podmeter.domain.trial import TrialStatus
from podmeter.drivers import service_watch
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.service_watch import ServiceWatch, standing_service

from ..labs import RUN
from ..modes.contexts import Open, node_shells, open_here  # noqa: F401
from ..modes.test_switching_on_nodes import proxy_on, stands
from .conftest import HeldStack
from .specs import BESIDE

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.services,
    pytest.mark.nodes("5"),
    pytest.mark.timeout(900),
]
MODES, SPARED = ("iptables", "nftables"), "node-5"


@pytest.fixture
def unnoticed(
    looked_at: HeldStack,
    open_here: Open,  # noqa: F811
    client: KubeClient,
    admin: KubeClient,
) -> Iterator[None]:
    """On the fifth node connections never fail, its kube-proxy is the same at the end, and all that
    a switch may change stands as before.

    A first look at the cluster removes what no run is known of, such as the pod of the watch.
    """
    shell = open_here().shells[SPARED]
    service = standing_service(client)
    assert service is not None
    before = stands(admin), proxy_on(admin, SPARED)
    with ServiceWatch([shell], (service,), lambda: None, 10.0) as watch:
        yield
        (seen,) = watch.finish()
    assert seen.output is not None, seen.why_unknown
    (stretches,) = service_watch.parse(seen.output, seen.services).services
    assert [one.works for one in stretches] == [True]
    assert (stands(admin), proxy_on(admin, SPARED)) == before


@pytest.mark.usefixtures("unnoticed")
def test_modes_are_measured_side_by_side_at_10_and_100_services(
    looked_at: HeldStack, services_left: Callable[[], list[str]]
) -> None:
    looked_at.start_worker()
    run = looked_at.wait_finished(looked_at.start_run(looked_at.cluster_id, BESIDE), 600)
    assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
    trials = looked_at.not_void(run.id)
    # Two rungs, two rounds of two modes, two targets.
    assert [one.status for one in trials] == [TrialStatus.COUNTED] * 16
    with looked_at.sessions() as session:
        of_run = select(CaseRecord).where(CaseRecord.run_id == run.id)
        cases = {case.id: case for case in session.scalars(of_run)}
    pairs: dict[int, list[tuple[str, ...]]] = {}
    for one in trials:
        mode = str(cases[one.case_id].point["kube_proxy_mode"])
        nodes = dict(part.split(": ") for part in one.facts["node_modes"].split(", "))
        assert sorted(nodes.values()) == sorted(2 * MODES)
        assert one.facts["backend"].startswith(mode)
        pairs.setdefault(one.case_id, []).append(
            tuple(node for node, its in nodes.items() if its == mode)
        )
    # Each case was measured on either pair of nodes, and that is no change of its environment.
    both = [("node-1", "node-3"), ("node-2", "node-4")]
    assert [sorted(seen) for seen in pairs.values()] == [both] * 8
    placed = [case.placement for case in cases.values() if case.placement]
    assert {(one["client_node"], one["server_node"]) for one in placed} == {
        ("node-1, node-2", "node-3, node-4")
    }
    assert len({case.fingerprint_id for case in cases.values()}) == len(MODES)
    assert run.warnings == []
    assert services_left() == []


@pytest.mark.usefixtures("unnoticed")
@pytest.mark.parametrize("step", ["patched", "rolled"])
def test_what_a_killed_worker_left_side_by_side_is_restored(
    looked_at: HeldStack, services_left: Callable[[], list[str]], step: str
) -> None:
    looked_at.hold_at(step)
    run_id = looked_at.start_run(looked_at.cluster_id, BESIDE)
    worker = looked_at.start_worker()
    looked_at.wait(looked_at.is_held, "nodes are being switched", 240)
    looked_at.kill(worker)
    looked_at.release_lease()
    looked_at.take_over(run_id, lambda: services_left() == [])


@pytest.mark.usefixtures("unnoticed")
def test_a_cancel_while_services_stand_side_by_side_leaves_nothing(
    looked_at: HeldStack, services_left: Callable[[], list[str]]
) -> None:
    looked_at.hold_at("standing")
    run_id = looked_at.start_run(looked_at.cluster_id, BESIDE)
    looked_at.start_worker()
    looked_at.wait(looked_at.is_held, "the second block finds the first one's Services", 240)
    looked_at.cancel(run_id)
    looked_at.release_lease()
    assert looked_at.wait_finished(run_id).outcome is Outcome.CANCELLED
    assert services_left() == []


@pytest.fixture
def services_left(left_behind: Callable[[], list[str]]) -> Callable[[], list[str]]:
    """What of the run is left: the watch's own pods are the test's."""
    return lambda: [name for name in left_behind() if RUN not in name]
