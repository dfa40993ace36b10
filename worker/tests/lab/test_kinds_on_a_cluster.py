"""What the kinds see of a real cluster besides figures: ways, controls, rules of every node."""

from typing import Any

import pytest

from podmeter.domain.trial import TrialReport, TrialStatus
from podmeter.experiments.registry import kind_of, plan, read_spec, resolve
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.facts.fingerprint import take_fingerprint
from podmeter_worker.kube.node_shells import NodeShells
from podmeter_worker.kube.shells import Shells
from podmeter_worker.lab.cluster_lab import ClusterLab

from ..labs import IMAGE, RUN, Written

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.timeout(300),
    pytest.mark.usefixtures("nothing_left"),
]
ONCE = {"trials": 1, "rounds": 1, "warmup": 0, "seconds": 1}


def measured(
    lab: ClusterLab, document: dict[str, Any]
) -> dict[str, tuple[TrialReport, str | None]]:
    """Each trial's report and its case's NIC, by the case's key; all have counted."""
    spec = resolve(read_spec({"name": "ways", "repetition": ONCE, **document}))
    (block,) = plan(spec)
    found = {}
    with kind_of(spec).prepared(lab, spec, block) as ready:
        for trial in block.trials:
            report = ready.run_trial(trial)
            assert report.status is TrialStatus.COUNTED, (trial.case.key, report.failure)
            found[trial.case.key] = report, ready.placement(trial.case).nic
    return found


def test_the_way_of_every_path_and_of_new_pods(written: Written, client: KubeClient) -> None:
    axes = {"path": ["node-node", "pod-pod"], "protocol": ["tcp"], "streams": [1]}
    found = measured(written.lab, {"kind": "throughput", "axes": axes})
    ways = {
        key.partition("path=")[2].partition(",")[0]: dict(r.facts) for key, (r, _) in found.items()
    }
    nics = {nic for _, nic in found.values()}
    assert len(nics) == 1
    assert None not in nics
    with Shells(client.access) as shells:
        nodes = NodeShells(client, shells, image=IMAGE, run_label=RUN)
        seen = take_fingerprint(client, image=IMAGE, run_label=RUN, node_shells=nodes)
    told = seen.cni.encapsulation
    assert told is not None
    assert ("(vxlan)" in ways["pod-pod"]["node_route"]) == (told == "vxlan")
    assert "(vxlan)" not in ways["node-node"]["node_route"]
    for report, _ in found.values():
        assert {"node_cpu_per_byte", "retransmits_per_byte"} <= {
            m.metric for m in report.measurements
        }


def test_a_rung_with_its_control_and_the_rules_of_every_node(written: Written) -> None:
    axes = {"services": [10], "target": ["last", "pod"], "probe": ["climb", "qps", "service-ready"]}
    document = {"kind": "service_scale", "axes": axes, "parameters": {"requests": 2000}}
    found = {
        tuple(
            key.partition(f"{axis}=")[2].partition(",")[0] for axis in ("probe", "target")
        ): report
        for key, (report, _) in measured(written.lab, document).items()
    }
    climb = {(m.metric, m.subject): m.value for m in found["climb", ""].measurements}
    assert climb["rules_convergence", ""] < climb["convergence", ""]
    assert 0 < climb["convergence_resolution", ""] <= climb["rules_convergence", ""]
    counted = {metric for metric, subject in climb if subject == "most"}
    assert counted in ({"iptables_rules"}, {"nftables_rules", "nftables_map_elements"})
    control = dict(found["qps", "pod"].facts)
    assert control["service"].endswith(":8080/")
    assert "cluster IP" not in control["position"]
    ready = {m.metric: m.value for m in found["service-ready", ""].measurements}
    assert ready["service_convergence"] < ready["service_ready"]
