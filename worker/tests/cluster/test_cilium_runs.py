"""A run that switches a real Cilium's routing: what its trials went through, and what it says."""

from collections.abc import Callable

import pytest
from sqlalchemy import select

from podmeter.db.models import CaseRecord, Trial
from podmeter.domain.run import Outcome
from podmeter.domain.trial import TrialStatus
from podmeter.services.comparisons import compare
from podmeter.services.comparisons.request import Request, Side
from podmeter.services.run_results.effect_rows import effects_of
from podmeter.services.work import work_with
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.resources import CONFIG_MAPS
from podmeter_worker.modes import switch_record
from podmeter_worker.modes.registry import configurations

from .conftest import HeldStack

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.cni("cilium"),
    pytest.mark.services,
    pytest.mark.timeout(900),
]

ROUTING = {
    "name": "native routing and VXLAN",
    "kind": "throughput",
    "axes": {
        "encapsulation": ["vxlan", "native"],
        # From the node's own network it is seen how packets leave the node.
        "path": ["node-node", "pod-pod"],
        "protocol": ["tcp"],
        "streams": [1],
    },
    # The fewest that can be compared: each block restarts Cilium and recreates all pods.
    "repetition": {"seconds": 1, "trials": 1, "rounds": 2, "warmup": 0},
}


def test_both_routings_are_measured_compared_and_put_back(
    looked_at: HeldStack, left_behind: Callable[[], list[str]], admin: KubeClient
) -> None:
    path = CONFIG_MAPS.path("kube-system", "cilium-config")
    before = admin.get(path)["data"]
    looked_at.start_worker()
    run = looked_at.wait_finished(looked_at.start_run(looked_at.cluster_id, ROUTING))
    assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
    with looked_at.sessions() as session:
        rows = session.execute(
            select(CaseRecord.point, Trial.facts)
            .join(Trial, Trial.case_id == CaseRecord.id)
            .where(Trial.run_id == run.id, Trial.status == TrialStatus.COUNTED)
        ).all()
    assert {axes["encapsulation"] for axes, _ in rows} == {"vxlan", "native"}
    pods = [(axes, facts) for axes, facts in rows if axes["path"] == "pod-pod"]
    assert len(pods) == 4
    for axes, facts in pods:
        # A pod of before a switch would have the other mode's MTU.
        wrapped = axes["encapsulation"] == "vxlan"
        assert f"MTU {1450 if wrapped else 1500}" in facts["route"]
        assert ("by cilium_vxlan (vxlan)" in facts["node_route"]) == wrapped
        assert wrapped or facts["node_route"].startswith("by eth0")
    assert admin.get(path)["data"] == before
    assert left_behind() == []
    assert switch_record.read_all(admin, configurations(admin)) == []

    sides = [Side(run.id, where={"encapsulation": value}) for value in ("native", "vxlan")]
    request = Request(sides[0], (sides[1],))
    with work_with(looked_at.sessions, looked_at.queue) as work:
        found = compare.build(work, looked_at.owner, request)
    (contender,) = found.contenders
    (pair,) = [one for one in contender.pairs if one.shared["path"] == "pod-pod"]
    (effect,) = [one for one in effects_of(pair.effects) if one.key.metric == "throughput"]
    # Two rounds decide nothing; the quick profile's six do.
    assert (effect.verdict, effect.rounds, effect.judged.text("level")) == (
        "undecided",
        2,
        "block",
    )
