"""What real tools printed, pasted: read in any of their forms and versions."""

import re

import pytest

from podmeter.drivers.pasted.read import read

from .pasted import FIXTURES, figures, text

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
    # Its text says the same without a name for either end.
    (output,) = read(text("iperf3-3.1.3/udp")).outputs
    assert {one.metric for one in output.figures} == {"throughput_sent", "udp_jitter", "udp_loss"}
    assert [note.code for note in output.notes] == ["paste_udp_sent"]


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


@pytest.mark.parametrize(("version", "percent"), [("0.1.4", "%"), ("0.1.5", "%%")])
@pytest.mark.parametrize("name", ["whole", "closed"])
def test_figures_of_hey_are_what_it_prints_with_one_percent_sign_or_two(version, percent, name):
    pasted = text(f"hey-{version}/{name}")

    def printed(before, after=""):
        (said,) = re.findall(rf"^  {before}\s+(\S+){after}$", pasted, re.MULTILINE)
        return float(said)

    assert figures(pasted) == [
        {
            "requests_per_second": printed("Requests/sec:"),
            "request_mean": printed("Average:", " secs"),
            **{f"request_p{at}": printed(f"{at}{percent} in", " secs") for at in (50, 90, 99)},
        }
    ]


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
