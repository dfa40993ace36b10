"""Commands above outputs: which of their words are a tool's own."""

import pytest

from podmeter.drivers.pasted.commands import Arguments
from podmeter.drivers.pasted.read import read

from .pasted import refused, text

NODES = text("articles/003-nodes")


@pytest.mark.parametrize(
    ("command", "tool", "names", "value"),
    [
        ("ab -kc 100 -n 10 http://svc/ | grep -c 7", "ab", ("-c",), "100"),
        ("timeout -k 5 60 ab -n 10 http://svc/", "ab", ("-k",), None),
        ("ab -H '-k: x' -n 10 http://svc/", "ab", ("-k",), None),
        ("kubectl exec -ti c -- iperf -c h -t 60", "iperf", ("-t", "--time"), "60"),
        ("kubectl exec iperf3 -t -- iperf3 -c iperf3 -P8", "iperf3", ("-P", "--parallel"), "8"),
        ("docker exec -u 0 c iperf3 -c h", "iperf3", ("-u", "--udp"), None),
        ("taskset -c 2 hey -n 10 -c 50 http://svc/", "hey", ("-c",), "50"),
        ("vegeta attack --rate=0 -duration=5s", "vegeta", ("-rate",), "0"),
        ('sh -c "ab -c 5 http://svc/ | tail -c 9"', "ab", ("-c",), "5"),
        ("iperf3 -c h -P 8; iperf3 -c h", "iperf3", ("-P", "--parallel"), None),
        ("iperf3 -c h -P 8 2>&1 | tee -P log", "iperf3", ("-P", "--parallel"), "8"),
    ],
)
def test_an_option_is_read_of_the_tools_own_words(command, tool, names, value):
    assert Arguments.of(command, tool).option(*names) == value


def test_flags_are_known_where_all_calls_agree():
    assert Arguments.of("ab -kc 100 http://svc/", "ab").flag("-k") is True
    assert Arguments.of("timeout -k 5 60 ab http://svc/", "ab").flag("-k") is False
    assert Arguments.of("./bench.sh", "ab").flag("-k") is None
    hey = Arguments.of("hey --disable-keepalive http://svc/", "hey")
    assert hey.flag("-disable-keepalive") is True
    assert Arguments.of("iperf3 -c h; iperf3 -c h -R", "iperf3").flag("-R") is None


def test_the_options_of_sudo_say_nothing_of_iperf3():
    (output,) = read(NODES.replace("iperf3 -c", "sudo -u bench iperf3 -c")).outputs
    assert output.point["protocol"] == "tcp"


def test_what_an_output_says_of_its_direction_wins_over_the_command():
    (output,) = read(NODES.replace("-f M", "-f M -R")).outputs
    assert "data_flow" not in output.point


def test_a_command_says_nothing_of_what_is_below_another_title():
    report = NODES[NODES.index("Connecting") :].replace("32930", "32931")
    first, second = read(f"{NODES}\n=== b ===\n{report}").outputs
    assert first.command
    assert second.command == ""


@pytest.mark.parametrize(
    ("command", "line"),
    [("--sctp -c", ""), ("-c", "Starting Test: protocol: SCTP, 1 streams, 65536 byte blocks\n")],
)
def test_a_protocol_that_is_not_supported_is_never_filed_as_tcp(command, line):
    pasted = NODES.replace("iperf3 -c", f"iperf3 {command}")
    error = refused(pasted.replace("[  5]   0.00-1.00", f"{line}[  5]   0.00-1.00", 1))
    assert error.why.code == "paste_protocol"


@pytest.mark.parametrize("title", ["IPVS", "TCP", "VXLAN"])
def test_a_title_in_capitals_is_a_title(title):
    assert len(read(f"=== {title} ===\n{NODES}").outputs) == 1


def test_reports_of_vegeta_are_steps_of_one_run_where_its_command_asked_for_them():
    first, second = (
        f"Requests [total, rate, throughput] {count}, 100.00, 100.00\n"
        f"Duration [total, attack, wait] {seconds}s, {seconds}s, 1ms\n"
        f"Latencies [min, mean, 50, 90, 95, 99, max] {least}ms, 2ms, 2ms, 3ms, 3ms, 4ms, {most}ms\n"
        f"Success [ratio] 100.00%\nStatus Codes [code:count] 200:{count}\nError Set:\n"
        for count, seconds, least, most in ((1000, 10, 1.25, 20), (3000, 30, 1.5, 25))
    )
    assert len(read(first + second).outputs) == 2
    attack = "$ vegeta attack -rate=100 -duration=30s | vegeta report"
    assert len(read(f"{attack}\n{first}{second}").outputs) == 2
    assert len(read(f"{attack} -every=10s\n{first}{second}").outputs) == 1
