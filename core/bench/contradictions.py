"""Whether a text contradicts what a parser made of it, by other means than the parser's own.

Each function takes the text and the parser's answer and gives what is wrong, or nothing. They read
with `split`, `float` and Python's plain JSON, and look for the figures by what they mean.
"""

from __future__ import annotations

import base64
import json
import math
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput
    from podmeter.drivers import ab as ab_driver
    from podmeter.drivers import curl as curl_driver
    from podmeter.drivers import iperf3 as iperf3_driver
    from podmeter.drivers import proc
    from podmeter.drivers import qperf as qperf_driver
    from podmeter.drivers import service_watch as watch_driver
    from podmeter.drivers import timed as timed_driver
    from podmeter.drivers import vegeta as vegeta_driver
    from podmeter.drivers.netfilter.change import Change
    from podmeter.drivers.netfilter.iptables import ChainState
    from podmeter.drivers.netfilter.nft import MapState
    from podmeter.drivers.netfilter.policies import PolicyRules
    from podmeter.drivers.qperf_text import Reading
    from podmeter.drivers.route import Way


def far(one: float, other: float, share: float = 1e-4) -> bool:
    """Whether two figures that are to be one are not, or are none at all."""
    if not (math.isfinite(one) and math.isfinite(other)):
        return True
    return abs(one - other) > share * max(abs(one), abs(other))


def _wrong(**checks: bool) -> str:
    return ", ".join(name for name, is_wrong in checks.items() if is_wrong)


