"""The first article's experiment where Calico 3.25 has its nodes in one subnet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from core.tests.services.builders import LOOKED_AT
from sqlalchemy import update

from podmeter.db.models import Cluster
from podmeter.domain.cluster_report import PREFLIGHT_REPORT, AxisReport
from podmeter.domain.run import CaseStatus, Outcome
from podmeter.services.experiments.on_cluster import plan_at
from podmeter.services.work import work_with
from podmeter.templates.library import templates
from podmeter_worker import cluster_preflight

from ...bench import Bench
from ...kube.object_server import served
from ..cluster_of_objects import site_of
from .objects import FELIX, POOL, SWITCHER, Calico, pool, pool_path

pytestmark = pytest.mark.services

#: As `kubectl get ippool default-ipv4-ippool -o yaml` has it with 3.25.
OF_3_25: dict[str, Any] = {
    "allowedUses": ["Workload", "Tunnel"],
    "blockSize": 26,
    "ipipMode": "Never",
    "vxlanMode": "CrossSubnet",
}


def prepared(cluster: Calico) -> None:
    cluster.set_up()
    image = "docker.io/calico/node:v3.25.0"
    cluster.edit_container(lambda container: container.update(image=image))
    cluster.put(pool_path(POOL), pool(**OF_3_25))
    cluster.put(FELIX, {"spec": {"bpfLogLevel": "", "floatingIPs": "Disabled"}})
    cluster.agents = dict.fromkeys(cluster.agents, "vxlan-cross-subnet")


def test_the_articles_modes_are_run_as_none_and_vxlan(tmp_path: Path, bench: Bench) -> None:
    two = {"a": "10.0.0.1/24", "b": "10.0.0.2/24"}
    with served(Calico, tmp_path, addresses=two) as cluster:
        cluster.lacks = {"ipip"}
        prepared(cluster)
        with site_of(cluster) as context:
            found: AxisReport = cluster_preflight._axis(context, "encapsulation")
            stood = SWITCHER.save(context)
            for value in ("none", "vxlan"):
                assert found.values[value] is None
                SWITCHER.switch(context, value)
                assert SWITCHER.observe(context) == value
            SWITCHER.restore(context, stood)
            assert cluster.spec()["vxlanMode"] == "CrossSubnet"
    assert found.component == "calico"
    asked = templates()["calico_modes"].quick_spec.model_dump(mode="json", exclude_none=True)
    cluster_id = bench.add_cluster()
    with bench.sessions.begin() as session:
        report = LOOKED_AT.model_copy(update={"modes": {"encapsulation": found}})
        stamped = PREFLIGHT_REPORT.stamp(report.model_dump(mode="json"))
        session.execute(
            update(Cluster).where(Cluster.id == cluster_id).values(capabilities=stamped)
        )
    with work_with(bench.sessions, bench.queue) as work:
        planned = plan_at(work, bench.owner, asked, cluster_id)
    refused = {one.value: one for one in planned.feasibility.obstacles if one.axis}
    assert refused["vxlan-cross-subnet"].code == "mode_like_none"
    assert "none" in refused["vxlan-cross-subnet"].remedy
    assert "modprobe ipip" in refused["ipip"].remedy
    assert planned.fitted is not None
    assert planned.fitted.axes["encapsulation"] == ("none", "vxlan")
    spec = planned.fitted.model_dump(mode="json", exclude_none=True)
    spec["repetition"] = {"trials": 1, "seconds": 1, "rounds": 1, "warmup": 0}
    run_id = bench.start_run(cluster_id, spec)
    bench.lead(run_id)
    run = bench.run(run_id)
    assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
    assert {case.point["encapsulation"] for case in bench.cases(run_id)} == {"none", "vxlan"}
    assert {case.status for case in bench.cases(run_id)} == {CaseStatus.SUCCEEDED}
    assert set(bench.cluster.now()["set_up"]) == {"none", "vxlan"}
