"""Every form in which the field pastes an output is read rightly, or refused where it says why."""

import pytest

from podmeter.drivers.pasted.read import read

from .pasted import PASTED, refused, text

#: What the client's report of one run measured, whatever is around it.
RUN = [{"throughput": 1.05e9, "throughput_sent": 1.05e9, "retransmits": 0}]
OF_ONE_RUN = (
    *("iperf3-server-output", "iperf3-both-logs", "iperf3-behind-service", "iperf3-twice"),
    *("prefix-compose", "prefix-stern", "times-iperf3", "times-kubectl", "times-journal", "quoted"),
    *("coloured", "windows", "prompt-two-lines", "prompt-zsh", "prompt-tight", "command-bare"),
    *("markdown", "html", "title-underlined"),
)
#: The figures of each output, as the text prints them, in base units.
READ = {
    **dict.fromkeys(OF_ONE_RUN, RUN),
    "prefix-kubectl": RUN * 2,
    "iperf3-out-of-order": [{"throughput": 500e6, "udp_jitter": 19e-6, "udp_loss": 9 / 89290}],
    "iperf3-omit-straddles": [{"throughput": 9.44e9}],
    "iperf3-verbose-udp": [
        {
            "throughput": 19.6e6,
            "throughput_sent": 20e6,
            "udp_jitter": 8e-6,
            "udp_loss": 33 / 1726,
        }
    ],
    "iperf3-3.1-udp": [{"throughput_sent": 19.5e6, "udp_jitter": 32e-6, "udp_loss": 2 / 298}],
    "iperf3-terabits": [
        {
            "throughput": 125 * 8 * 1024**2,
            "throughput_sent": 125 * 8 * 1024**2,
            "retransmits": 0,
        }
    ],
    "iperf3-server-log": [
        {"throughput": 1.01e9},
        {"throughput_sent": 940e6, "retransmits": 3},
        {"throughput": 923e6},
    ],
    "iperf3-json-stream": [{"throughput": 1040e6, "throughput_sent": 1048.576e6, "retransmits": 4}],
    "iperf2-tcp": [{"throughput": 944e6}],
    "iperf2-udp": [
        {
            "throughput": 104e6,
            "throughput_sent": 105e6,
            "udp_jitter": 14e-6,
            "udp_loss": 714 / 89165,
        }
    ],
    "iperf2-parallel": [{"throughput": 2.1e9}],
    "iperf2-server": [{"throughput": 9.35e9}],
    "netperf-stream": [{"throughput": 9416.63e6}],
    "netperf-stream-cpu": [{"throughput": 9416.63e6}],
    "netperf-udp": [
        {"throughput": 5958.56e6, "throughput_sent": 6017.41e6, "udp_loss": 1123 / 114823}
    ],
    "netperf-rr": [{"transactions_per_second": 21843.10}],
    "netperf-crr": [
        {
            "transactions_per_second": 14999.5,
            "transaction_mean": 66.1e-6,
            "transaction_p99": 101e-6,
        }
    ],
    "netperf-keys": [
        {
            "transactions_per_second": 14999.5,
            "transaction_mean": 66.1e-6,
            "transaction_p99": 101e-6,
        }
    ],
    "netperf-commas": [
        {
            "transactions_per_second": 49478.93,
            "transaction_p50": 18e-6,
            "transaction_p90": 23e-6,
            "transaction_p99": 44e-6,
        }
    ],
    "netperf-human": [
        {
            "transactions_per_second": 14999.5,
            "transaction_mean": 66.1e-6,
            "transaction_min": 41e-6,
            "transaction_p90": 70e-6,
            "transaction_p99": 101e-6,
        }
    ],
    "netperf-row": [
        {
            "transactions_per_second": 38220.15,
            "transaction_min": 14e-6,
            "transaction_p99": 51e-6,
        }
    ],
    "sockperf": [
        {
            "message_latency": 19.12e-6,
            "message_latency_p50": 18.7e-6,
            "message_latency_p90": 21.44e-6,
            "message_latency_p99": 31.02e-6,
        }
    ],
    "k8s-netperf-source": [{"throughput": 8120.5e6, "retransmits": 12}],
    "k8s-netperf-table": [{"transactions_per_second": 18010.5, "transaction_p99": 85.333333e-6}],
    "k8s-netperf-csv": [
        {"throughput": 2450.15e6},
        {"transactions_per_second": 12500.5, "transaction_p99": 111.5e-6},
    ],
    "cilium": [
        {
            "transactions_per_second": 21267.51,
            "transaction_mean": 46.81e-6,
            "transaction_min": 21e-6,
            "transaction_p50": 45e-6,
            "transaction_p90": 52e-6,
            "transaction_p99": 66e-6,
        },
        {
            "transactions_per_second": 7701.61,
            "transaction_mean": 129.64e-6,
            "transaction_min": 101e-6,
            "transaction_p50": 129e-6,
            "transaction_p90": 140e-6,
            "transaction_p99": 1.164e-3,
        },
        {"throughput": 37535.25e6},
    ],
    "fortio-paced": [
        {
            "request_rate": 50,
            "request_mean": 2e-3,
            "request_p50": 1.8e-3,
            "request_p90": 2.4e-3,
            "request_max": 15.2364403e-3,
        }
    ],
    "fortio-max": [
        {
            "requests_per_second": 11400,
            "request_mean": 0.70158274e-3,
            "request_p50": 0.61e-3,
            "request_p90": 1e-3,
            "request_p99": 2.1e-3,
            "request_max": 10.229958e-3,
        }
    ],
    "fortio-json": [
        {
            "requests_per_second": 4210.5,
            "request_mean": 19.9 / 21056,
            "request_p50": 0.9e-3,
            "request_p99": 3.1e-3,
            "request_max": 13e-3,
        }
    ],
    "vegeta": [
        {
            "request_rate": 200.11,
            "request_mean": 1.7e-3,
            "request_p50": 1.6e-3,
            "request_p90": 2.2e-3,
            "request_p99": 3.9e-3,
            "request_max": 1.0021,
        }
    ],
    "vegeta-json": [
        {
            "request_rate": 100.17,
            "request_mean": 2e-3,
            "request_p50": 1.9e-3,
            "request_p90": 2.5e-3,
            "request_p99": 4.1e-3,
            "request_max": 9.8e-3,
        }
    ],
    "wrk2": [
        {
            "request_rate": 2000.28,
            "request_mean": 6.46e-3,
            "request_p50": 6.67e-3,
            "request_p90": 9.14e-3,
            "request_p99": 11.18e-3,
        }
    ],
    "wrk-stopped": [{"requests_per_second": 20000, "request_mean": 1.97e-3}],
    "ab-unreliable": [{"requests_per_second": 2000, "ab_request_mean": 1e-3}],
    # Its mean is of another number of requests than its rate.
    "hey-million-statuses": [
        {"requests_per_second": 50000, "request_p50": 0.4e-3, "request_p99": 2e-3}
    ],
    "hey-million-mean": [
        {"requests_per_second": 50000, "request_p50": 0.4e-3, "request_p99": 2e-3}
    ],
    "hey-few": [
        {
            "requests_per_second": 100,
            "request_mean": 10e-3,
            "request_p50": 0.4e-3,
            "request_p99": 2e-3,
        }
    ],
    "qperf-loop": [
        *({"bandwidth": rate * 8e6} for rate in (61, 99, 150)),
        *({"message_latency": took * 1e-6} for took in (50, 52, 61)),
    ],
    "qperf-sizes": [{"bandwidth": rate * 8e6} for rate in (61, 99)],
}
NOTES = {
    "iperf3-3.1-udp": {"paste_udp_sent"},
    "iperf3-terabits": {"paste_rate_rounded"},
    "iperf3-server-log": {"paste_sender_only", "paste_bidirectional_half"},
    "iperf2-tcp": {"paste_iperf2_sent"},
    "iperf2-parallel": {"paste_iperf2_sent"},
    "fortio-paced": {"paste_paced_at"},
    "vegeta": {"paste_paced"},
    "vegeta-json": {"paste_paced"},
    "wrk2": {"paste_paced"},
    "wrk-stopped": {"paste_run_short"},
    "ab-unreliable": {"paste_ab_unreliable"},
    "hey-million-statuses": {"paste_hey_million"},
    "hey-million-mean": {"paste_hey_million"},
}
#: What a text tells of where and how it was measured.
POINTS = {
    "iperf3-server-log": [
        {"protocol": "tcp", "streams": 1},
        {"protocol": "tcp", "streams": 1, "data_flow": "server-to-client"},
        {
            "protocol": "tcp",
            "streams": 1,
            "data_flow": "client-to-server",
            "bidirectional": "both",
        },
    ],
    "netperf-rr": [
        {
            "protocol": "udp",
            "netperf_test": "UDP_RR",
            "request_bytes": 64,
            "response_bytes": 1024,
        }
    ],
    "netperf-crr": [
        {
            "protocol": "tcp",
            "netperf_test": "TCP_CRR",
            "request_bytes": 1,
            "response_bytes": 1,
        }
    ],
    "netperf-stream": [{"protocol": "tcp", "netperf_test": "TCP_STREAM", "message_bytes": 16384}],
    "cilium": [
        {"protocol": "tcp", "netperf_test": "TCP_RR", "path": "pod-pod-same-node"},
        {"protocol": "tcp", "netperf_test": "TCP_RR", "path": "node-node"},
        {"protocol": "tcp", "netperf_test": "TCP_STREAM_MULTI", "path": "pod-pod-same-node"},
    ],
    "qperf-loop": [
        {"qperf_test": test, "message_bytes": size}
        for test in ("tcp_bw", "tcp_lat")
        for size in (1024, 2048, 4096)
    ],
    "qperf-sizes": [{"qperf_test": "tcp_bw", "message_bytes": size} for size in (512, 1024)],
}
#: The line that says why there is no figure, and why.
REFUSED = {
    "ab-left-out": (6, "ab_failed"),
    "ab-ssl": (3, "tool_said"),
    "curl-own-words": (1, "paste_curl_own_format"),
    "fortio-errors": (10, "ab_not_2xx"),
    "hey-impossible": (7, "tool_contradicts"),
    "iperf3-interrupted": (10, "tool_said"),
    "iperf3-json-nothing": (53, "paste_nothing_arrived"),
    "iperf3-json-stream-cut": (3, "paste_cut"),
    "iperf3-server-reverse-alone": (10, "paste_no_receiver"),
    "knb-nothing": (37, "paste_knb_nothing"),
    "netperf-no-server": (1, "tool_said"),
    "perf-tests": (1, "paste_unread_instead"),
    "ping": (1, "paste_unread_instead"),
    "qperf-failed": (2, "tool_said"),
    "qperf-loop-cut": (8, "paste_loop_count"),
    "redis": (1, "paste_unread"),
    "vegeta-failed": (8, "ab_not_2xx"),
    "wrk-no-time": (6, "tool_contradicts"),
    "wrk-old": (7, "paste_sockets"),
}


