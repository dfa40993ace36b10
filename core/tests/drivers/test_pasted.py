"""What people paste: each article's block gives its figures, and what cannot be read is named."""

import re
from pathlib import Path

import pytest

from podmeter.drivers.pasted.read import MOST_LINES, read
from podmeter.drivers.pasted.text import LONGEST_LINE, PasteError

FIXTURES = Path(__file__).parents[1] / "fixtures"
PASTED = FIXTURES / "pasted"
MEBI, GIGA = 8 * 2.0**20, 1e9


def text(name: str) -> str:
    return (PASTED / f"{name}.txt").read_text()


def figures(pasted: str) -> list[dict[str, float]]:
    """What each output of a text measured, by metric, with its subject where it has one."""
    return [
        {f"{one.metric} {one.subject}".strip(): one.value for one in output.figures}
        for output in read(pasted).outputs
    ]


def refused(pasted: str) -> PasteError:
    with pytest.raises(PasteError) as caught:
        read(pasted)
    return caught.value


def iperf3(received: float, sent: float, retransmits: float) -> dict[str, float]:
    return {"throughput": received, "throughput_sent": sent, "retransmits": retransmits}


def qperf_bw(bw: float, rate: float, costs: tuple[float, float], cpus: tuple[float, float]):
    return {
        "bandwidth": bw * 8e6,
        "message_rate": rate,
        "send_cost": costs[0] * 1e-12,
        "receive_cost": costs[1] * 1e-12,
        "cpus_used client": cpus[0] / 100,
        "cpus_used server": cpus[1] / 100,
    }


def qperf_lat(latency: float, rate: float, cpus: tuple[float, float]):
    return {
        "message_latency": latency * 1e-6,
        "message_rate": rate,
        "cpus_used client": cpus[0] / 100,
        "cpus_used server": cpus[1] / 100,
    }


#: Worked out by hand from what each article prints.
ARTICLES: dict[str, list[dict[str, float]]] = {
    # The article's own means: 2.541, 3.914 and 31.839 ms.
    "000-2.1": [
        {
            "curl_connect_mean": 0.0005403,
            "curl_starttransfer_mean": 0.0022519,
            "curl_total_mean": 0.0025411,
        }
    ],
    "000-2.2": [
        {
            "curl_connect_mean": 0.0018072,
            "curl_starttransfer_mean": 0.0037167,
            "curl_total_mean": 0.003914,
        }
    ],
    "000-2.3": [
        {
            "curl_connect_mean": 0.0181627,
            "curl_starttransfer_mean": 0.0209951,
            "curl_total_mean": 0.0318393,
        }
    ],
    "000-3.1": [iperf3(2.85 * GIGA, 2.85 * GIGA, 421)],
    "000-3.2": [iperf3(2.75 * GIGA, 2.75 * GIGA, 4355)],
    "000-3.3": [iperf3(2.78 * GIGA, 2.78 * GIGA, 4237)],
    "000-3.4": [iperf3(977e6, 978e6, 1650)],
    "000-3.5": [iperf3(2.67 * GIGA, 2.67 * GIGA, 4278)],
    "000-3.6": [iperf3(1.23 * GIGA, 1.23 * GIGA, 1256)],
    "000-3.7": [iperf3(2.77 * GIGA, 2.78 * GIGA, 3960)],
    "001-qps-first": [{"requests_per_second": 4589.65}],
    "001-qps-last": [{"requests_per_second": 7651.37}],
    "001-curl-first": [{"curl_process_mean": 0.008}],
    "001-curl-last": [{"curl_process_mean": 0.008}],
    "001-iptables-add": [{"rule_add": 0.042}],
    "001-iptables-delete": [{"rule_delete": 0.031}],
    "001-ipvs-add": [{"rule_add": 0.003}],
    "001-ipvs-delete": [{"rule_delete": 0.003}],
    "002-nodes": [
        qperf_bw(331, 5050, (451, 2050), (15, 68)),
        qperf_lat(125, 7990, (14, 14)),
        {**qperf_bw(132, 4030, (302, 4050), (73.5, 53.5)), "bandwidth_sent": 2430 * 8e6},
        qperf_lat(113, 8840, (11, 9)),
    ],
    "002-pods": [
        qperf_bw(170, 2590, (3070, 3270), (52, 55.5)),
        qperf_lat(154, 6500, (16, 17)),
        {**qperf_bw(42.9, 1310, (341, 17100), (100, 73.5)), "bandwidth_sent": 2930 * 8e6},
        qperf_lat(170, 5870, (17, 22.5)),
    ],
    "002-service": [
        qperf_bw(217, 3310, (1380, 3110), (30, 67.5)),
        qperf_lat(157, 6380, (15, 14.5)),
        {**qperf_bw(7.83, 239, (693, 69600), (89, 54.5)), "bandwidth_sent": 1280 * 8e6},
        qperf_lat(140, 7120, (17.5, 11)),
    ],
    "003-nodes": [iperf3(1138 * MEBI, 1138 * MEBI, 0)],
    "003-vxlan": [iperf3(493 * MEBI, 494 * MEBI, 185)],
    "003-native": [iperf3(1266 * MEBI, 1266 * MEBI, 125)],
}


