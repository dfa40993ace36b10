import json
import re
import subprocess
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
    assert [offset for offset, _ in answer.sent_series] == pytest.approx([1, 2, 3], abs=0.05)
    assert answer.loss_ratio is None
    assert answer.jitter_seconds is None


def test_eight_streams_are_one_answer(captured):
    answer = iperf3.parse(captured(TOOL, "tcp-8-streams"), replace(TCP, streams=8))
    assert answer.received_bits_per_second > 1e9
    with pytest.raises(ToolError, match="num_streams 8 instead of 1"):
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
    assert answer.loss_ratio == pytest.approx(0.05, abs=0.02)
    received = json.loads(captured(TOOL, "udp-with-loss").stdout)["end"]["sum_received"]
    assert answer.loss_ratio == pytest.approx(received["lost_percent"] / 100)
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
        ("client-killed", replace(TCP, seconds=20), "ended with exit code -9"),
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
    whole = captured(TOOL, "tcp")
    with pytest.raises(ToolError, match="duration 3 instead of 30"):
        iperf3.parse(whole, replace(TCP, seconds=30))
    asked = replace(whole, stdout=re.sub(r'("duration":\s*)3', r"\g<1>30", whole.stdout))
    with pytest.raises(ToolError, match=r"measured for 3\.0 s instead of 30 s"):
        iperf3.parse(asked, replace(TCP, seconds=30))


def test_the_command(captured):
    argv = iperf3.argv(replace(UDP, streams=8))
    assert argv[argv.index("--bitrate") + 1] == "12500000"
    assert argv[argv.index("--length") + 1] == "1400"
    assert not {"--udp", "--bitrate"} & set(iperf3.argv(TCP))
    paced = replace(TCP, streams=8, tcp_bits_per_second=100_000_000)
    argv = iperf3.argv(paced)
    assert argv[argv.index("--bitrate") + 1] == "12500000"
    assert "--udp" not in argv
    assert paced.offered_bits_per_second == 100_000_000


def test_a_rate_of_tcp_that_iperf3_did_not_take_is_an_error(captured):
    paced = replace(TCP, tcp_bits_per_second=100_000_000)
    with pytest.raises(ToolError, match="target_bitrate 0 instead of 100000000"):
        iperf3.parse(captured(TOOL, "tcp"), paced)
    answer = iperf3.parse(captured(TOOL, "tcp-paced"), paced)
    assert answer.received_bits_per_second == pytest.approx(1e8, rel=0.01)


def test_versions(captured):
    assert iperf3.parse_version(captured(TOOL, "version")) == "3.18"
    with pytest.raises(ToolError, match="too old"):
        iperf3.parse_version(CommandOutput("iperf 3.9 (cJSON 1.7.13)\n", "", 0, 0.0))
    with pytest.raises(ToolError, match="not found"):
        iperf3.parse_version(CommandOutput("", "iperf3: not found", 127, 0.0))


def test_a_probe_tells_whether_the_server_is_there(captured):
    answer = captured(TOOL, "tcp")
    assert iperf3.probed(answer) == json.loads(answer.stdout)["start"]["cookie"]
    assert iperf3.probed(captured(TOOL, "refused")) is None
    assert iperf3.probed(replace(captured(TOOL, "refused"), exit_code=0)) is None


ENDS = {
    "tcp": TCP,
    "tcp-8-streams": replace(TCP, streams=8),
    "tcp-with-retransmits": TCP,
    "udp": UDP,
    "udp-8-streams": replace(UDP, streams=8),
    "udp-with-loss": UDP,
}


@pytest.mark.parametrize("name", ENDS)
def test_the_receivers_own_seconds(captured, name):
    answer = iperf3.parse(captured(TOOL, name), ENDS[name])
    series = iperf3.parse_seen(captured(TOOL, f"{name}-seen"), ENDS[name], answer)
    assert [offset for offset, _ in series] == pytest.approx([1, 2, 3], abs=0.05)
    mean = sum(rate for _, rate in series) / 3
    assert mean == pytest.approx(answer.received_bits_per_second, rel=0.02)


def test_what_another_server_saw_is_not_this_run(captured):
    assert not iperf3.was_seen(captured(TOOL, "not-seen"))
    assert iperf3.was_seen(captured(TOOL, "tcp-seen"))
    answer = iperf3.parse(captured(TOOL, "tcp"), TCP)
    with pytest.raises(ToolError, match="cookie"):
        iperf3.parse_seen(captured(TOOL, "tcp-with-retransmits-seen"), TCP, answer)
    counted = replace(answer, received_bytes=answer.received_bytes * 2)
    with pytest.raises(ToolError, match=r"contradicts itself: end\.sum_received\.bytes"):
        iperf3.parse_seen(captured(TOOL, "tcp-seen"), TCP, counted)


def test_the_log_of_the_server_is_read_once_and_waited_for(tmp_path):
    """The last run, when it is whole, and then no more."""
    log = tmp_path / "log"
    *argv, cookie, seconds, _ = iperf3.seen_argv("mine", 1)
    argv = [*argv, cookie, seconds, str(log)]
    before, mine = '{\n\t"cookie":\t"other"\n}\n', '{\n\t"cookie":\t"mine"\n}\n'
    log.write_text(before + mine.removesuffix("}\n"))
    assert ran(argv).returncode == 3
    log.write_text(before + mine)
    assert ran(argv).stdout == mine
    assert log.read_text() == ""
    assert ran(argv).returncode == 3


def ran(argv):
    return subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)