@pytest.mark.parametrize("name", READ)
def test_a_form_is_read_with_the_figures_that_it_prints(name):
    found = read(text(f"forms/{name}")).outputs
    measured = [{one.metric: one.value for one in output.figures} for output in found]
    # What else a form tells (percentiles, the maximum) is held against its text by the fuzz test.
    expected = [
        {metric: pytest.approx(value, rel=1e-9) for metric, value in one.items()}
        for one in READ[name]
    ]
    shown = [
        {metric: one.get(metric) for metric in told}
        for one, told in zip(measured, expected, strict=True)
    ]
    assert shown == expected
    notes = {note.code for output in found for note in output.notes}
    assert notes == NOTES.get(name, set())
    assert [dict(one.point) for one in found] == POINTS.get(
        name, [dict(one.point) for one in found]
    )


@pytest.mark.parametrize("name", REFUSED)
def test_a_form_without_a_figure_is_refused_where_it_says_why(name):
    error = refused(text(f"forms/{name}"))
    assert (error.line, error.why.code) == REFUSED[name]


def test_every_form_has_its_answer():
    assert {one.stem for one in (PASTED / "forms").glob("*.txt")} == {*READ, *REFUSED}


def test_a_mean_of_more_requests_than_hey_keeps_is_no_figure():
    for name in ("hey-million-mean", "hey-million-statuses"):
        (output,) = read(text(f"forms/{name}")).outputs
        assert "request_mean" not in {one.metric for one in output.figures}


