"""qperf's own words, of the version that the articles ran and of Debian's."""

from dataclasses import replace

import pytest

from podmeter.domain.errors import ToolError
from podmeter.domain.ports import CommandOutput
from podmeter.drivers import datagrams, qperf, qperf_text

VERSIONS = ("0.4.9", "0.4.11")
SIZES = {"tcp_bw": 65536, "tcp_lat": 1, "udp_bw": 32768, "udp_lat": 1}

#: As the third article prints them; qperf 0.4.9 of 2017.
ARTICLE = """\
tcp_bw:
    bw              =   331 MB/sec
    msg_rate        =  5.05 K/sec
    port            =  4,001
    send_cost       =   451 ms/GB
    recv_cost       =  2.05 sec/GB
    send_cpus_used  =    15 % cpus
    recv_cpus_used  =    68 % cpus
tcp_lat:
    latency        =   125 us
    msg_rate       =  7.99 K/sec
udp_bw:
    send_bw         =  2.43 GB/sec
    recv_bw         =  7.83 MB/sec
    msg_rate        =    239 /sec
    recv_cost       =  69.6 sec/GB
conf:
    loc_node   =  kube-minion-2
    loc_cpu    =  Intel Xeon E5-2650L v3 @ 1.80GHz
    rem_node   =  kube-minion-1
    rem_qperf  =  0.4.9
"""


def options(test, **changed):
    seconds = 2 if test == "udp_lat" else 1
    return replace(qperf.Options("10.99.0.2", 4000, 4001, test, SIZES[test], seconds), **changed)


def said(text):
    return CommandOutput(text, "", 0, 1.0)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("test", SIZES)
def test_a_captured_test_is_read(captured, version, test):
    output = captured(f"qperf-{version}", test)
    answer = qperf.parse(output, options(test))
    lines = dict(line.split("=") for line in output.stdout.split("\n") if "=" in line)
    told = {name.strip(): rest.split()[0] for name, rest in lines.items()}
    assert answer.messages_per_second == float(told["msg_rate"])
    assert answer.server_host == told["rem_node"]
    if test.endswith("_lat"):
        assert answer.latency_seconds == pytest.approx(float(told["latency"]) / 1e9)
        assert answer.client_cpus == float(told["loc_cpus_used"]) / 100
        assert (answer.received_bits_per_second, answer.loss_ratio) == (None, None)
        return
    received = float(told["recv_bw" if test == "udp_bw" else "bw"])
    assert answer.received_bits_per_second == 8 * received
    assert answer.received_bytes == int(told["recv_bytes"])
    assert answer.send_seconds_per_byte == pytest.approx(float(told["send_cost"]) / 1e18)
    assert answer.server_cpus == float(told["recv_cpus_used"]) / 100
    if test == "udp_bw":
        assert answer.sent_bits_per_second == 8 * float(told["send_bw"])
        lost = 1 - int(told["recv_msgs"]) / int(told["send_msgs"])
        assert answer.loss_ratio == pytest.approx(lost)
    else:
        assert (answer.sent_bits_per_second, answer.loss_ratio) == (None, None)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "name", ["pasted", "pasted-bare", "pasted-bits", "pasted-verbose", "pasted-unified"]
)
def test_what_people_paste_is_read_in_any_of_its_units(captured, version, name):
    found = qperf_text.read(captured(f"qperf-{version}", name).stdout)
    assert [one.test for one in found] == [*SIZES, "conf"]
    assert found[-1].word("rem_qperf") == version
    bandwidth, latency = found[0].needed("bw"), found[1].needed("latency")
    assert 1e7 < bandwidth.value < 1e12
    assert 1e-7 < latency.value < 1e-2
    # Three digits are printed, so it is known to half of the last of them.
    assert 0 < bandwidth.slack <= 0.005 * bandwidth.value


def test_one_run_says_the_same_in_bits_as_in_bytes(captured):
    """Sizes that are whole multiples of 1024 are written in both."""
    found = qperf_text.read(captured("qperf-0.4.11", "pasted-verbose").stdout)[0]
    assert found.needed("msg_size") == qperf_text.Printed(4096, 0)
    moved = found.needed("bw").value / 8 * found.needed("send_real_time").value
    assert moved == pytest.approx(found.needed("recv_bytes").value, rel=0.01)
    assert found.count("recv_msgs") * 4096 == pytest.approx(moved, rel=0.01)


def test_the_articles_block_gives_its_figures():
    tcp, latency, udp, conf = qperf_text.read(ARTICLE)
    assert tcp.value("bw") == 331e6 * 8
    assert tcp.value("msg_rate") == 5050
    assert tcp.value("port") == 4001
    assert tcp.value("send_cost") == pytest.approx(451e-3 / 1e9)
    assert tcp.value("recv_cost") == pytest.approx(2.05 / 1e9)
    assert (tcp.value("send_cpus_used"), tcp.value("recv_cpus_used")) == (0.15, 0.68)
    assert latency.value("latency") == pytest.approx(125e-6)
    assert udp.value("send_bw") == 2.43e9 * 8
    assert udp.value("recv_bw") == 7.83e6 * 8
    assert udp.value("msg_rate") == 239
    assert (conf.word("rem_node"), conf.word("rem_qperf")) == ("kube-minion-1", "0.4.9")


