"""What kube-proxy's own metrics say."""

from __future__ import annotations

import subprocess
from dataclasses import replace

import pytest

from podmeter.domain.errors import ToolError
from podmeter.domain.ports import CommandOutput
from podmeter.drivers.kube_proxy import ProxyMetrics, argv, is_down, parse

from ..captures import captured

CAPTURED = captured("kube-proxy-1.34.4", "metrics")
TEXT = CAPTURED.stdout
TOGETHER = "".join(
    line.replace('{ip_family="IPv4"}', "")
    for line in TEXT.splitlines(keepends=True)
    if "IPv6" not in line
)


def test_what_was_captured():
    assert parse(CAPTURED) == ProxyMetrics(
        version="v1.34.4",
        started=pytest.approx(1.79596532e9, rel=1e-6),
        syncs=49,
        sync_seconds=pytest.approx(3.77997774),
        full_syncs=1,
        full_sync_seconds=pytest.approx(0.190121044),
        families_apart=True,
        queued_at=pytest.approx(1795965736.834, abs=1e-3),
        succeeded_at=pytest.approx(1795965737.334, abs=1e-3),
        cpu_seconds=0.74,
        memory_bytes=63_799_296.0,
    )


def test_one_that_has_synced_and_has_nothing_queued_is_idle():
    found = parse(CAPTURED)
    assert (found.has_succeeded, found.is_idle) == (True, True)


def test_families_together_as_before_1_33():
    found = parse(replace(CAPTURED, stdout=TOGETHER))
    assert (found.syncs, found.families_apart) == (49, False)


def test_the_other_family_is_not_what_is_measured():
    lines = TEXT.splitlines(keepends=True)
    found = parse(replace(CAPTURED, stdout="".join(x for x in lines if "IPv4" not in x)))
    assert (found.syncs, found.full_syncs, found.has_succeeded) == (0, 0, False)


def test_one_with_a_change_to_sync_is_not_idle():
    queued = 'last_queued_timestamp_seconds{ip_family="IPv4"} 1.'
    found = parse(replace(CAPTURED, stdout=TEXT.replace(f"{queued}7", f"{queued}8")))
    assert not found.is_idle


@pytest.mark.parametrize(
    "output",
    [
        replace(CAPTURED, exit_code=22),
        replace(CAPTURED, stdout=TEXT.removesuffix("end\n")),
        *(
            replace(CAPTURED, stdout=TEXT.replace(was, becomes))
            for was, becomes in (
                ("} 49", "} many"),
                ("} 49", "} NaN"),
                ("} 49", "} -1"),
                ("} 49", "} 4.5"),
                ("} 49", "} 0"),
                ('full_proxy_rules_duration_seconds_count{ip_family="IPv4"} 1', "x"),
                ('seconds_sum{ip_family="IPv4"} 0.19', 'seconds_sum{ip_family="IPv4"} 9.19'),
                ("process_start_time_seconds", "process_start"),
                ("git_version", "version"),
                ("process_cpu_seconds_total 0.74", "process_cpu_seconds_total 0.74\n" * 2),
            )
        ),
        replace(CAPTURED, stdout=TEXT + TOGETHER),
    ],
)
def test_what_is_not_whole_or_contradicts_itself_is_no_answer(output):
    assert output != CAPTURED
    with pytest.raises(ToolError):
        parse(output)


def test_the_port_is_an_argument_of_the_command():
    assert argv()[-1] == "10249"
    assert argv(10300)[-1] == "10300"


def test_one_that_does_not_listen_is_down():
    # Port 1 is nobody's.
    done = subprocess.run(argv(1), capture_output=True, text=True, check=False, timeout=60)
    assert is_down(CommandOutput(done.stdout, done.stderr, done.returncode, 0.0))
    assert not is_down(CAPTURED)
    assert not is_down(replace(CAPTURED, exit_code=28))