def test_a_test_that_failed_in_a_servers_log_costs_no_other_its_figure():
    pasted = read(text("forms/iperf3-server-log"))
    lines = text("forms/iperf3-server-log").split("\n")
    passed_over = [lines[number - 1] for number in pasted.skipped]
    assert any("unexpectedly closed" in line for line in passed_over)


def test_the_ends_of_a_connection_that_contradict_each_other_are_refused():
    told = text("forms/iperf3-both-logs")
    before, found, after = told.rpartition("125 MBytes  1.01 Gbits/sec")
    assert found
    error = refused(f"{before}250 MBytes  2.02 Gbits/sec{after}")
    assert error.why.code == "tool_contradicts"
    assert error.line == 1 + before.count("\n")


def test_two_runs_over_other_ports_stay_two():
    one = text("forms/iperf3-twice").partition("iperf Done.")[0]
    again = one.replace("40112", "40555")
    assert len(read(f"{one}\n{again}").outputs) == 2


def test_a_name_prefix_is_cut_from_mixed_lines_with_their_numbers_kept():
    first, second = read(text("forms/prefix-kubectl")).outputs
    lines = text("forms/prefix-kubectl").split("\n")
    assert "[pod/a/iperf]" in lines[first.figures[0].line - 1]
    assert "[pod/b/iperf]" in lines[second.figures[0].line - 1]
    assert all("receiver" in lines[one.figures[0].line - 1] for one in (first, second))
