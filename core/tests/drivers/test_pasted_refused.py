"""What cannot be read of a paste is refused with its line, or gives no number."""

import pytest

from podmeter.drivers.pasted.read import MOST_LINES, read
from podmeter.drivers.pasted.text import LONGEST_LINE, PasteError

from .pasted import figures, refused, text

FAILED = {
    "iperf3-3.12/refused": (1, "tool_said"),
    "iperf3-3.18/refused-json": (None, "tool_said"),
    "ab-2.3-debian12/not-found": (25, "ab_not_2xx"),
    "ab-2.3-debian12/refused": (5, "tool_said"),
    "ab-2.3-debian13/not-found": (19, "ab_not_2xx"),
    "hey-0.1.4/not-found": (43, "ab_not_2xx"),
    "hey-0.1.4/refused": (24, "paste_errors"),
    "hey-0.1.5/not-found": (43, "ab_not_2xx"),
    "hey-0.1.5/refused": (24, "paste_errors"),
    "wrk-4.0.0/not-2xx": (7, "ab_not_2xx"),
    "wrk-4.0.0/timeouts": (8, "paste_sockets"),
    "wrk-4.1.0/not-found": (7, "ab_not_2xx"),
    "wrk-4.1.0/refused": (1, "tool_said"),
    "curl-7.88.1/not-found": (1, "curl_status"),
    "curl-8.14.1/not-found": (1, "curl_status"),
    "knb-1.3.0/json": (9, "paste_json"),
}


@pytest.mark.parametrize("name", FAILED)
def test_what_failed_is_refused_with_the_line_that_says_so(name):
    error = refused(text(name))
    line, code = FAILED[name]
    assert error.why.code == code
    assert line is None or error.line == line
    assert error.said.code == "paste_line"
    assert error.said.params["text"]


@pytest.mark.parametrize(
    ("name", "told", "wrong"),
    [
        ("k8s-netperf-0.1.43/whole", '"tputMetric": "OP/s"', '"tputMetric": "Gb/s"'),
        ("iperf3-3.18/json", '"bits_per_second":\t11557444620.797054', '"bits_per_second":\t7'),
    ],
)
def test_a_document_is_refused_with_the_line_of_the_field(name, told, wrong):
    before, found, after = text(name).rpartition(told)
    assert found
    assert refused(f"{before}{wrong}{after}").line == 1 + before.count("\n")


def test_a_request_that_was_not_answered_is_none():
    header = "time_connect time_starttransfer time_total\n"
    assert refused(f"{header}0.000000 0.000000 0.000122\n").line == 2
    assert refused(f"{header}0.000362 0.001538 0.001681\n0.0001 0.0 0.0002\n").line == 3


NODES = text("articles/003-nodes")


