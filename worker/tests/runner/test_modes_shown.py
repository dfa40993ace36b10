"""A mode that the switcher saw and new pods do not meet is not measured in."""

from podmeter.domain.fingerprint import CniFacts, Fingerprint, KubeProxyFacts
from podmeter_worker.runner.mode_keeper import why_unlike


def seen(encapsulation: str | None, mode: str | None) -> Fingerprint:
    return Fingerprint(
        cluster_uid="u",
        kubernetes_version="v1.34.4",
        nodes=(),
        shared_host=False,
        cni=CniFacts(name="calico", encapsulation=encapsulation),
        kube_proxy=KubeProxyFacts(mode=mode),
    )


def test_what_new_pods_meet_decides() -> None:
    wanted = {"encapsulation": "vxlan", "kube_proxy_mode": "iptables"}
    assert why_unlike(seen("vxlan", "iptables"), wanted) is None
    said = why_unlike(seen("none", "iptables"), wanted)
    assert said is not None
    assert "encapsulation was switched to vxlan, but new pods get none" in said
    assert why_unlike(seen("vxlan", "ipvs"), wanted) is not None


def test_a_cross_subnet_mode_shows_one_way_here_and_another_there() -> None:
    for shown in ("none", "vxlan", "vxlan-cross-subnet", None):
        assert why_unlike(seen(shown, None), {"encapsulation": "vxlan-cross-subnet"}) is None
    assert why_unlike(seen("ipip", None), {"encapsulation": "vxlan-cross-subnet"}) is not None
    assert why_unlike(seen("none", None), {"encapsulation": "vxlan"}) is not None


def test_what_cannot_be_seen_stands_against_nothing() -> None:
    assert why_unlike(seen(None, None), {"encapsulation": "vxlan"}) is None
    assert why_unlike(seen("vxlan", "ipvs"), {}) is None
