"""Whether what iperf3 and qperf printed contradicts what was read from it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from core.bench.contradictions.figures import far, faults

if TYPE_CHECKING:
    from podmeter.drivers import iperf3 as iperf3_driver
    from podmeter.drivers import qperf as qperf_driver
    from podmeter.drivers.qperf_text import Reading


def iperf3(options: iperf3_driver.Options, text: str, answer: iperf3_driver.Answer) -> str:
    """Rates are bytes by seconds, sums those of their streams, and the test the one asked for."""
    document = json.loads(text)
    test, end = document["start"]["test_start"], document["end"]
    sent, received = end["sum_sent"], end["sum_received"]
    rate = 8 * received["bytes"] / received["seconds"]
    wrong = faults(
        received=far(answer.received_bits_per_second, rate),
        sent=far(answer.sent_bits_per_second, 8 * sent["bytes"] / sent["seconds"]),
        more=received["bytes"] > 1.02 * sent["bytes"],
        nothing=not (answer.received_bits_per_second > 0 and answer.seconds > 0),
        protocol=test["protocol"].lower() != options.protocol,
        streams=not options.streams == test["num_streams"] == len(end["streams"]),
        duration=test["duration"] != options.seconds or answer.seconds < 0.9 * options.seconds,
        series=_series_wrong(document, answer.sent_series),
    )
    if options.protocol == "tcp":
        sums = [stream["sender"] for stream in end["streams"]]
        window = max(stream["max_snd_cwnd"] for stream in sums)
        return wrong + faults(
            retransmits=answer.retransmits != sum(stream["retransmits"] for stream in sums),
            window=answer.max_congestion_window != window,
            bytes=sum(stream["bytes"] for stream in sums) != sent["bytes"],
        )
    loss = answer.loss_ratio
    jitters = [stream["udp"]["jitter_ms"] for stream in end["streams"]]
    return wrong + faults(
        loss=loss is None or not 0 <= loss <= 1 or far(loss, received["lost_percent"] / 100, 0.01),
        lost=answer.lost_datagrams != sum(one["udp"]["lost_packets"] for one in end["streams"]),
        jitter=far(answer.jitter_seconds or 0, sum(jitters) / len(jitters) / 1000),
        rate=test["target_bitrate"] * options.streams < options.udp_bits_per_second,
    )


def _series_wrong(document: Any, series: iperf3_driver.RateSeries) -> bool:
    sums = [interval["sum"] for interval in document["intervals"]]
    rates = {one["end"]: 8 * one["bytes"] / one["seconds"] for one in sums}
    return not series or any(far(rate, rates.get(end, -1.0)) for end, rate in series)


def iperf3_seen(text: str, series: iperf3_driver.RateSeries) -> str:
    """Its seconds are those of its own intervals."""
    return faults(series=_series_wrong(json.loads(text), series))


def cookie(text: str, answer: str | None) -> str:
    """The one in the text."""
    return faults(cookie=answer is not None and text.count(f'"{answer}"') < 1)


def _told(text: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """Each test of a text of qperf's, with the names of its lines and what they say."""
    found: list[tuple[str, list[tuple[str, str]]]] = []
    for line in text.strip("\n").split("\n"):
        name, equals, rest = line.partition(" = ")
        if equals:
            found[-1][1].append((name.strip(), rest.strip()))
        else:
            found.append((line.rstrip(":"), []))
    return found


def qperf(options: qperf_driver.Options, text: str, answer: qperf_driver.Answer) -> str:
    """Everything once, and rates, costs and latency from what was counted."""
    (test, lines), (_, conf) = _told(text)
    said = {name: float(rest.split(" ")[0]) for name, rest in lines}
    ends = ("loc", "rem") if test.endswith("_lat") else ("send", "recv")
    seconds = [said[f"{end}_real_time"] / 1e9 for end in ends]
    cpus = [said.get(f"{end}_cpus_used", 0.0) / 100 for end in ends]
    wrong = faults(
        twice=len(said) != len(lines) or len(dict(conf)) != len(conf),
        test=test != options.test or said["msg_size"] != options.message_bytes,
        port=said["port"] != options.data_port or said["time"] != options.seconds * 1e9,
        host=answer.server_host != dict(conf)["rem_node"],
        # Of a share of a hundredth of one CPU, a float keeps the last digit or not.
        cpus=far(answer.client_cpus or 0.0, cpus[0], 1e-12)
        or far(answer.server_cpus or 0.0, cpus[1], 1e-12),
        short=min(seconds) < 0.9 * options.seconds,
        errors="errors" in text,
    )
    if test.endswith("_lat"):
        messages = said["loc_recv_msgs"] + said["rem_recv_msgs"]
        return wrong + faults(
            latency=far(answer.latency_seconds or 0, seconds[0] / messages),
            rate=far(answer.messages_per_second, 2 * messages / sum(seconds)),
        )
    received, sent = said["recv_bytes"], said["send_bytes"]
    lost = max(0.0, 1 - said["recv_msgs"] / said["send_msgs"])
    return wrong + faults(
        received=far(answer.received_bits_per_second or 0, 8 * received / seconds[1]),
        sent=far(answer.sent_bits_per_second or 8 * sent / seconds[0], 8 * sent / seconds[0]),
        rate=far(answer.messages_per_second, said["recv_msgs"] / seconds[0]),
        bytes=answer.received_bytes != received,
        loss=test == "udp_bw" and far(answer.loss_ratio or 0, lost),
        cost=far(answer.send_seconds_per_byte or 0, said.get("send_cpu_time", 0) / 1e9 / sent),
        more=received > sent + options.message_bytes,
    )


_POWERS = {"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "thousand": 1e3, "million": 1e6}
_POWERS |= {"billion": 1e9, "trillion": 1e12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "%": 1e-2}


def qperf_pasted(text: str, answer: tuple[Reading, ...]) -> str:
    """Every figure is a number of the text times what its unit says."""
    told = _told(text)
    wrong = [[test for test, _ in told] != [one.test for one in answer]]
    for (_, lines), reading in zip(told, answer, strict=True):
        wrong.append(len(lines) != len(reading.figures) + len(reading.words))
        for name, rest in lines:
            if name in reading.words:
                wrong.append(reading.words[name] != rest)
                continue
            number, _, unit = rest.replace(",", "").partition(" ")
            unit, _, exact = unit.partition(" (")
            power = _POWERS.get(unit, _POWERS.get(unit[:2], _POWERS.get(unit[:1], 1.0)))
            power *= 1e-9 if unit.endswith("/GB") else 8 if re.search("[Bs]/sec|B/s", unit) else 1
            if unit in ("bits/sec", "/sec"):
                power = 1.0
            value = float(exact.rstrip(")")) if exact else float(number) * power
            wrong.append(far(reading.figures[name].value, value) and value != 0)
    return faults(figures=any(wrong))


def qperf_conf(text: str, answer: tuple[str, ...]) -> str:
    """Who answered, each time."""
    hosts = [dict(lines)["rem_node"] for _, lines in _told(text)]
    return faults(hosts=hosts != list(answer) or not all(answer))


def datagrams(text: str, answer: float) -> str:
    """No longer than the text, and ends before the counts that stay the same."""
    looks = [[float(word) for word in line.split(" ")] for line in text.split("\n")[:-2]]
    last = looks[-1][1]
    stood = [at for at, count in looks if count == last]
    return faults(
        longer=not 0 <= answer <= looks[-1][0] - looks[0][0] + 1e-9,
        stalled=answer > stood[0] - looks[0][0] + 1e-9,
        order=looks != sorted(looks) or not text.endswith("\nend\n"),
    )