@pytest.mark.parametrize(
    ("pasted", "line", "code"),
    [
        ("", 1, "paste_empty"),
        ("hello\n", 1, "paste_unknown"),
        (f"{NODES}\nand then we saw that\n", 22, "paste_unknown"),
        (NODES.replace("1161 MBytes/sec", "1161 MBotes/sec"), 6, "paste_unknown"),
        (NODES.replace("receiver", "sender"), 17, "paste_no_receiver"),
        # Another rate than was moved, and more received than was sent.
        (
            NODES.replace("1138 MBytes/sec                  rec", "2138 MBytes/sec   rec"),
            18,
            "tool_contradicts",
        ),
        # A share that is no number.
        (text("iperf3-3.12/udp").replace("(18%)", "(18+1%)"), 9, "paste_odd"),
        # A paste that ends before the result.
        ("\n".join(NODES.split("\n")[:12]), 12, "paste_no_receiver"),
        # The command says that there were more streams, or that it was UDP.
        (NODES.replace("-f M", "-f M -P 8"), 18, "paste_no_sum"),
        (NODES.replace("-f M", "-f M -u"), 18, "paste_odd"),
        ("    bw  =  170 MB/sec\n", 1, "paste_no_test"),
        ("tcp_bw:\n    bw  =  170 MiB/sec\n", 2, "tool_said"),
        ("tcp_bw:\n    msg_rate  =  2.59 K/sec\n", 2, "tool_no_number"),
        ("real 0m0.008s\n", 1, "paste_time_of_what"),
        ("$ time sleep 1\nreal 0m1.008s\n", 2, "paste_time_of_what"),
        ("time_connect time_total\n0.1 0.2 0.3\n", 2, "paste_columns"),
        ("$ ab -n 10 http://h/\nsocket: Too many open files (24)\n", 2, None),
        ("$ iperf3 -c 10.0.0.1\nbash: iperf3: command not found\n", 2, "paste_unknown"),
        ("Requests/sec:  18.77\n", 1, "paste_cut"),
        ('{"a": 1}\n', 1, "paste_json_unknown"),
        ('{\n "start": {},\n "end": \n', 4, "paste_json"),
        ("command terminated with exit code 1\n", 1, "tool_said"),
        ("Requests per second: 0.00 [#/sec] (mean)\n", 1, "paste_zero"),
        ("x" * (LONGEST_LINE + 1), 1, "paste_line_long"),
        ("\n" * (MOST_LINES + 1), MOST_LINES + 1, "paste_too_long"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(pasted, line, code):
    error = refused(pasted)
    assert error.line == line
    assert code is None or error.why.code == code
    assert error.said.params["line"] == line


@pytest.mark.parametrize(
    "name",
    [
        "articles/003-nodes",
        "articles/002-service",
        "hey-0.1.4/whole",
        "hey-0.1.5/whole",
        "wrk-4.1.0/latency",
        "iperf3-3.18/udp-8",
        "knb-1.5.0/text",
        "iperf3-3.12/json",
    ],
)
def test_a_partial_paste_gives_no_number_that_is_not_in_it(name):
    lines = text(name).split("\n")
    whole = {one for found in figures(text(name)) for one in found.items()}
    read_parts = 0
    for end in range(1, len(lines)):
        try:
            found = figures("\n".join(lines[:end]))
        except PasteError:
            continue
        read_parts += 1
        assert {one for part in found for one in part.items()} <= whole, end
    assert read_parts < len(lines)


@pytest.mark.parametrize("line", ["Non-2xx responses:      7", "Failed requests:        7"])
def test_failed_answers_are_never_a_rate(line):
    pasted = f"Requests per second:    4589.65 [#/sec] (mean)\n{line}\n"
    assert refused(pasted).line == 2


def test_an_interval_that_contradicts_itself_costs_no_result():
    # Intervals are not kept: servers print broken ones at the end of -O, and of UDP.
    assert figures(NODES.replace("1161 MBytes/sec", "2161 MBytes/sec")) == figures(NODES)


def test_blanks_that_a_page_lost_and_added_do_not_matter():
    dense = "\n".join(" ".join(line.split()) for line in NODES.split("\n"))
    wide = NODES.replace(" ", "\u00a0 ").replace("\n", "\r\n")
    assert figures(dense) == figures(wide) == figures(NODES)


def test_remarks_and_other_commands_are_passed_over():
    pasted = f"# a remark\n$ kubectl get pod\nNAME READY\nweb-1 1/1\n{NODES}"
    found = read(pasted)
    assert figures(pasted) == figures(NODES)
    assert found.skipped == (3, 4)


@pytest.mark.parametrize(
    "hostile",
    [
        "[  5]" + " " * 3900,
        "[ 5] 0.00-1.00 sec " + "1" * 3000,
        "a" * 3900 + " $ ",
        "- " * 1900 + "x",
        "Requests per second: " + "1" * 3900,
        "tcp_bw:\n" + "a" * 39 + " = " + "1," * 1900,
        "[" * 3900,
        '{"a":' * 700,
        "x@" * 1900 + "# iperf3 -c",
    ],
)
def test_hostile_lines_are_refused(hostile):
    # That they are refused in time linear in their length is held by the suite's own time limit.
    refused("\n".join([hostile] * 200))


def test_a_percent_of_ab_with_a_zero_before_it_is_the_same_percent():
    whole = text("ab-2.3-debian12/whole")
    assert figures(whole.replace("  50% ", " 050% ")) == figures(whole)
