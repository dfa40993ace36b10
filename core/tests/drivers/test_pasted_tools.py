"""Captures of the tools' own options, and the text around them where people copy them from."""

import html
import re

import pytest

from podmeter.drivers.pasted.read import examine, read

from .pasted import figures, refused, text

#: The first figures of each output, as the text prints them, in base units.
READ = {
    "iperf3-3.12/title": [{"throughput": 1.39e10, "throughput_sent": 1.39e10}],
    "iperf3-3.12/server-output-both": [
        {"throughput": 6.12e9, "throughput_sent": 6.18e9},
        {"throughput": 4.69e9, "throughput_sent": 4.74e9},
    ],
    "iperf3-3.12/server-output-udp": [{"throughput": 1.02e7, "throughput_sent": 1.02e7}],
    "iperf3-3.12/epoch": [{"throughput": 1.25e10, "throughput_sent": 1.26e10}],
    "iperf3-3.12/timed": [{"throughput": 8.62e9, "throughput_sent": 8.68e9}],
    "iperf3-3.12/server-verbose": [{"throughput": 1.12e10}, {"throughput_sent": 1.31e6}],
    "iperf3-3.12/server-json": [{"throughput": 1.06959e10}, {"throughput_sent": 1.09996e10}],
    "iperf3-3.12/gigabits": [{"throughput": 4.9e8, "throughput_sent": 4.9e8}],
    "iperf3-3.12/terabytes": [{"throughput": 4.99961e8, "throughput_sent": 4.99961e8}],
    "iperf3-3.12/reverse-verbose": [{"throughput": 1.02e10, "throughput_sent": 1.02e10}],
    "iperf3-3.12/loop": [
        {"throughput": 1.32e10, "throughput_sent": 1.32e10},
        {"throughput": 1.31e10, "throughput_sent": 1.32e10},
    ],
    "iperf-2.1.8/tcp": [{"throughput": 3.81e9}],
    "iperf-2.1.8/parallel": [{"throughput": 6.93e9}],
    "iperf-2.1.8/reverse": [{"throughput": 2.69e9}],
    "iperf-2.1.8/intervals": [{"throughput": 1.08e10}],
    "iperf-2.1.8/udp": [{"throughput": 2.09e7, "throughput_sent": 2.09e7}],
    "iperf-2.1.8/enhanced": [{"throughput": 4.82e9}],
    "iperf-2.1.8/mbytes": [{"throughput": 1.37238e10}],
    "iperf-2.1.8/server-enhanced": [{"throughput": 4.88e9}],
    "qperf-0.4.11/sizes": [
        {"bandwidth": 8.48e9, "message_rate": 16100},
        {"message_latency": 3.44e-05, "message_rate": 29100},
    ],
    "qperf-0.4.11/loop-sizes": [
        {"message_latency": 3.31e-05},
        {"message_latency": 7.24e-05},
        {"message_latency": 4.26e-05},
    ],
    "ab-2.3-debian12/percentiles-csv": [
        {"requests_per_second": 1456.01, "ab_request_mean": 0.001374}
    ],
    "ab-2.3-debian12/times": [{"requests_per_second": 454.52, "ab_request_mean": 0.0044}],
    "ab-2.3-debian12/no-percentiles": [
        {"requests_per_second": 1702.77, "ab_request_mean": 0.001175}
    ],
    "ab-2.3-debian12/timed": [{"requests_per_second": 1079.27, "ab_request_mean": 0.001853}],
    "hey-0.1.5/few": [{"requests_per_second": 1347.94, "request_mean": 0.0007}],
    "hey-0.1.5/paced": [{"requests_per_second": 98.4589, "request_mean": 0.0013}],
    "vegeta-12.13.0/whole": [{"request_rate": 100.94, "request_mean": 0.000697303}],
    "vegeta-12.13.0/json": [{"request_rate": 100.863, "request_mean": 0.00100853}],
    "vegeta-12.13.0/every": [{"request_rate": 100.92, "request_mean": 0.000850322}],
    "vegeta-12.13.0/buckets": [{"request_rate": 100.89, "request_mean": 0.001297}],
    "vegeta-12.13.0/unpaced": [{"request_rate": 3681.38, "request_mean": 0.000534827}],
    "fortio-1.66.5/paced": [{"request_rate": 99.916, "request_mean": 0.00116545}],
    "fortio-1.66.5/unpaced": [{"requests_per_second": 13203, "request_mean": 0.000151095}],
    "fortio-1.66.5/json": [{"request_rate": 99.8674, "request_mean": 0.00102979}],
    "fortio-1.66.5/words-and-json": [{"request_rate": 99.671, "request_mean": 0.000722737}],
    "fortio-1.66.5/grpc": [{"requests_per_second": 4761.2, "request_mean": 0.000419474}],
    "fortio-1.66.5/tcp": [{"requests_per_second": 20360, "request_mean": 9.77308e-05}],
    "fortio-1.66.5/quiet": [{"request_mean": 0.000391482, "request_p50": 0.000572633}],
    "fortio-1.66.5/warnings": [{"request_rate": 99.899, "request_mean": 0.000487954}],
    "fortio-1.66.5/uniform": [{"request_rate": 98.708, "request_mean": 0.000290986}],
    "sockperf-3.7/ping-pong": [{"message_latency": 1.9213e-05, "message_latency_p50": 1.1636e-05}],
    "sockperf-3.7/ping-pong-udp": [
        {"message_latency": 1.6367e-05, "message_latency_p50": 8.395e-06}
    ],
    "sockperf-3.7/round-trip": [{"transaction_mean": 2.8514e-05, "transaction_p50": 2.0177e-05}],
    "sockperf-3.7/under-load": [{"message_latency": 0.0047137, "message_latency_p50": 0.000430736}],
    "sockperf-3.7/under-load-replies": [
        {"message_latency": 0.000237532, "message_latency_p50": 2.8753e-05}
    ],
    "sockperf-3.7/throughput": [{"message_rate": 499448, "bandwidth_sent": 3.99558e9}],
    "sockperf-3.7/throughput-udp": [{"message_rate": 109178, "bandwidth_sent": 8.73424e8}],
    "sockperf-3.7/burst": [{"message_latency": 7.6271e-05, "message_latency_p50": 4.9497e-05}],
}
REFUSED = {
    "iperf3-3.12/debug": (1, "paste_unread_instead"),
    "iperf-2.1.8/full-duplex": (8, "paste_iperf2_both"),
    "iperf-2.1.8/csv": (1, "paste_unread_instead"),
    "iperf-2.1.8/refused": (5, "tool_said"),
    "qperf-0.4.11/loop": (3, "paste_loop_unknown"),
    "qperf-0.4.11/sctp": (1, "paste_test_unknown"),
    "qperf-0.4.11/rdma": (1, "paste_test_unknown"),
    "ab-2.3-debian12/html": (10, "paste_unread_instead"),
    "ab-2.3-debian12/verbose": (5, "paste_unread_instead"),
    "hey-0.1.5/csv": (1, "paste_unread_instead"),
    "vegeta-12.13.0/histogram": (1, "paste_unread_instead"),
    "vegeta-12.13.0/hdrplot": (1, "paste_unread_instead"),
    "vegeta-12.13.0/encoded": (1, "paste_unread_instead"),
    "vegeta-12.13.0/encoded-json": (1, "paste_unread_instead"),
    "vegeta-12.13.0/not-found": (7, "ab_not_2xx"),
    "vegeta-12.13.0/refused": (7, "paste_errors"),
    "fortio-1.66.5/errors": (73, "ab_not_2xx"),
    "fortio-1.66.5/not-found": (6, "tool_said"),
    "fortio-1.66.5/refused": (5, "tool_said"),
    "sockperf-3.7/refused": (2, "tool_said"),
    "sockperf-3.7/server": (1, "paste_sockperf_server"),
    "sockperf-3.7/none": (11, "tool_said"),
}


