"""Who answered what pods asked of Services: kube-proxy, whose mode is reported, or Cilium before
it.
"""

import pytest

from podmeter.services.summaries.report import assemble

from .measured_runs import measured_run

CILIUM = {"cni": {"name": "cilium"}, "kube_proxy": {"mode": "iptables"}}
FLANNEL = {"cni": {"name": "flannel"}, "kube_proxy": {"mode": "iptables"}}
#: As Cilium in kube-proxy's place is: nobody takes its figures for kube-proxy's.
ALONE = {"cni": {"name": "cilium"}, "kube_proxy": {"mode": None}}
UNKNOWN: dict[str, object] = {"cni": None}


def ladder(**axes):
    return {
        "kind": "service_scale",
        "axes": {"services": [10], "probe": ["qps"], "target": ["first", "last"], **axes},
    }


def paths(*found, modes=("iptables", "nftables")):
    axes = {"path": list(found), "protocol": ["tcp"], "streams": [1]}
    return {
        "kind": "throughput",
        "axes": {**axes, **({"kube_proxy_mode": list(modes)} if modes else {})},
    }


def report(spec, environment):
    run = measured_run({"name": "x", **spec}, lambda _: {})
    return assemble(run, [], [], lambda ids: dict.fromkeys(ids, environment))


@pytest.mark.parametrize(
    ("spec", "environment", "told"),
    [
        (ladder(), CILIUM, True),
        (ladder(), FLANNEL, False),
        (ladder(), ALONE, False),
        (ladder(), UNKNOWN, False),
        # Of node ports it does so in kube-proxy's place alone.
        (ladder(service_type=["NodePort"]), CILIUM, False),
        (ladder(service_type=["NodePort", "ClusterIP"]), CILIUM, True),
        (ladder(target=["pod"]), CILIUM, False),
        (ladder(probe=["climb"]), CILIUM, False),
        (ladder(probe=["service-ready"]), CILIUM, True),
        (paths("pod-service-pod"), CILIUM, True),
        (paths("pod-pod", "node-node"), CILIUM, False),
        # No finding there mentions kube-proxy.
        (paths("pod-service-pod", modes=()), CILIUM, False),
    ],
)
def test_where_kube_proxy_is_told_of_and_was_not_met_it_is_said(spec, environment, told):
    found = report(spec, environment)
    assert found.services_by_cni is told
    assert found.headline is not None
    said = [str(one) for one in found.headline.caveats if one.code == "services_by_cni"]
    assert len(said) == told
    assert all("its mode decides nothing" in one for one in said)
