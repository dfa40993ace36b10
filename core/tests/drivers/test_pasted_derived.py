"""Figures that are not a tool's own: of several commands, of changed rows, of failed requests."""

import pytest

from podmeter.drivers.pasted.commands import changes_rows, is_single

from .pasted import figures, refused

ADD = "iptables -t nat -A POSTROUTING -s 192.0.2.9 -j ACCEPT"


@pytest.mark.parametrize(
    "command",
    [
        f"time for i in $(seq 1000); do {ADD}; done",
        "time (for i in 1 2; do curl -s http://svc; done)",
        "time seq 100 | xargs -n1 curl -s http://svc",
        f"time {ADD} && {ADD}",
        f"time sh -c '{ADD}; {ADD}'",
    ],
)
def test_the_time_of_several_commands_is_none_of_one(command):
    error = refused(f"$ {command}\nreal 0m42.100s\nuser 0m1.0s\nsys 0m1.0s\n")
    assert (error.line, error.why.code) == (2, "paste_time_of_several")


def test_the_time_of_a_single_command_is_its_time():
    command = f"cd /tmp && time sudo {ADD}"
    assert is_single(command)
    assert figures(f"$ {command}\nreal 0m0.021s\n") == [{"rule_add": 0.021}]


LOOP = r"for i in $(seq 100); do curl -so /dev/null -w '%{time_total}\n' http://svc; done"


@pytest.mark.parametrize(
    "behind", ["awk '{s+=$1} END {print s/NR*1000}'", "sort -n | tail -1", "head -1"]
)
def test_what_another_command_made_of_curls_rows_is_no_request(behind):
    error = refused(f"$ {LOOP} | {behind}\n5.123\n")
    assert (error.line, error.why.code) == (2, "paste_changed_rows")


def test_rows_that_a_command_kept_as_they_are_are_read():
    assert figures(f"$ {LOOP} | tee log | sort -n\n0.002\n0.004\n") == [{"curl_total_mean": 0.003}]
    assert not changes_rows(LOOP, "curl")


def test_what_another_command_made_of_netperfs_row_is_no_rate():
    command = "netperf -P 0 -t TCP_STREAM -H h | awk '{print $1, $2, $3, $4, $5*2}'"
    error = refused(f"$ {command}\n131072 16384 16384 10.00 18000.00\n")
    assert (error.line, error.why.code) == (2, "paste_changed_rows")


@pytest.mark.parametrize(
    ("pasted", "line"),
    [
        (
            '{"errormsg":"Timed out","exitcode":28,"http_code":200,"time_total":5.0004}\n',
            1,
        ),
        (
            '{"exitcode":28,"http_code":200,"time_total":5.0004}\n',
            1,
        ),
        ("http_code: 200\nexitcode: 28\ntime_total: 5.0004\n", 2),
        ("time_total exitcode\n5.0004 28\n", 2),
    ],
)
def test_a_request_that_curl_ended_with_an_error_is_none(pasted, line):
    error = refused(pasted)
    assert (error.line, error.why.code) == (line, "tool_said")


def test_a_request_that_curl_ended_without_error_is_read():
    good = '{"errormsg":null,"exitcode":0,"http_code":200,"time_total":0.004}\n'
    assert figures(good) == [{"curl_total_mean": 0.004}]


def test_netperf_without_headings_is_read_with_both_lines_and_in_loops():
    rows = "16384 131072 1 1 10.00 12507.44\n16384 131072\n"
    assert figures(f"$ netperf -P 0 -t TCP_RR -H h\n{rows}") == [
        {"transactions_per_second": 12507.44}
    ]
    loop = "for i in 1 2; do netperf -P 0 -t TCP_{} -H h; done"
    stream = "131072 16384 16384 10.00 9000.00\n131072 16384 16384 10.00 8000.00\n"
    found = figures(f"$ {loop.format('STREAM')}\n{stream}")
    assert [one["throughput"] for one in found] == [9e9, 8e9]
    assert len(figures(f"$ {loop.format('RR')}\n{rows}{rows}")) == 2


def test_netperfs_datagrams_without_headings_are_what_arrived():
    rows = "212992 65507 10.00 100 0 5.24\n212992 10.00 90 4.72\n"
    (found,) = figures(f"$ netperf -P 0 -t UDP_STREAM -H h\n{rows}")
    assert (found["throughput"], found["udp_loss"]) == (4.72e6, 0.1)
