"""kube-proxy's configuration as text."""

import pytest

from podmeter.domain.modes import KubeProxyMode
from podmeter_worker.modes.kube_proxy.switcher import why_old
from podmeter_worker.modes.kube_proxy.text import metrics_port, why_not, with_mode, written_mode


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ('kind: X\nmode: "iptables"\nother: 1\n', "iptables"),
        ("mode: ipvs\n", "ipvs"),
        ("mode: 'nftables' # ours\n", "nftables"),
        ('mode: ""\n', ""),
        ("mode:\n", ""),
        ("mode: # by default\n", ""),
        ("mode: null\n", ""),
        ("mode: ~ # by default\n", ""),
        ('mode: "null"\n', "null"),
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
    ("text", "code"),
    [
        ("kind: X\n", None),
        ("kind: X\nmode: ~\n", None),
        ("kind: X\nmode: userspace\n", "proxy_mode_unknown"),
        ('kind: X\nmode: "null"\n', "proxy_mode_unknown"),
        ("", "proxy_mode_unwritable"),
        ("mode: [\n", "proxy_mode_unwritable"),
        ("- mode: ipvs\n", "proxy_mode_unwritable"),
        ('{"kind": "X", "mode": "ipvs"}', "proxy_mode_unwritable"),
        ('kind: X\n"mode": ipvs\n', "proxy_mode_unwritable"),
        ("kind: X\r\nmode: ipvs\r\n", "proxy_mode_unwritable"),
        ("kind: X\nmode: ipvs\nmode: iptables\n", "proxy_mode_unwritable"),
        ("kind: X\nmode: !!str ipvs\n", "proxy_mode_unwritable"),
        ("text: 'a\nmode: ipvs\n'\n", "proxy_mode_unwritable"),
    ],
)
def test_a_mode_that_could_not_be_restored_is_refused(text: str, code: str | None) -> None:
    why = why_not(text, "kube-system/kube-proxy")
    assert (why.code if why else None) == code


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