@pytest.mark.parametrize("name", ARTICLES)
def test_an_articles_block_gives_the_articles_figures(name):
    found = figures(text(f"articles/{name}"))
    assert found == [pytest.approx(one, rel=1e-9) for one in ARTICLES[name]]


def test_every_block_that_the_articles_print_is_there():
    printed = {path.stem for path in (PASTED / "articles").glob("*.txt")}
    # It printed no figure, but an error.
    assert printed == {*ARTICLES, "001-xtables-lock"}


def test_an_error_in_an_article_is_no_figure():
    error = refused(text("articles/001-xtables-lock"))
    assert (error.line, error.why.code) == (2, "tool_said")


def test_what_counts_in_1024s_and_what_in_1000s_is_kept_apart():
    assert figures(text("articles/003-nodes"))[0]["throughput"] == pytest.approx(9.546e9, rel=1e-4)
    bits = text("articles/003-nodes").replace("1138 MBytes/sec", "9.55 Gbits/sec")
    assert figures(bits)[0]["throughput"] == 9.55e9
    assert figures(text("articles/002-nodes"))[0]["bandwidth"] == 331e6 * 8


def test_several_outputs_in_one_paste_are_several():
    names = ("000-3.1", "000-3.4", "002-nodes", "001-qps-last", "000-2.1")
    whole = "\n".join(text(f"articles/{name}") for name in names)
    tools = [one.tool for one in read(whole).outputs]
    assert tools == ["iperf3", "iperf3", *["qperf"] * 4, "ab", "curl"]


def test_a_line_of_a_figure_is_the_line_that_says_so():
    pasted = text("articles/000-3.3")
    for figure in read(pasted).outputs[0].figures:
        assert figure.printed in pasted.split("\n")[figure.line - 1]


CAPTURED = {
    **{
        f"iperf3-{version}/{name}": point
        for version in ("3.1.3", "3.12", "3.18")
        for name, point in {
            "tcp": {"protocol": "tcp", "streams": 1},
            "tcp-mbytes": {"protocol": "tcp", "streams": 1},
            "tcp-kbits": {"protocol": "tcp", "streams": 1},
            "verbose": {"protocol": "tcp", "streams": 1},
            "parallel": {"protocol": "tcp", "streams": 3},
            "reverse": {"protocol": "tcp", "streams": 1, "data_flow": "server-to-client"},
            "json": {"protocol": "tcp", "streams": 1},
            "reverse-json": {"protocol": "tcp", "streams": 2, "data_flow": "server-to-client"},
            "udp-json": {"protocol": "udp", "streams": 1},
        }.items()
    },
    **{
        f"iperf3-{version}/{name}": {"protocol": "udp", "streams": streams}
        for version in ("3.12", "3.18")
        for name, streams in (("udp", 1), ("udp-8", 8))
    },
}


@pytest.mark.parametrize("name", CAPTURED)
def test_what_iperf3_prints_in_any_form_is_read_with_its_point(name):
    (output,) = read(text(name)).outputs
    assert output.point == CAPTURED[name]
    assert output.figures[0].value > 0


@pytest.mark.parametrize("version", ["3.12", "3.18"])
@pytest.mark.parametrize("name", ["bidir", "bidir-json"])
def test_both_directions_of_a_run_are_two_outputs(version, name):
    there, back = read(text(f"iperf3-{version}/{name}")).outputs
    assert (there.point["data_flow"], back.point["data_flow"]) == (
        "client-to-server",
        "server-to-client",
    )
    assert there.point["bidirectional"] == back.point["bidirectional"] == "both"
    # What a role's receiver got, never the other's.
    assert there.figures[0].value != back.figures[0].value


@pytest.mark.parametrize("version", ["3.12", "3.18"])
def test_what_a_server_saw_is_read_as_well(version):
    found = read(text(f"iperf3-{version}/server")).outputs
    assert [one.point["protocol"] for one in found][:2] == ["tcp", "tcp"]
    assert all("throughput" in {one.metric for one in output.figures} for output in found)


def test_udp_before_3_10_has_no_rate_of_arrival():
    (output,) = read(text("iperf3-3.1.3/udp-json")).outputs
    assert {one.metric for one in output.figures} == {"throughput_sent", "udp_jitter", "udp_loss"}
    assert [note.code for note in output.notes] == ["paste_udp_sent"]
    # Its text does not tell the two ends apart.
    assert refused(text("iperf3-3.1.3/udp")).why.code == "paste_no_receiver"


