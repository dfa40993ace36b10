import json
from dataclasses import replace

import pytest

from podmeter.domain.errors import ToolError
from podmeter.domain.ports import CommandOutput
from podmeter.drivers import iperf3

TOOL = "iperf3-3.18"
TCP = iperf3.Options("10.0.0.2", 5201, "tcp", seconds=3, streams=1)
UDP = replace(TCP, protocol="udp", udp_bits_per_second=100_000_000)


def test_tcp(captured):
    output = captured(TOOL, "tcp")
    answer = iperf3.parse(output, TCP)
    end = json.loads(output.stdout)["end"]
    assert answer.received_bits_per_second == end["sum_received"]["bits_per_second"] > 1e9
    assert answer.sent_bits_per_second == end["sum_sent"]["bits_per_second"]
    assert answer.retransmits == end["sum_sent"]["retransmits"]
    assert answer.max_congestion_window == end["streams"][0]["sender"]["max_snd_cwnd"]
    assert [offset for offset, _ in answer.series] == pytest.approx([1, 2, 3], abs=0.05)
    assert answer.loss_ratio is None
    assert answer.jitter_seconds is None


def test_eight_streams_are_one_answer(captured):
    answer = iperf3.parse(captured(TOOL, "tcp-8-streams"), replace(TCP, streams=8))
    assert answer.received_bits_per_second > 1e9
    with pytest.raises(ToolError, match="measured 8 streams, 1 were asked for"):
        iperf3.parse(captured(TOOL, "tcp-8-streams"), TCP)


def test_what_the_receiver_got_is_the_result(captured):
    answer = iperf3.parse(captured(TOOL, "tcp-with-retransmits"), TCP)
    received = json.loads(captured(TOOL, "tcp-with-retransmits").stdout)["end"]["sum_received"]
    assert answer.received_bits_per_second == received["bits_per_second"]
    assert answer.received_bits_per_second != answer.sent_bits_per_second
    assert answer.retransmits > 1000


def test_udp(captured):
    answer = iperf3.parse(captured(TOOL, "udp"), UDP)
    assert answer.received_bits_per_second == pytest.approx(100e6, rel=0.1)
    assert 0 < answer.jitter_seconds < 0.001
    assert answer.retransmits is None
    assert answer.max_congestion_window is None


def test_udp_loss(captured):
    answer = iperf3.parse(captured(TOOL, "udp-with-loss"), UDP)
    assert answer.loss_ratio == pytest.approx(0.05, abs=0.01)
    assert answer.received_bits_per_second < 0.97 * answer.sent_bits_per_second


def test_udp_over_eight_streams_keeps_the_rate_of_all(captured):
    answer = iperf3.parse(captured(TOOL, "udp-8-streams"), replace(UDP, streams=8))
    assert answer.sent_bits_per_second == pytest.approx(100e6, rel=0.1)


@pytest.mark.parametrize(
    ("name", "options", "complaint"),
    [
        ("refused", TCP, "Connection refused"),
        ("server-busy", TCP, "busy running a test"),
        ("server-killed", replace(TCP, seconds=20), "control socket has closed unexpectedly"),
        ("client-killed", replace(TCP, seconds=20), "ended with -9"),
        ("udp-setup-lost", UDP, "unable to "),
        ("udp-nothing-arrives", UDP, "nothing arrived"),
    ],
)
def test_a_failure_is_an_error(captured, name, options, complaint):
    with pytest.raises(ToolError, match=complaint):
        iperf3.parse(captured(TOOL, name), options)


def test_an_error_inside_the_json_counts_even_when_it_ends_with_0(captured):
    with pytest.raises(ToolError, match="Connection refused"):
        iperf3.parse(replace(captured(TOOL, "refused"), exit_code=0), TCP)


@pytest.mark.parametrize("share", [0.01, 0.3, 0.5, 0.9, 0.999])
def test_a_cut_answer_is_an_error(captured, share):
    whole = captured(TOOL, "tcp-8-streams")
    text = whole.stdout.rstrip()
    cut = replace(whole, stdout=text[: int(len(text) * share)])
    with pytest.raises(ToolError):
        iperf3.parse(cut, replace(TCP, streams=8))


def test_less_time_than_asked_for_is_an_error(captured):
    with pytest.raises(ToolError, match=r"measured 3\.0 s, 30 were asked for"):
        iperf3.parse(captured(TOOL, "tcp"), replace(TCP, seconds=30))


def test_the_command(captured):
    argv = iperf3.argv(replace(UDP, streams=8))
    assert argv[argv.index("--bitrate") + 1] == "12500000"
    assert argv[argv.index("--length") + 1] == "1400"
    assert "--udp" not in iperf3.argv(TCP)


def test_versions(captured):
    assert iperf3.parse_version(captured(TOOL, "version")) == "3.18"
    with pytest.raises(ToolError, match="too old"):
        iperf3.parse_version(CommandOutput("iperf 3.9 (cJSON 1.7.13)\n", "", 0, 0.0))
    with pytest.raises(ToolError, match="not found"):
        iperf3.parse_version(CommandOutput("", "iperf3: not found", 127, 0.0))


def test_a_probe_tells_whether_the_server_is_there(captured):
    assert iperf3.reached(captured(TOOL, "tcp"))
    assert not iperf3.reached(captured(TOOL, "refused"))
