"""What kube-proxy's metrics say of its syncs."""

from __future__ import annotations

import pytest

from podmeter.domain.ports import CommandOutput
from podmeter_worker.modes.kube_proxy_syncs import Syncing, Syncs, argv, parse

#: Of kube-proxy 1.34.4 in iptables mode, whose families sync apart.
BY_FAMILY = """\
kubeproxy_sync_proxy_rules_duration_seconds_count{ip_family="IPv4"} 3
kubeproxy_sync_proxy_rules_duration_seconds_count{ip_family="IPv6"} 7
kubeproxy_sync_proxy_rules_last_queued_timestamp_seconds{ip_family="IPv4"} 1.7640000055e+09
kubeproxy_sync_proxy_rules_last_queued_timestamp_seconds{ip_family="IPv6"} 1.764000001e+09
kubeproxy_sync_proxy_rules_last_timestamp_seconds{ip_family="IPv4"} 1.764000006e+09
kubeproxy_sync_proxy_rules_last_timestamp_seconds{ip_family="IPv6"} 1.764000009e+09
end
"""
#: Before 1.33.
TOGETHER = """\
kubeproxy_sync_proxy_rules_duration_seconds_count 3
kubeproxy_sync_proxy_rules_last_queued_timestamp_seconds 1.7640000055e+09
kubeproxy_sync_proxy_rules_last_timestamp_seconds 1.764000006e+09
end
"""
#: A vector has no series before it was first set.
AT_FIRST = """\
kubeproxy_sync_proxy_rules_last_queued_timestamp_seconds{ip_family="IPv4"} 1.7640000055e+09
end
"""


def told(text: str, exit_code: int = 0) -> CommandOutput:
    return CommandOutput(text, "", exit_code, 0.0)


@pytest.mark.parametrize("text", [BY_FAMILY, TOGETHER])
def test_syncs_are_read_from_the_metrics(text: str) -> None:
    found = parse(told(text))
    assert found == Syncs(ended=3, succeeded=1764000006.0, queued=1764000005.5)
    assert found.since(found) is Syncing.DONE


def test_what_has_no_series_yet_has_not_happened() -> None:
    found = parse(told(AT_FIRST))
    assert found == Syncs(ended=0, succeeded=0.0, queued=1764000005.5)
    assert found.since(found) is Syncing.FIRST


@pytest.mark.parametrize(
    "output",
    [
        told("", 7),
        told(BY_FAMILY, 22),
        told(BY_FAMILY.removesuffix("end\n")),
        told("end\n"),
        told(BY_FAMILY.replace("1.7640000055e+09", "soon")),
        told(TOGETHER.replace("last_queued_timestamp", "last_asked_timestamp")),
    ],
)
def test_what_does_not_say_it_is_not_known(output: CommandOutput) -> None:
    assert parse(output) is None


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        # Of the first one, none that ended is one under way, however long it takes.
        (Syncs(0, 0, 100), Syncs(0, 0, 100), Syncing.FIRST),
        (Syncs(0, 0, 100), Syncs(0, 0, 900), Syncing.FIRST),
        (Syncs(0, 0, 100), Syncs(1, 0, 100), Syncing.LOST),
        (Syncs(0, 0, 100), Syncs(1, 160, 100), Syncing.DONE),
        # Something changed afterwards.
        (Syncs(1, 160, 100), Syncs(1, 160, 170), Syncing.AGAIN),
        (Syncs(1, 160, 170), Syncs(1, 160, 180), Syncing.AGAIN),
        (Syncs(1, 160, 170), Syncs(2, 160, 170), Syncing.LOST),
        (Syncs(1, 160, 170), Syncs(2, 190, 170), Syncing.DONE),
        # One that ended in between had nothing to do with what was asked for since.
        (Syncs(1, 160, 100), Syncs(2, 160, 170), Syncing.AGAIN),
    ],
)
def test_what_it_does_is_told_by_two_looks(before: Syncs, now: Syncs, expected: Syncing) -> None:
    assert now.since(before) is expected


def test_the_port_is_an_argument_of_the_command() -> None:
    assert argv(10300)[-1] == "10300"