def test_the_rate_that_was_offered():
    assert TCP.offered_bits_per_second is None
    assert replace(UDP, udp_bits_per_second=0).offered_bits_per_second is None
    assert UDP.offered_bits_per_second == 100_000_000
    # Each stream gets a whole number.
    assert replace(UDP, streams=3).offered_bits_per_second == 100_000_002


def changed(output, **values):
    """With other values at paths such as end__sum_received__bytes."""
    document = json.loads(output.stdout)
    for path, value in values.items():
        *way, last = path.split("__")
        at = document
        for name in way:
            at = at[int(name) if name.isdigit() else name]
        at[last] = value
    return replace(output, stdout=json.dumps(document))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("end", None),
        ("end", []),
        ("end__streams", {}),
        ("end__streams", [7]),
        ("end__streams__0__sender", None),
        ("end__sum_received", []),
        ("end__sum_sent", "gone"),
        ("end__sum_received__bytes", -1),
        ("end__sum_received__bytes", 10**400),
        ("end__sum_received__bits_per_second", True),
        ("end__sum_received__bits_per_second", 1.0),
        ("end__sum_sent__retransmits", None),
        ("end__sum_sent__retransmits", 1.5),
        ("end__sum_sent__retransmits", 10**9),
        ("end__streams__0__sender__max_snd_cwnd", 1),
        ("intervals", None),
        ("intervals", [None]),
        ("intervals", []),
        ("intervals__1__sum__bits_per_second", 5),
        ("intervals__1__sum__end", 99),
        ("start", None),
        ("start__cookie", 7),
        ("start__test_start__protocol", "UDP"),
        ("start__test_start__reverse", 1),
        ("start__test_start__num_streams", 2),
        ("error", {"not": "text"}),
    ],
)
def test_another_shape_or_a_figure_that_the_rest_contradicts_is_an_error(captured, path, value):
    with pytest.raises(ToolError):
        iperf3.parse(changed(captured(TOOL, "tcp"), **{path: value}), TCP)


UNCOUNTED = {"tcp-late": replace(TCP, seconds=2), "tcp-uncounted": replace(TCP, seconds=1)}


@pytest.mark.parametrize("name", UNCOUNTED)
def test_what_no_interval_counts_is_no_contradiction(captured, name):
    """Where iperf3 waited for a CPU between reading an interval's count and setting it to 0."""
    answer = iperf3.parse(captured(TOOL, name), UNCOUNTED[name])
    output = captured(TOOL, f"{name}-seen")
    counted = sum(one["sum"]["bytes"] for one in json.loads(output.stdout)["intervals"])
    assert counted < 0.99 * answer.received_bytes
    series = iperf3.parse_seen(output, UNCOUNTED[name], answer)
    assert [end for end, _ in series] == pytest.approx(range(1, len(series) + 1), abs=0.02)


@pytest.mark.parametrize(
    ("lost", "complaint"), [("an interval", "intervals' end"), ("its bytes", "intervals' bytes")]
)
def test_no_more_than_such_a_wait_is_left_out_of_intervals(captured, lost, complaint):
    options = UNCOUNTED["tcp-late"]
    answer = iperf3.parse(captured(TOOL, "tcp-late"), options)
    output = captured(TOOL, "tcp-late-seen")
    first, last = json.loads(output.stdout)["intervals"]
    if lost == "its bytes":
        fewer = round(last["sum"]["bytes"] * 0.91)
        rate = fewer * 8 / last["sum"]["seconds"]
        last["sum"] |= {"bytes": fewer, "bits_per_second": rate}
        last["streams"][0] |= {"bytes": fewer, "bits_per_second": rate}
    kept = [first] if lost == "an interval" else [first, last]
    with pytest.raises(ToolError, match=complaint):
        iperf3.parse_seen(changed(output, intervals=kept), options, answer)


def test_udp_cannot_lose_more_than_was_sent(captured):
    """655 % once."""
    output = captured(TOOL, "udp-with-loss")
    received = json.loads(output.stdout)["end"]["sum_received"]
    lost = round(6.55 * received["packets"])
    figures = {"lost_packets": lost, "lost_percent": 655.0}
    whole = {f"end__sum_received__{name}": value for name, value in figures.items()}
    stream = {f"end__streams__0__udp__{name}": value for name, value in figures.items()}
    with pytest.raises(ToolError, match="contradicts itself"):
        iperf3.parse(changed(output, **whole, **stream), UDP)


@pytest.mark.parametrize("name", ["jitter_ms", "lost_packets", "packets", "bytes"])
def test_udp_figures_of_the_whole_are_those_of_the_streams(captured, name):
    output = captured(TOOL, "udp-8-streams")
    value = json.loads(output.stdout)["end"]["sum_received"][name]
    with pytest.raises(ToolError, match="contradicts itself"):
        iperf3.parse(
            changed(output, **{f"end__sum_received__{name}": value * 2 + 100}),
            replace(UDP, streams=8),
        )


@pytest.mark.parametrize("text", ["[" * 100_000, "NaN", "[]", "{} {}", '{"end": 1e999}'])
def test_what_is_no_json_object_is_an_error(text):
    for parser in (lambda given: iperf3.parse(given, TCP), iperf3.probed):
        with pytest.raises(ToolError):
            parser(CommandOutput(text, "", 0, 3.0))


def test_a_field_that_is_named_twice_is_an_error(captured):
    whole = captured(TOOL, "tcp")
    twice = whole.stdout.replace('"sum_received":', '"sum_sent":', 1)
    with pytest.raises(ToolError, match="incomplete JSON"):
        iperf3.parse(replace(whole, stdout=twice), TCP)
