"""A ladder of Service ports on a real cluster: kube-proxy writes a rule for each of them."""

from dataclasses import replace

import pytest

from podmeter.domain import labels
from podmeter.domain.ports import POD_NAMESPACE
from podmeter.domain.trial import TrialStatus
from podmeter.kinds.registry import KINDS, plan, read_spec, resolve
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.resources import ENDPOINT_SLICES, SERVICES

from ..labs import RUN, Written

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.timeout(600),
    pytest.mark.usefixtures("nothing_left"),
]

RUNGS = [10, 250]


def test_a_rung_is_grown_asked_and_removed(written: Written, client: KubeClient) -> None:
    """The last port of the last Service answers, in the mode that the cluster has."""
    spec = resolve(
        read_spec(
            {
                "name": "ports",
                "kind": "service_scale",
                "axes": {"services": RUNGS, "probe": ["climb", "qps"], "target": ["first", "last"]},
                "parameters": {"ports_per_service": 100, "requests": 2000},
                "repetition": {"trials": 1, "rounds": 1, "warmup": 0},
            }
        )
    )
    lower, upper = [one.of_kind for one in plan(spec)]
    created = []
    for block in (replace(lower, followed=True), upper):
        with KINDS["service_scale"].prepared(written.lab, spec, block) as prepared:
            for trial in block.trials:
                report = prepared.run_trial(trial)
                assert report.status is TrialStatus.COUNTED, report.failure
                facts = dict(report.facts)
                print(trial.case.key, f"{report.seconds:.1f} s", facts, report.measurements[:6])
                if trial.case.get("probe") == "climb":
                    created.append((facts["services_created"], facts["service_ports_created"]))
    assert created == [("1", "10"), ("3", "240")]
    for resource in (SERVICES, ENDPOINT_SLICES):
        path = resource.path(POD_NAMESPACE)
        assert not client.list_all(path, labels=labels.selector(RUN)).items
