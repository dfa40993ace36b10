"""kube-proxy's configuration as text."""

import pytest

from podmeter.domain.modes import KubeProxyMode
from podmeter_worker.modes.kube_proxy.switcher import why_old
from podmeter_worker.modes.kube_proxy.text import metrics_port, with_mode, written_mode


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ('kind: X\nmode: "iptables"\nother: 1\n', "iptables"),
        ("mode: ipvs\n", "ipvs"),
        ("mode: 'nftables' # ours\n", "nftables"),
        ('mode: ""\n', ""),
        ("mode:\n", ""),
        ("kind: X\n", ""),
        ("detectLocalMode: ClusterCIDR\n", ""),
        ("ipvs:\n  mode: nested\n", ""),
    ],
)
def test_the_mode_is_read_and_written_back(text: str, mode: str) -> None:
    assert written_mode(text) == mode
    for value in KubeProxyMode:
        changed = with_mode(text, value)
        assert written_mode(changed) == value
        rest = [line for line in changed.splitlines() if not line.startswith("mode:")]
        assert rest == [line for line in text.splitlines() if not line.startswith("mode:")]
        assert written_mode(with_mode(changed, mode)) == mode
    assert with_mode(text, mode) == text


@pytest.mark.parametrize(
    ("line", "port"),
    [
        ('metricsBindAddress: ""', 10249),
        ("metricsBindAddress: 0.0.0.0:10300", 10300),
        ('metricsBindAddress: "[::]:10301"', 10301),
        ("kind: X", 10249),
    ],
)
def test_where_it_tells_its_mode(line: str, port: int) -> None:
    assert metrics_port(f"a: b\n{line}\n") == port


def test_an_old_one_has_no_nftables() -> None:
    assert why_old("registry.k8s.io/kube-proxy:v1.30.2") is not None
    assert why_old("registry.k8s.io/kube-proxy:v1.31.0") is None
    assert why_old("kube-proxy@sha256:0") is None