@pytest.mark.parametrize("name", READ)
def test_what_a_tool_prints_by_its_options_is_read(name):
    measured = [
        {one.metric: one.value for one in output.figures} for output in read(text(name)).outputs
    ]
    expected = [
        {metric: pytest.approx(value, rel=1e-5) for metric, value in one.items()}
        for one in READ[name]
    ]
    assert [
        {metric: one.get(metric) for metric in told}
        for one, told in zip(measured, expected, strict=True)
    ] == expected


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_figure_is_refused_where_it_says_why(name):
    error = refused(text(name))
    assert (error.line, error.why.code) == REFUSED[name]


def test_a_run_that_is_told_twice_is_one_trial():
    (output,) = read(text("fortio-1.66.5/words-and-json")).outputs
    assert [note.code for note in output.notes] == ["paste_paced_at"]
    (output,) = read(text("vegeta-12.13.0/every")).outputs
    assert "paste_vegeta_every" in [note.code for note in output.notes]
    for name in ("hey-0.1.5/whole", "wrk-4.1.0/latency", "ab-2.3-debian12/whole"):
        assert figures(f"{text(name)}\n{text(name)}") == figures(text(name))


def test_ab_tells_how_long_it_ran():
    whole = text("ab-2.3-debian12/whole")
    (output,) = read(whole).outputs
    assert output.seconds == 0.802
    without = "\n".join(one for one in whole.splitlines() if "Time taken" not in one)
    (output,) = read(without).outputs
    assert output.seconds is None