@pytest.mark.parametrize(
    ("unit", "base"),
    [
        *(("bytes/sec", 8), ("KB/sec", 8e3), ("MB/sec", 8e6), ("GB/sec", 8e9), ("TB/sec", 8e12)),
        *(("bits/sec", 1), ("Kb/sec", 1e3), ("Mb/sec", 1e6), ("Gb/sec", 1e9), ("Tb/sec", 1e12)),
    ],
)
def test_every_unit_of_bandwidth(unit, base):
    (found,) = qperf_text.read(f"tcp_bw:\n    bw  =  7 {unit}\n")
    assert found.value("bw") == 7 * base


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("latency  =  7 ns", "latency", 7e-9),
        ("latency  =  7 us", "latency", 7e-6),
        ("latency  =  7 ms", "latency", 7e-3),
        ("latency  =  7 sec", "latency", 7.0),
        ("msg_rate  =  7 /sec", "msg_rate", 7.0),
        ("msg_rate  =  7 K/sec", "msg_rate", 7e3),
        ("msg_rate  =  7 M/sec", "msg_rate", 7e6),
        ("msg_rate  =  7 G/sec", "msg_rate", 7e9),
        ("msg_rate  =  7 T/sec", "msg_rate", 7e12),
        ("send_cost  =  7 ns/GB", "send_cost", 7e-18),
        ("send_cost  =  7 us/GB", "send_cost", 7e-15),
        ("send_cost  =  7 ms/GB", "send_cost", 7e-12),
        ("send_cost  =  7 sec/GB", "send_cost", 7e-9),
        ("loc_cpus_used  =  250 % cpus", "loc_cpus_used", 2.5),
        ("send_msgs  =  123,456 ", "send_msgs", 123456),
        ("send_msgs  =  1.5 million", "send_msgs", 1.5e6),
        ("send_msgs  =  1.5 billion", "send_msgs", 1.5e9),
        ("send_msgs  =  1.5 trillion", "send_msgs", 1.5e12),
        ("msg_size  =  100 bytes", "msg_size", 100),
        ("msg_size  =  1.5 KB", "msg_size", 1500),
        ("msg_size  =  64 KiB (65,536)", "msg_size", 65536),
        ("msg_size  =  3 MiB (3,145,728)", "msg_size", 3 * 2**20),
        ("recv_bytes  =  2 GB", "recv_bytes", 2e9),
        ("recv_bytes  =  2 TiB (2,199,023,255,552)", "recv_bytes", 2 * 2**40),
    ],
)
def test_every_other_unit_that_its_source_has(line, name, value):
    (found,) = qperf_text.read(f"tcp_lat:\n    {line}\n")
    assert found.value(name) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    "line",
    [
        "bw  =  7 MBytes/sec",
        "bw  =  7 us",
        "bw  =  7",
        "bw  =  7MB/sec",
        "bw  =  1,5 MB/sec",
        "bw  =  -7 MB/sec",
        "latency  =  7 /sec",
        "send_cpus_used  =  7",
        "send_msgs  =  7 % cpus",
        "msg_size  =  64 KiB (65,535)",
        "msg_size  =  64 KiB",
        "msg_size  =  64 KB (64,000)",
        "speed  =  7 MB/sec",
        "warning: obsolete option",
        # Neither the name nor the unit is one of its own.
        "msg_rat  =  27.1 K/",
        "se  =  2.28 sec/G",
    ],
)
def test_what_qperf_does_not_print_is_refused(line):
    with pytest.raises(ToolError):
        qperf_text.read(f"tcp_bw:\n    {line}\n")


def test_a_figure_that_is_there_twice_is_refused():
    with pytest.raises(ToolError):
        qperf_text.read("tcp_bw:\n    bw  =  7 MB/sec\n    bw  =  7 MB/sec\n")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("name", "test", "message"),
    [
        ("refused", "tcp_bw", "failed to connect"),
        ("data-refused", "tcp_bw", "could not make TCP connection to server"),
        ("server-killed", "tcp_bw", "server not responding"),
        ("udp-nothing-arrives", "udp_bw", "nothing arrived"),
        ("udp-no-answer", "udp_lat", "nothing arrived"),
    ],
)
def test_a_failure_is_an_error_in_qperfs_words(captured, version, name, test, message):
    with pytest.raises(ToolError, match=message):
        qperf.parse(captured(f"qperf-{version}", name), options(test, seconds=1))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"message_bytes": 1000}, "msg_size"),
        ({"data_port": 4002}, "port"),
        ({"seconds": 2}, "time"),
    ],
)
def test_another_run_than_was_asked_for_is_refused(captured, changed, message):
    with pytest.raises(ToolError, match=message):
        qperf.parse(captured("qperf-0.4.11", "tcp_bw"), options("tcp_bw", **changed))


