"""What follows from what a look at a cluster found."""

import pytest

from podmeter.domain.cluster_report import ClusterReport
from podmeter.domain.fingerprint import CniFacts, KubeProxyFacts


@pytest.mark.parametrize(
    ("cni", "mode", "told"),
    [
        ("cilium", "iptables", True),
        ("cilium", None, False),
        ("flannel", "iptables", False),
        (None, "iptables", False),
    ],
)
def test_who_answers_pods_services_is_told_beside_what_was_found(
    cni: str | None, mode: str | None, told: bool
) -> None:
    report = ClusterReport(
        kubernetes_version="v1.34.4",
        nodes=[],
        rights={},
        cni=None if cni is None else CniFacts(name=cni),
        kube_proxy=KubeProxyFacts(mode=mode),
    )
    written = report.model_dump(mode="json")
    assert written["services_by_cni"] is told
    # Stored and read again.
    assert ClusterReport.model_validate(written) == report