def test_reports_of_two_rates_are_two_runs():
    slow = text("vegeta-12.13.0/whole")
    fast = slow.replace("100, 101.01, 100.94", "200, 201.02, 200.94").replace("200:100", "200:200")
    assert len(read(slow + fast.replace("990.682", "994.682")).outputs) == 2


def test_what_hey_was_slowed_down_to_is_no_capacity():
    pasted = f"$ hey -z 1s -c 2 -q 50 http://10.0.0.2/\n{text('hey-0.1.5/paced')}"
    (output,) = read(pasted).outputs
    assert output.figures[0].metric == "request_rate"
    assert [note.code for note in output.notes] == ["paste_paced_at"]
    (output,) = read(pasted.replace("-q 50", "-q 0")).outputs
    assert output.figures[0].metric == "requests_per_second"


def test_one_direction_of_a_servers_log_says_that_the_other_is_missing():
    found = read(text("forms/iperf3-server-log")).outputs
    both = [one for one in found if one.point.get("bidirectional")]
    assert [[note.code for note in one.notes] for one in both] == [["paste_bidirectional_half"]]


def lines(change):
    """A change of each line, by its number."""
    return lambda pasted: "".join(
        f"{change(number, line)}\n"
        for number, line in enumerate(pasted.rstrip("\n").split("\n"), 1)
    )


TIME = "2026-01-05T10:11:12.123456789Z"
#: What a log, a terminal, a page or a mail makes of a text.
AROUND = {
    "kubectl logs --prefix": lines(lambda _, line: f"[pod/perf-7c9/iperf] {line}"),
    "kubectl logs --prefix --timestamps": lines(
        lambda _, line: f"[pod/perf-7c9/iperf] {TIME} {line}"
    ),
    "docker compose": lambda pasted: (
        "Attaching to client-1\n"
        + lines(lambda _, line: f"client-1  | {line}")(pasted)
        + "client-1 exited with code 0\n"
    ),
    "docker service logs": lines(lambda _, line: f"perf_client.1.x8d7f@node-1    | {line}"),
    "a container's own name": lines(lambda _, line: f"client   | {line}"),
    "stern": lambda pasted: (
        "+ perf-1 › client\n" + lines(lambda _, line: f"perf-1 client {line}")(pasted)
    ),
    "containerd": lines(lambda _, line: f"{TIME} stdout F {line}"),
    "GitHub's log": lines(lambda _, line: f"2026-01-05T10:11:12.1234567Z {line}"),
    "GitLab's log": lines(lambda _, line: f"2026-01-05T10:11:12.123456Z 01O {line}"),
    "journalctl": lines(lambda _, line: f"Jan 05 10:11:12 node-1 iperf3[1234]: {line}"),
    "rsyslog": lines(lambda _, line: f"2026-01-05T10:11:12.1+01:00 node-1 perf[1234]: {line}"),
    "Ansible": lambda pasted: f"node-1 | CHANGED | rc=0 >>\n{pasted}",
    "pdsh": lines(lambda _, line: f"node-1: {line}"),
    "set -x": lambda pasted: f"+ ./run.sh\n{pasted}+ set +x\n",
    "script": lambda pasted: (
        f"Script started on 2026-01-05 10:11:12+00:00 [TERM=xterm]\n{pasted}"
        "Script done on 2026-01-05 10:12:12+00:00 [COMMAND_EXIT_CODE=0]\n"
    ),
    "time": lambda pasted: f"{pasted}\nreal\t0m10.011s\nuser\t0m0.009s\nsys\t0m0.261s\n",
    "time of zsh": lambda pasted: (
        f"{pasted}./run.sh  0.01s user 0.26s system 26% cpu 1.011 total\n"
    ),
    "screen": lines(lambda _, line: f"{line}{' ' * 20}"),
    "line numbers": lines(lambda number, line: f"{number:4d}  {line}"),
    "a diff": lines(lambda _, line: f"+{line}"),
    "a mail": lambda pasted: (
        "On Mon, Jan 5, 2026 at 10:11 AM Bob <bob@example.com> wrote:\n"
        + lines(lambda _, line: f"> {line}")(pasted)
    ),
    "a chat": lambda pasted: f"alice  10:11 AM\n{pasted}",
    "a list": lambda pasted: (
        "1. First:\n\n   ```\n" + lines(lambda _, line: f"   {line}")(pasted) + "   ```\n"
    ),
    "code in line": lines(lambda _, line: f"`{line}`" if line.strip() else line),
    "Jira": lambda pasted: f"{{noformat}}\n{pasted}{{noformat}}\n",
    "a title": lambda pasted: f"Run 1\n-----\n{pasted}",
    "HTML": lambda pasted: f"<pre><code>{html.escape(pasted)}</code></pre>\n",
    "entities": lambda pasted: html.escape(pasted).replace("  ", "&nbsp; "),
    "no-break spaces": lambda pasted: pasted.replace("  ", "\u00a0 "),
    "zero-width spaces": lambda pasted: pasted.replace(" ", " \u200b").replace("\n", "\u200d\n"),
    "colours": lines(lambda _, line: f"\x1b[32m{line}\x1b[0m"),
    "Windows": lambda pasted: pasted.replace("\n", "\r\n"),
    "old Macs": lambda pasted: pasted.replace("\n", "\r"),
    "UTF-16 taken for Latin-1": lambda pasted: "ÿþ" + "".join(f"{one}\0" for one in pasted),
    "lost blanks": lines(lambda _, line: " ".join(line.split())),
    "blank lines": lambda pasted: pasted.replace("\n", "\n\n"),
}
FORMS = (
    *("forms/iperf3-server-output", "iperf3-3.12/udp-8", "iperf-2.1.8/udp", "qperf-0.4.11/sizes"),
    *("ab-2.3-debian12/whole", "hey-0.1.5/whole", "wrk-4.1.0/latency", "fortio-1.66.5/unpaced"),
    *(
        "vegeta-12.13.0/whole",
        "sockperf-3.7/ping-pong",
        "forms/netperf-rr",
        "forms/k8s-netperf-table",
    ),
    *("iperf3-3.12/json", "forms/cilium", "knb-1.5.0/text"),
)


