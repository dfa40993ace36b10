"""What kube-proxy's own metrics say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from podmeter.domain.errors import ToolError
from podmeter.drivers.kube_proxy import ProxyMetrics, argv, parse

from ..captures import captured

CAPTURED = captured("kube-proxy-1.34.4", "metrics")
#: Before 1.33 families were not told apart.
TOGETHER = """\
kubeproxy_sync_proxy_rules_duration_seconds_count 3
kubeproxy_sync_proxy_rules_duration_seconds_sum 0.75
kubeproxy_sync_proxy_rules_last_timestamp_seconds 1.764000006e+09
end
"""


def test_what_was_captured():
    assert parse(CAPTURED) == ProxyMetrics(
        version="v1.34.4",
        syncs=49,
        sync_seconds=pytest.approx(3.77997774),
        full_syncs=1,
        full_sync_seconds=pytest.approx(0.190121044),
        has_succeeded=True,
        cpu_seconds=0.74,
        memory_bytes=63_799_296.0,
    )


def test_families_together():
    found = parse(replace(CAPTURED, stdout=TOGETHER))
    assert (found.syncs, found.sync_seconds, found.full_syncs) == (3, 0.75, 0)
    assert (found.version, found.cpu_seconds, found.memory_bytes) == (None, None, None)


def test_the_other_family_is_not_what_is_measured():
    lines = CAPTURED.stdout.splitlines(keepends=True)
    found = parse(replace(CAPTURED, stdout="".join(x for x in lines if "IPv4" not in x)))
    assert (found.syncs, found.full_syncs, found.has_succeeded) == (0, 0, False)


@pytest.mark.parametrize(
    "output",
    [
        replace(CAPTURED, exit_code=22),
        replace(CAPTURED, stdout=CAPTURED.stdout.removesuffix("end\n")),
        replace(CAPTURED, stdout=CAPTURED.stdout.replace("} 49", "} many")),
    ],
)
def test_what_is_not_whole_is_no_answer(output):
    with pytest.raises(ToolError):
        parse(output)


def test_the_port_is_an_argument_of_the_command():
    assert argv()[-1] == "10249"
    assert argv(10300)[-1] == "10300"