def test_another_test_than_was_asked_for_is_refused(captured):
    with pytest.raises(ToolError, match="tests"):
        qperf.parse(captured("qperf-0.4.11", "tcp_bw"), options("tcp_lat"))


@pytest.mark.parametrize(
    ("test", "name", "message"),
    [
        ("tcp_bw", "bw", "bandwidth"),
        ("tcp_bw", "msg_rate", "msg_rate"),
        ("tcp_bw", "send_cost", "send_cost"),
        ("tcp_bw", "recv_cpus_used", "recv_cpus_used"),
        ("tcp_bw", "recv_bytes", "recv_bytes"),
        ("udp_bw", "send_bw", "send_bw"),
        ("udp_bw", "send_msgs", "send_bytes"),
        ("tcp_lat", "latency", "latency"),
        ("udp_lat", "rem_recv_msgs", "rem_recv_bytes"),
        ("udp_lat", "loc_real_time", "latency"),
    ],
)
def test_figures_that_contradict_each_other_are_refused(captured, test, name, message):
    output = captured("qperf-0.4.11", test)
    (line,) = (one for one in output.stdout.split("\n") if one.split()[:1] == [name])
    number = next(word for word in line.split() if word[0].isdigit())
    wrong = line.replace(number, str(int(float(number) * 1.01) + 1))
    with pytest.raises(ToolError, match=message):
        qperf.parse(replace(output, stdout=output.stdout.replace(line, wrong)), options(test))


def test_errors_of_a_socket_are_refused(captured):
    output = captured("qperf-0.4.11", "udp_bw")
    line = next(one for one in output.stdout.split("\n") if "send_bytes" in one)
    told = output.stdout.replace(line, f"    send_errors       =  12 \n{line}")
    with pytest.raises(ToolError, match="send_errors 12"):
        qperf.parse(replace(output, stdout=told), options("udp_bw"))


def test_costs_and_cpu_that_were_too_little_to_count_are_not_known(captured):
    """qperf leaves out what is 0."""
    output = captured("qperf-0.4.11", "tcp_bw")
    kept = [one for one in output.stdout.split("\n") if "send_c" not in one]
    answer = qperf.parse(replace(output, stdout="\n".join(kept)), options("tcp_bw"))
    assert (answer.client_cpus, answer.send_seconds_per_byte) == (None, None)
    assert answer.server_cpus


def test_who_answered_each_connection(captured):
    output = captured("qperf-0.4.11", "conf")
    assert len(qperf.parse_conf(output, 3)) == 3
    with pytest.raises(ToolError):
        qperf.parse_conf(output, 4)
    assert qperf.answered(captured("qperf-0.4.11", "refused")) is None


@pytest.mark.parametrize("version", VERSIONS)
def test_the_version(captured, version):
    assert qperf.TOOL.parse_version(captured(f"qperf-{version}", "version")) == version
    with pytest.raises(ToolError):
        qperf.TOOL.parse_version(said("bash: qperf: command not found\n"))


def test_the_server_tells_its_name_if_it_listens():
    assert qperf.parse_identity(said("pm-ab12cd-server\n")) == "pm-ab12cd-server"
    assert qperf.parse_identity(CommandOutput("", "", 3, 0.1)) is None
    with pytest.raises(ToolError):
        qperf.parse_identity(said("\n"))


def test_datagrams_that_stop_half_way_are_seen(captured):
    """qperf itself gives the whole time by what came until then, as if nothing had happened."""
    lost = captured("qperf-0.4.11", "udp_lat-lost")
    assert qperf.parse(lost, options("udp_lat")).latency_seconds > 0
    assert datagrams.parse_watch(captured("proc-6.18", "datagrams")) > 1.9
    assert datagrams.parse_watch(captured("proc-6.18", "datagrams-lost")) < 1.7


def test_a_node_that_is_looked_at_late_is_not_taken_for_one_that_stopped():
    """A busy node's looks lie apart: between two of them there is then as much more."""
    looks = [(1.0, 0), (1.05, 500), (2.5, 15_000), (2.55, 15_500), (3.0, 20_000), (3.05, 20_000)]
    text = "".join(f"{at:.2f} {count}\n" for at, count in looks) + "end\n"
    assert datagrams.parse_watch(said(text)) == pytest.approx(2.0)


@pytest.mark.parametrize(
    "text", ["", "end\n", "1.00 5\nend\n", "1.00 5\n1.05 4\nend\n", "1.00 5\n1.05 6\n"]
)
def test_a_cut_watch_is_refused(text):
    with pytest.raises(ToolError):
        datagrams.parse_watch(said(text))


def test_a_pod_that_sends_nothing_was_silent_all_the_time():
    assert datagrams.parse_watch(said("1.00 5\n1.05 5\nend\n")) == 0
