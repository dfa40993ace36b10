"""What kube-proxy's metrics say of its syncs."""

from __future__ import annotations

import pytest

from podmeter.domain.ports import CommandOutput
from podmeter_worker.modes.kube_proxy.syncs import Syncing, parse

#: Of kube-proxy 1.34.4, whose families sync apart.
BY_FAMILY = """\
kubeproxy_sync_proxy_rules_duration_seconds_count{ip_family="IPv4"} 1
kubeproxy_sync_proxy_rules_duration_seconds_count{ip_family="IPv6"} 1
kubeproxy_sync_proxy_rules_last_timestamp_seconds{ip_family="IPv4"} 1.7958750472947552e+09
kubeproxy_sync_proxy_rules_last_timestamp_seconds{ip_family="IPv6"} 1.795875048238463e+09
end
"""
#: Before 1.33.
TOGETHER = """\
kubeproxy_sync_proxy_rules_duration_seconds_count 3
kubeproxy_sync_proxy_rules_last_timestamp_seconds 1.764000006e+09
end
"""


def told(text: str, exit_code: int = 0) -> CommandOutput:
    return CommandOutput(text, "", exit_code, 0.0)


@pytest.mark.parametrize("text", [BY_FAMILY, TOGETHER])
def test_one_that_succeeded_is_done(text: str) -> None:
    assert parse(told(text)) is Syncing.DONE


@pytest.mark.parametrize(
    "text",
    [
        "end\n",
        TOGETHER.replace("count 3", "count 0"),
        # The other family is not what is measured.
        "".join(line for line in BY_FAMILY.splitlines(keepends=True) if "IPv4" not in line),
    ],
)
def test_none_that_ended_is_the_first_under_way_or_about_to_begin(text: str) -> None:
    assert parse(told(text)) is Syncing.FIRST


def test_one_that_ended_without_a_success_is_lost() -> None:
    (ended, *_, end) = BY_FAMILY.splitlines(keepends=True)
    assert parse(told(ended + end)) is Syncing.LOST


@pytest.mark.parametrize(
    "output",
    [
        told("", 7),
        told(BY_FAMILY, 22),
        told(BY_FAMILY.removesuffix("end\n")),
        told(BY_FAMILY.replace("1.7958750472947552e+09", "soon")),
    ],
)
def test_what_does_not_say_it_is_not_known(output: CommandOutput) -> None:
    assert parse(output) is Syncing.UNKNOWN