@pytest.mark.parametrize("version", ["0.4.9", "0.4.11"])
@pytest.mark.parametrize("form", ["", "-bare", "-bits", "-unified", "-verbose"])
def test_qperf_is_read_in_any_of_its_forms(version, form):
    found = read((FIXTURES / f"qperf-{version}" / f"pasted{form}.stdout").read_text()).outputs
    told = [(one.point["qperf_test"], one.version, one.figures[0].metric) for one in found]
    assert told == [
        ("tcp_bw", version, "bandwidth"),
        ("tcp_lat", version, "message_latency"),
        ("udp_bw", version, "bandwidth"),
        ("udp_lat", version, "message_latency"),
    ]


OTHERS = {
    "ab-2.3-debian12/whole": ("requests_per_second", "ab_request_mean"),
    "ab-2.3-debian12/kept": ("requests_per_second", "ab_request_mean"),
    "ab-2.3-debian12/grepped": ("requests_per_second",),
    "ab-2.3-debian13/whole": ("requests_per_second", "ab_request_mean"),
    "ab-2.3-debian13/kept": ("requests_per_second", "ab_request_mean"),
    "hey-0.1.4/whole": ("requests_per_second", "request_mean", "request_p50", "request_p99"),
    "hey-0.1.4/closed": ("requests_per_second", "request_mean"),
    "wrk-4.0.0/whole": ("requests_per_second", "request_mean"),
    "wrk-4.1.0/whole": ("requests_per_second", "request_mean"),
    "wrk-4.1.0/latency": ("requests_per_second", "request_mean", "request_p50", "request_p99"),
    **{
        f"curl-{version}/{name}": ("curl_connect_mean", "curl_total_mean")
        for version in ("7.88.1", "8.14.1")
        for name in ("columns", "named", "json")
    },
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_the_other_tools_print_is_read(name):
    (found,) = figures(text(name))
    assert found.keys() >= set(OTHERS[name])
    assert all(value > 0 for value in found.values())


def test_figures_of_reports_are_what_they_print():
    assert figures(text("wrk-4.0.0/whole")) == [
        {"requests_per_second": 748868.53, "request_mean": 635.91e-6}
    ]
    whole = text("hey-0.1.4/whole")
    printed = {
        name: float(said) for name, said in re.findall(r"(Average|Requests/sec):\s+(\S+)", whole)
    }
    (found,) = figures(whole)
    assert found["requests_per_second"] == printed["Requests/sec"]
    assert found["request_mean"] == printed["Average"]


def test_knb_tells_paths_and_protocols_of_its_own():
    for name in (
        "knb-1.5.0/text",
        "knb-1.5.0/yaml",
        "knb-1.5.0/json",
        "knb-1.3.0/text",
        "knb-1.3.0/yaml",
    ):
        found = read(text(name)).outputs
        told = [(one.point["path"], one.point["protocol"], one.figures[0].value) for one in found]
        assert told == [
            ("pod-pod", "tcp", 9824e6),
            ("pod-pod", "udp", 9822e6),
            ("pod-service-pod", "tcp", 9804e6),
            ("pod-service-pod", "udp", 8567e6),
        ], name
        assert figures(text(name))[0]["node_cpu server"] == pytest.approx(0.0925)
        assert found[0].environment["pod_mtu"] == "8950"
    # Where its monitor failed there is the bandwidth alone.
    assert [list(one) for one in figures(text("knb-1.5.0/no-metrics"))] == [["throughput"]] * 4


def test_k8s_netperf_tells_paths_and_what_its_numbers_are():
    found = read(text("k8s-netperf-0.1.43/whole")).outputs
    assert [one.point["path"] for one in found] == [
        *("node-node", "pod-pod", "pod-pod", "pod-pod", "pod-service-pod", "pod-pod-same-node")
    ]
    measured = figures(text("k8s-netperf-0.1.43/whole"))
    assert measured[0] == {"throughput": 2661.006667e6, "retransmits": 54.666667}
    assert measured[3] == pytest.approx({"throughput": 1145.066667e6, "udp_loss": 0.00067031})
    assert measured[4] == pytest.approx(
        {"transactions_per_second": 3046.126667, "transaction_p99": 647.666667e-6}
    )
    assert found[2].tool == "k8s-netperf (iperf3)"
    # Each is of its own lines.
    lines = text("k8s-netperf-0.1.43/whole").split("\n")
    of_first = ["2661.006667" in "".join(lines[one.first - 1 : one.last]) for one in found]
    assert of_first == [True, False, False, False, False, False]
    # An old one does not say whether a Service was crossed.
    old = read(text("k8s-netperf-0.1.6/whole")).outputs
    assert all("path" not in one.point and one.notes for one in old)


FAILED = {
    "iperf3-3.12/refused": (1, "tool_said"),
    "iperf3-3.18/refused-json": (None, "tool_said"),
    "ab-2.3-debian12/not-found": (25, "ab_not_2xx"),
    "ab-2.3-debian12/refused": (5, "tool_said"),
    "ab-2.3-debian13/not-found": (19, "ab_not_2xx"),
    "hey-0.1.4/not-found": (43, "ab_not_2xx"),
    "hey-0.1.4/refused": (24, "paste_errors"),
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
        (NODES.replace("1161 MBytes/sec", "2161 MBytes/sec"), 6, None),
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