@pytest.mark.parametrize("name", FORMS)
def test_what_surrounds_a_text_changes_no_figure(name):
    whole = figures(text(name))
    assert whole
    changed = {kind: examine(around(text(name))) for kind, around in AROUND.items()}
    wrong = {
        kind: found.refused or found.outputs
        for kind, found in changed.items()
        if found.refused
        or [
            {f"{one.metric} {one.subject}".strip(): one.value for one in output.figures}
            for output in found.outputs
        ]
        != whole
    }
    assert not wrong


@pytest.mark.parametrize("width", [56, 62, 72, 80])
@pytest.mark.parametrize("name", ["iperf3-3.12/udp", "iperf3-3.12/tcp", "iperf3-3.12/parallel"])
def test_lines_that_were_wrapped_are_whole_again(name, width):
    def hard(_, line):
        return "\n".join(line[at : at + width] for at in range(0, max(len(line), 1), width))

    def soft(_, line):
        return re.sub(r"(?<=\S)[ ]+(?=\S{1,40}$)", "\n", line) if len(line) > width else line

    for wrapped in (hard, soft):
        found = examine(lines(wrapped)(text(name)))
        if found.refused is None:
            assert [one.figures[0].value for one in found.outputs] == [
                one.figures[0].value for one in read(text(name)).outputs
            ]
    if width >= 72:
        assert examine(lines(hard)(text(name))).refused is None


def test_every_line_is_told_what_it_is():
    pasted = (
        f"# nodes\n$ iperf3 -c 10.0.0.2\n{text('iperf3-3.12/bidir')}$ kubectl get pod\nNAME\nodd\n"
    )
    found = examine(pasted)
    assert found.refused is None
    assert set(found.kinds) == set(range(1, 2 + pasted.count("\n")))
    kinds = [found.kinds[number].value for number in sorted(found.kinds)]
    assert kinds[:2] == ["around", "command"]
    assert kinds[-4:-1] == ["command", "other", "other"]
    assert {found.outputs_of[number] for number in found.outputs_of} == {(0, 1)}


def test_each_test_of_one_output_has_lines_of_its_own():
    found = examine(text("qperf-0.4.11/sizes"))
    firsts = [one.first for one in found.outputs]
    assert [found.outputs_of[first] for first in firsts] == [(0,), (1,)]
    assert found.outputs_of[firsts[1] - 1] == (0,)


def test_a_refused_line_leaves_what_is_above_it():
    pasted = f"{text('hey-0.1.5/whole')}what nobody reads\n{text('wrk-4.1.0/whole')}"
    found = examine(pasted)
    line = 1 + text("hey-0.1.5/whole").count("\n")
    assert found.refused is not None
    assert (found.refused.line, found.kinds[line].value) == (line, "refused")
    assert [one.tool for one in found.outputs] == ["hey"]
    assert {found.kinds[number].value for number in found.kinds if number > line} == {"unread"}
