"""kube-proxy's sync periods in the text of its configuration."""

from typing import Any

import pytest
import yaml

from podmeter.domain.errors import PreconditionError
from podmeter.domain.ports import CommandOutput
from podmeter.domain.switching import SyncPeriods
from podmeter_worker.kube.facts.kube_proxy import parse_configz
from podmeter_worker.modes.kube_proxy.periods import (
    of,
    read,
    usable,
    why_not,
    why_not_in_effect,
    with_periods,
    with_written,
)


class Told:
    """A node shell on a node whose kube-proxy tells this."""

    node = "n1"

    def __init__(self, text: str) -> None:
        self.text = text

    def run(self, argv: Any) -> CommandOutput:
        assert argv[-1] == "http://127.0.0.1:10249/configz"
        return CommandOutput(self.text, "", 0, 0.01)


KUBEADM = """\
clusterCIDR: 10.244.0.0/16
configSyncPeriod: 0s
iptables:
  localhostNodePorts: null
  masqueradeBit: null
  minSyncPeriod: 0s # ours
  syncPeriod: "0s"
ipvs:
    excludeCIDRs:
    - 10.0.0.0/8
    syncPeriod: 45s
kind: KubeProxyConfiguration
mode: ""
"""
BOTH = SyncPeriods(180.0, 2.5)
#: With and without the last newline; a section that is empty; none at all; comments in between.
TEXTS = (
    KUBEADM,
    KUBEADM.rstrip("\n"),
    "kind: X\nnftables:\niptables:\n  a: 1\n\n# end\n",
    "kind: X",
    "",
    "nftables: # ours\n  # nothing\n  masqueradeAll: false\n",
)


@pytest.mark.parametrize("mode", ["iptables", "ipvs", "nftables"])
@pytest.mark.parametrize("text", TEXTS)
def test_they_are_written_and_what_stood_is_put_back_to_the_letter(text: str, mode: str) -> None:
    saved = read(text)
    new = with_periods(text, mode, BOTH)
    before, after = (yaml.safe_load(one) or {} for one in (text, new))
    periods = {"syncPeriod": "180s", "minSyncPeriod": "2.5s"}
    assert after == before | {mode: (before.get(mode) or {}) | periods}
    assert with_periods(new, mode, BOTH) == new
    assert of(new, mode) == BOTH
    for _ in range(2):
        new = with_written(new, saved)
        assert new == text


def test_only_what_is_asked_for_is_touched() -> None:
    new = with_periods(KUBEADM, "iptables", SyncPeriods(minimum=10.0))
    assert new == KUBEADM.replace("minSyncPeriod: 0s # ours", "minSyncPeriod: 10s # ours")
    assert of(new, "iptables") == SyncPeriods(30.0, 10.0)
    assert of(KUBEADM, "nftables") == SyncPeriods(30.0, 1.0)


def test_ipvs_which_has_no_least_time_of_its_own_is_seen_to_run_as_it_stood() -> None:
    """What is put back is what kube-proxy says: it would be waited for in vain otherwise."""
    stood = of(KUBEADM, "ipvs")
    assert stood == SyncPeriods(45.0, 0.0)
    told = (
        '{"kubeproxy.config.k8s.io":{"Mode":"ipvs","SyncPeriod":"45s","MinSyncPeriod":"0s",'
        '"ConfigSyncPeriod":"15m0s"}}'
    )
    shell: Any = Told(told)
    assert why_not_in_effect(shell, 10249, stood, sure=False) is None
    assert why_not_in_effect(shell, 10249, SyncPeriods(45.0, 1.0), sure=False) is not None


@pytest.mark.parametrize(
    "text",
    [
        "iptables: {}\n",
        "iptables: null\n",
        "iptables: {syncPeriod: 1s}\n",
        '"iptables":\n  syncPeriod: 1s\n',
        '{"iptables": {"syncPeriod": "1s"}}',
        "iptables:\n  syncPeriod: *x\n",
        "iptables:\n  syncPeriod: |\n    1s\n",
        "iptables:\n- a\n",
    ],
)
def test_what_is_written_in_another_way_is_refused_and_not_spoiled(text: str) -> None:
    reason = why_not(text, "iptables", BOTH)
    assert reason is not None
    assert "section iptables" in reason
    with pytest.raises(PreconditionError, match="section iptables"):
        with_periods(text, "iptables", BOTH)


def test_what_kube_proxy_would_refuse_is_refused() -> None:
    reason = why_not("kind: X\n", "iptables", SyncPeriods(minimum=60.0))
    assert reason is not None
    assert "minSyncPeriod (60 s) above its syncPeriod (30 s)" in reason
    assert why_not("kind: X\n", "iptables", SyncPeriods(60.0, 60.0)) is None


@pytest.mark.parametrize(
    "saved",
    [
        [],
        None,
        {"winkernel": None},
        {"iptables": []},
        {"iptables": {"mode": "x"}},
        {"iptables": {"syncPeriod": 30}},
        {"iptables": {"syncPeriod": "30s\nbindAddress: 0.0.0.0"}},
        {"iptables": {"syncPeriod": "30s, x: y"}},
    ],
)
def test_what_nobody_can_have_saved_is_not_written(saved: object) -> None:
    assert usable(saved) is None


def test_what_was_saved_is_usable() -> None:
    for text in TEXTS:
        assert usable(read(text)) == read(text)
    assert usable({}) == {}


@pytest.mark.parametrize(
    ("told", "periods"),
    [
        (
            (
                '{"kubeproxy.config.k8s.io":{"Mode":"iptables","SyncPeriod":"30s",'
                '"MinSyncPeriod":"1s","ConfigSyncPeriod":"15m0s"}}'
            ),
            (30.0, 1.0),
        ),
        (
            (
                '{"kubeproxy.config.k8s.io":{"Mode":"ipvs","IPVS":{"SyncPeriod":"3m0s",'
                '"MinSyncPeriod":"0s"},"IPTables":{"SyncPeriod":"30s","MinSyncPeriod":"1s"}}}'
            ),
            (180.0, 0.0),
        ),
        ('{"kubeproxy.config.k8s.io":{"SyncPeriod":"1 day","MinSyncPeriod":5}}', (None, None)),
        ('{"kubeproxy.config.k8s.io":[]}', (None, None)),
        ("404 page not found", (None, None)),
        ("[]", (None, None)),
        ("", (None, None)),
    ],
)
def test_with_which_it_runs(told: str, periods: tuple[float | None, float | None]) -> None:
    assert parse_configz(told) == periods
