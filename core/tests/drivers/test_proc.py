import random
import subprocess
import time
from dataclasses import replace

import pytest

from podmeter.domain.errors import ToolError
from podmeter.domain.ports import CommandOutput
from podmeter.drivers import conntrack, proc, program

TOOL = "proc-6.18"


def test_samples_at_start_and_end_and_each_second(captured):
    output = captured(TOOL, "samples")
    samples = proc.parse_samples(output)
    offsets = [sample.uptime - samples[0].uptime for sample in samples]
    assert offsets == pytest.approx([0, 1, 2, 3, 3.4], abs=0.1)
    assert samples[0].memory_total == int(output.stdout.split()[1]) * 1024
    assert 0 < samples[0].memory_used < samples[0].memory_total


def test_cpu_is_the_share_of_ticks_between_two_samples(captured):
    first, *_, last = proc.parse_samples(captured(TOOL, "samples"))
    ratio = proc.cpu_ratio(first, last)
    assert ratio == (last.cpu.busy - first.cpu.busy) / (last.cpu.total - first.cpu.total)
    assert 0 <= ratio <= 1
    assert proc.cpu_ratio(first, first) is None


def test_a_sampler_that_lost_its_connection_is_an_error(captured):
    with pytest.raises(ToolError, match="incomplete"):
        proc.parse_samples(captured(TOOL, "samples-cut"))


def with_cgroup(output, *counts):
    """As the program prints it in a pod with a cgroup of its own."""
    lines = output.stdout.removesuffix("end\n").splitlines()
    told = [f"{line} cgroup {count}\n" for line, count in zip(lines, counts, strict=True)]
    return replace(output, stdout="".join(told) + "end\n")


def test_the_pods_own_cpu_time_follows_the_nodes(captured):
    output = captured(TOOL, "samples")
    seconds = [f"{10 + place}.500000 0.250000" for place in range(5)]
    samples = proc.parse_samples(with_cgroup(output, *seconds))
    assert samples[0].pod == proc.PodCpu(10.5, 0.25)
    assert samples[-1].pod == proc.PodCpu(14.5, 0.25)
    assert samples[-1].cpu == proc.parse_samples(output)[-1].cpu
    unknown = proc.parse_samples(with_cgroup(output, *["1.000000 -"] * 5))
    assert unknown[0].pod == proc.PodCpu(1.0, None)
    assert proc.parse_samples(output)[0].pod is None
    for wrong in ("1.0", "soon -", "1.0 - 3"):
        with pytest.raises(ToolError):
            proc.parse_samples(with_cgroup(output, *[wrong] * 5))


def test_a_nodes_cpus_are_counted_by_its_ticks(captured):
    first, *_, last = proc.parse_samples(captured(TOOL, "samples"))
    assert proc.cpu_count(first, last) == 2
    assert proc.cpu_count(first, first) is None


@pytest.mark.parametrize("text", ["", "end\n", "1 2 3 cpu 4\nend\n", "a b c\nd e f\nend\n"])
def test_what_are_no_samples_is_an_error(text):
    with pytest.raises(ToolError):
        proc.parse_samples(CommandOutput(text, "", 0, 1.0))


def test_the_sampler_ends_at_once_when_told():
    done = subprocess.run(
        proc.SAMPLER_ARGV, input="\n", capture_output=True, text=True, check=True, timeout=60
    )
    samples = proc.parse_samples(CommandOutput(done.stdout, done.stderr, done.returncode, 0.0))
    assert len(samples) == 2
    assert samples[0].uptime <= samples[1].uptime


@pytest.mark.parametrize("look", ["cpu", "datagrams"])
def test_being_told_to_end_is_not_missed_as_a_pause_is_over(look):
    # A trial of 1 s ends as the sampler's pause does.
    pause = 0.05
    for _ in range(40):
        told = subprocess.Popen(
            program.argv("sample", str(pause), look),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        told.stdout.readline()
        over = time.perf_counter() + pause + random.uniform(-0.0003, 0.0006)
        while time.perf_counter() < over:
            pass
        assert told.communicate("\n", timeout=30)[0].endswith("\nend\n")


def test_counters(captured):
    counters = proc.parse_counters(captured(TOOL, "counters-after"))
    assert dict(counters.drops).keys() == {
        "conntrack.drop",
        "conntrack.early_drop",
        "conntrack.insert_failed",
        "softnet.dropped",
        "tcp.ListenDrops",
        "tcp.ListenOverflows",
        "tcp.TCPBacklogDrop",
        "tcp.TCPReqQFullDrop",
    }
    assert counters.conntrack_entries >= 2000
    assert counters.conntrack_limit > counters.conntrack_entries


def test_a_trial_without_drops_moves_no_counter(captured):
    before, after = (
        proc.parse_counters(captured(TOOL, f"counters-{when}")) for when in ("before", "after")
    )
    assert proc.moved(before, after) == {}


def test_a_drop_is_seen_in_whichever_cpu_row_it_is(captured):
    output = captured(TOOL, "counters-after")
    before = proc.parse_counters(output)
    lines = output.stdout.splitlines()
    names, row = lines[1].split(), lines[3].split()
    row[names.index("insert_failed")] = "0000000a"
    lines[3] = " ".join(row)
    after = proc.parse_counters(replace(output, stdout="\n".join([*lines, ""])))
    assert proc.moved(before, after) == {"conntrack.insert_failed": 10}


def test_cut_counters_are_an_error(captured):
    output = captured(TOOL, "counters-after")
    with pytest.raises(ToolError, match="incomplete"):
        proc.parse_counters(replace(output, stdout=output.stdout[:-10]))


def test_the_counters_of_this_machine_can_be_read():
    done = subprocess.run(proc.COUNTERS_ARGV, capture_output=True, text=True, check=True)
    assert proc.parse_counters(CommandOutput(done.stdout, done.stderr, 0, 0.0)).drops


def test_forgetting_connections(captured):
    assert conntrack.parse_forgotten(captured("conntrack-1.4.8", "forgotten")) >= 2000
    assert conntrack.parse_forgotten(captured("conntrack-1.4.8", "nothing-to-forget")) == 0
    with pytest.raises(ToolError, match="CAP_NET_ADMIN"):
        conntrack.parse_forgotten(captured("conntrack-1.4.8", "not-permitted"))