def iperf3(options: iperf3_driver.Options, text: str, answer: iperf3_driver.Answer) -> str:
    """Rates are bytes by seconds, sums those of their streams, and the test the one asked for."""
    document = json.loads(text)
    test, end = document["start"]["test_start"], document["end"]
    sent, received = end["sum_sent"], end["sum_received"]
    rate = 8 * received["bytes"] / received["seconds"]
    wrong = _wrong(
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
        return wrong + _wrong(
            retransmits=answer.retransmits != sum(stream["retransmits"] for stream in sums),
            window=answer.max_congestion_window != window,
            bytes=sum(stream["bytes"] for stream in sums) != sent["bytes"],
        )
    loss = answer.loss_ratio
    jitters = [stream["udp"]["jitter_ms"] for stream in end["streams"]]
    return wrong + _wrong(
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
    return _wrong(series=_series_wrong(json.loads(text), series))


def cookie(text: str, answer: str | None) -> str:
    """The one that the text has."""
    return _wrong(cookie=answer is not None and text.count(f'"{answer}"') < 1)


def ab(options: ab_driver.Options, text: str, answer: ab_driver.Answer) -> str:
    """Every label once, requests by time the rate, and all of it as asked."""
    labelled: dict[str, list[str]] = {}
    for line in text.split("\n"):
        label, _, rest = line.partition(":")
        labelled.setdefault(label, []).append(rest.split("(")[0].split("[")[0].strip())
    said = {label: values[0].split(" ")[0] for label, values in labelled.items()}
    seconds, rate = float(said["Time taken for tests"]), float(said["Requests per second"])
    # A time is told in thousandths of a second, of which a short run has few.
    slack = 0.0006 / seconds
    return _wrong(
        twice=any(len(labelled[label]) > 1 for label in ("Requests per second", "Document Length")),
        rate=answer.requests_per_second != rate or far(rate, options.requests / seconds, slack),
        seconds=answer.seconds != seconds,
        mean=far(answer.mean_seconds, options.concurrency / rate, 0.0006 / answer.mean_seconds),
        count=float(said["Complete requests"]) != options.requests,
        failed=float(said["Failed requests"]) != 0,
        length=answer.document_bytes != options.document_bytes,
        bodies=float(said["HTML transferred"]) < options.requests * options.document_bytes,
        descending=list(answer.percentiles) != sorted(answer.percentiles),
    )


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
    wrong = _wrong(
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
        return wrong + _wrong(
            latency=far(answer.latency_seconds or 0, seconds[0] / messages),
            rate=far(answer.messages_per_second, 2 * messages / sum(seconds)),
        )
    received, sent = said["recv_bytes"], said["send_bytes"]
    lost = max(0.0, 1 - said["recv_msgs"] / said["send_msgs"])
    return wrong + _wrong(
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
    return _wrong(figures=any(wrong))


def qperf_conf(text: str, answer: tuple[str, ...]) -> str:
    """Who answered, each time."""
    hosts = [dict(lines)["rem_node"] for _, lines in _told(text)]
    return _wrong(hosts=hosts != list(answer) or not all(answer))


def datagrams(text: str, answer: float) -> str:
    """No longer than the text, and ends before the counts that stay the same."""
    looks = [[float(word) for word in line.split(" ")] for line in text.split("\n")[:-2]]
    last = looks[-1][1]
    stood = [at for at, count in looks if count == last]
    return _wrong(
        longer=not 0 <= answer <= looks[-1][0] - looks[0][0] + 1e-9,
        stalled=answer > stood[0] - looks[0][0] + 1e-9,
        order=looks != sorted(looks) or not text.endswith("\nend\n"),
    )


def service_watch(text: str, answer: watch_driver.Watched) -> str:
    """Every line's times are there once, in order within each Service, between begin and end."""
    lines = [line.split(" ") for line in text.split("\n")[:-2]]
    heads = {name: float(value) for name, value in lines[:4]}
    looks = [line for line in lines if line[0] in ("ok", "fail")]
    told = [one for stretches in answer.services for one in stretches]
    times = [[time for one in found for time in (one.first, one.last)] for found in answer.services]
    return _wrong(
        heads=heads
        != {"begin": answer.begin, "asked": answer.asked, "ended": answer.ended, "gap": answer.gap},
        looks=[(one.works, one.first, one.last, one.looks) for one in told]
        != [(word == "ok", float(a), float(b), int(count)) for word, a, b, count in looks],
        order=any(one != sorted(one) for one in times),
        outside=any(not answer.begin <= t <= answer.ended for one in times for t in one),
        end=not text.endswith("\nend\n"),
    )


def _runs(text: str) -> list[list[str]]:
    return [line.split(" ") for line in text.split("\n") if re.match("run [0-9]", line)]


def curl(options: curl_driver.Options, text: str, answer: tuple[curl_driver.Request, ...]) -> str:
    """Phases ascend within the process's own time; every answer was 2xx and as long as it must be;
    the first is left out where it does not count.
    """
    left_out = options.made - options.requests
    runs = _runs(text)[left_out:]
    said = [json.loads(line) for line in text.split("\n") if line.startswith("{")][left_out:]
    figures = list(zip(answer, runs, said, strict=True))
    return _wrong(
        order=any(
            not 0 <= one.namelookup <= one.connect <= one.pretransfer
            or not one.pretransfer <= one.starttransfer <= one.total <= one.process
            for one in answer
        ),
        size=any(told["size"] != options.body_bytes for _, _, told in figures),
        who=any((one.address, one.server) != (t["address"], t["server"]) for one, _, t in figures),
        process=any(one.process != float(run[2]) or int(run[1]) != 0 for one, run, _ in figures),
        total=any(one.total != told["time_total"] for one, _, told in figures),
        status=any(not 200 <= told["http_code"] < 300 for _, _, told in figures),
        none=any(not (one.total > 0 and math.isfinite(one.process)) for one in answer),
    )


def waited(text: str, answer: float | None) -> str:
    """The microseconds of the text, unless the first attempt was answered."""
    vain, microseconds, _ = text.split(" ")
    expected = int(microseconds) / 1e6 if int(vain) else None
    return _wrong(seconds=answer != expected)


def silent(text: str, answer: curl_driver.Silence) -> str:
    """The microseconds of the text; nothing was answered later than it was silent."""
    answered, since, last, _ = text.split(" ")
    expected = int(last) / 1e6 if int(answered) else None
    return _wrong(
        since=answer.since != int(since) / 1e6,
        answered=answer.answered != expected,
        order=int(last) < int(since),
    )


def timed(text: str, answer: tuple[timed_driver.Timing, ...]) -> str:
    """As many as the text has, each with its seconds."""
    runs = _runs(text)
    if len(runs) != len(answer):
        return "count"
    pairs = list(zip(answer, runs, strict=True))
    return _wrong(
        seconds=any(one.seconds != float(run[2]) or one.seconds <= 0 for one, run in pairs),
        length=any(len(one.stdout.encode()) != int(run[4]) for one, run in pairs),
    )


def changes(text: str, answer: tuple[Change, ...]) -> str:
    """Every command ended with 0, and took the time that the text has."""
    runs = _runs(text)
    told = [seconds for one in answer for seconds in (one.add, one.delete)]
    return _wrong(
        failed=any(int(run[1]) != 0 for run in runs),
        seconds=told != [float(run[2]) for run in runs],
        lock=any(wait < 0 for one in answer for wait in one.lock_waits),
    )


def bundle(text: str, answer: tuple[CommandOutput, ...]) -> str:
    """Every output is in the text, as long as its frame says."""
    frames = [f"ran {one.exit_code} {len(one.stdout.encode())}\n{one.stdout}\n" for one in answer]
    return _wrong(text="".join(frames) + "end\n" != text)


def samples(text: str, answer: tuple[proc.Sample, ...]) -> str:
    """One a line; shares and memory are within what there is."""
    from podmeter.drivers.proc import cpu_ratio, stolen_ratio

    first, last = answer[0], answer[-1]
    shares = [ratio(first, last) for ratio in (cpu_ratio, stolen_ratio)]
    ticks = [[int(word) for word in line.split()[4:12]] for line in text.split("\n")[: len(answer)]]
    busy = [sum(one[:3]) + one[5] + one[6] for one in ticks]
    return _wrong(
        count=len(answer) != len(text.split("\n")) - 2,
        share=any(share is not None and not 0 <= share <= 1 for share in shares),
        memory=any(not 0 <= one.memory_used <= one.memory_total for one in answer),
        busy=busy != [one.cpu.busy for one in answer] or busy != sorted(busy),
        steal=[one[7] for one in ticks] != [one.cpu.steal for one in answer],
    )


def counters(text: str, answer: proc.Counters) -> str:
    """Every counter is the sum of its column, or the value below its name."""
    files = dict(re.findall(r"== (\S+)\n((?:(?!== ).*\n)*)", text))
    tables = {
        path: [line.split() for line in body.split("\n") if line.strip()]
        for path, body in files.items()
    }
    told = dict(answer.drops)
    wrong = [
        told[f"conntrack.{column[0]}"] != sum(int(count, 16) for count in column[1:])
        for column in zip(*tables.get("/proc/net/stat/nf_conntrack", []), strict=True)
        if f"conntrack.{column[0]}" in told
    ]
    netstat = [row for row in tables.get("/proc/net/netstat", []) if row[0] == "TcpExt:"]
    wrong += [
        told[f"tcp.{name}"] != int(count)
        for name, count in (zip(*netstat, strict=True) if netstat else ())
        if f"tcp.{name}" in told
    ]
    if "softnet.dropped" in told:
        rows = tables["/proc/net/softnet_stat"]
        wrong.append(told["softnet.dropped"] != sum(int(row[1], 16) for row in rows))
    snmp = [row for row in tables["/proc/net/snmp"] if row[0] == "Tcp:"]
    accepted = dict(zip(*snmp, strict=True))["PassiveOpens"]
    return _wrong(
        drops=any(wrong),
        accepted=answer.accepted != int(accepted) or answer.accepted < 0,
        unseen=any(name.partition(".")[0] in answer.unseen for name in told),
        headers=text.count("== /proc/net/snmp") != 1,
    )


def forgotten(text: str, answer: int) -> str:
    """The one number before these words."""
    return _wrong(count=[int(one) for one in re.findall(r"(\S+) flow entries", text)] != [answer])


def way(text: str, answer: Way) -> str:
    """The device of the route with its own MTU or the route's, and what it wraps packets for."""
    from podmeter.drivers.route import TUNNELS

    line, links, *outer = (json.loads(one) for one in text.strip("\n").split("\n"))
    mine = [one for one in links if one.get("ifname") == answer.device]
    kind = mine[0].get("linkinfo", {}).get("info_kind", "") if mine else ""
    lower = mine[0].get("linkinfo", {}).get("info_data", {}).get("link") if mine else None
    wraps = [lower, *(one["dev"] for (one,) in outer), None]
    lasting = [] if "expires" in line[0] else line[0].get("metrics", [])
    told = [one["mtu"] for one in lasting if "mtu" in one]
    return _wrong(
        device=line[0]["dev"] != answer.device,
        mtu=[min(one["mtu"], *told, one["mtu"]) for one in mine] != [answer.mtu],
        kind=kind != answer.kind,
        nic=answer.nic not in (wraps if kind in TUNNELS else [answer.device]),
    )


def chain(text: str, answer: ChainState) -> str:
    """No more Services than rules from the first to the last one, which the chain holds."""
    first, last = answer.first, answer.last
    if first is None or last is None:
        return _wrong(services=answer.services != 0 or text.count("-A ") != 0)
    return _wrong(
        order=not 1 <= first.number <= last.number <= answer.rules,
        services=not 1 <= answer.services <= last.number - first.number + 1,
        names=f"/{first.service}" not in text or f"/{last.service}" not in text,
        head=[float(word) for word in text.split("\n")[0].split()]
        != [answer.rules, answer.services],
    )


def vegeta(text: str, answer: vegeta_driver.Answer) -> str:
    """Every request's time is in a line of its own, and their sum and ends in the report."""
    report, headers, *lines, _ = text.removesuffix("\n").split("\n")
    told = json.loads(report)
    rows = sorted([int(word) for word in line.split()] for line in lines)
    taken = [row[3] for row in rows]
    seconds = (rows[-1][1] - rows[0][1]) / 1e9
    announced = base64.b64decode(headers.split()[1]).decode("latin-1").lower()
    return _wrong(
        taken=[round(one * 1e9) for one in answer.seconds] != taken,
        total=told["latencies"]["total"] != sum(taken) or told["requests"] != len(taken),
        ends=[told["latencies"][one] for one in ("min", "max")] != [min(taken), max(taken)],
        numbers=[row[0] for row in rows] != list(range(len(rows))),
        status={row[2] for row in rows} != {200},
        rate=far(answer.requests_per_second, (len(rows) - 1) / seconds),
        length="content-length: 512\r" not in announced,
    )


def reached(text: str, answer: tuple[bool | None, ...]) -> str:
    """A code for each that was asked; 0 was answered."""
    codes = [int(word) for word in text.split()[:-1]]
    told = [{0: True, 7: False, 28: False}.get(code) for code in codes]
    return _wrong(codes=told != list(answer), count=len(answer) != 3)


def policy_rules(text: str, answer: PolicyRules) -> str:
    """The place is one of those that there are."""
    return rules(text, (answer.policies, answer.matching or 0))


def rules(text: str, answer: tuple[int, int]) -> str:
    """Those of Kubernetes are among all."""
    return _wrong(
        part=not 0 <= answer[1] <= answer[0],
        text=[float(word) for word in text.split()[:2]] != list(answer),
    )


def map_(text: str, answer: MapState) -> str:
    """The run's Services are among its elements."""
    return rules(text, (answer.elements, answer.services))


def rule_count(text: str, answer: int) -> str:
    """The only number."""
    return _wrong(text=float(text.split()[0]) != answer or len(text.split()) != 2)


def servers(text: str, answer: tuple[int, int]) -> str:
    """A line each, none twice."""
    lines = [line for line in text.split("\n") if line.startswith("-")]
    return _wrong(
        count=answer[0] != len(lines) or len(set(lines)) != len(lines),
        held=answer[1] != sum(line in ("-t 10.96.8.1:80", "-t 10.96.8.9:80") for line in lines),
    )


def backend(text: str, answer: str) -> str:
    """The only one that is named."""
    return _wrong(named=text.split() != [str(answer), "end"])


def version(_text: str, answer: str) -> str:
    """Any words will do, but some."""
    return _wrong(empty=not answer)
