"""What the real tools printed, changed at random, and whether a parser is taken in by it.

A parser may refuse a changed text with its own error, or read it. What it reads is held against
the text once more here, by other and simpler means: figures that the text says twice, in other
units or by their parts. So a parser is wrong where it raises anything else, or where it gives a
number that its text contradicts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any

from core.bench.contradictions import commands, kernels, requests, transfers
from core.bench.pasted_contradictions import pasted as against_pasted
from core.tests.captures import FIXTURES, captured, version_folders

from podmeter.domain.errors import PreconditionError, ToolError
from podmeter.domain.ports import Access, CommandOutput
from podmeter.drivers import (
    ab,
    bundle,
    conntrack,
    curl,
    datagrams,
    iperf3,
    kube_proxy,
    node_room,
    proc,
    qperf,
    qperf_text,
    route,
    service_watch,
    timed,
    vegeta,
)
from podmeter.drivers.netfilter import backend, change, iptables, ipvs, nft, policies
from podmeter.drivers.pasted import read as pasted_text
from podmeter.kinds.registry import tools

TCP = iperf3.Options("10.99.0.2", 5201, "tcp", seconds=3, streams=1)
UDP = replace(TCP, protocol="udp", udp_bits_per_second=100_000_000)
AB = ab.Options("http://10.99.0.2:8080/", 2000, 10, keepalive=False, document_bytes=9)
KEPT = replace(AB, keepalive=True)
QPERF_TESTS: tuple[tuple[qperf.Transfer, int, int], ...] = (
    ("tcp_bw", 65536, 1),
    ("tcp_lat", 1, 1),
    ("udp_bw", 32768, 1),
    ("udp_lat", 1, 2),
)
QPERF = tuple(qperf.Options("10.99.0.2", 4000, 4001, *one) for one in QPERF_TESTS)
WATCHED = ("127.0.0.2:8443", "127.0.0.3:8443")
VEGETA = vegeta.Options("http://10.99.0.2:8080/512", 200, 1000, keepalive=False, body_bytes=512)
CURL = curl.Options("http://10.99.0.2:8080/", requests=10, body_bytes=9)
IPVS = (
    "-t 10.96.0.1:443\n-t 10.96.8.1:80\n-t 10.96.8.2:80\n-u 10.96.8.2:53\nend 5\n"
    "set KUBE-CLUSTER-IP\n10.96.0.1,tcp:443\n10.96.8.1,tcp:80\n10.96.8.2,tcp:80\n"
    "set KUBE-IPVS-IPS\n10.96.0.1\n10.96.8.1\n10.96.8.2\nset KUBE-NODE-PORT-TCP\nend sets\n"
)
REACHED = "7 0 28 end\n"
BUNDLE = "ran 0 4\none\n\nran 3 0\n\nran 0 12\nran 0 4\n1234\nend\n"
_FILES = (
    "== /proc/meminfo\nMemTotal:       8000000 kB\nMemAvailable:   4000000 kB\n"
    "== /proc/sys/net/netfilter/nf_conntrack_count\n1000\n"
    "== /proc/sys/net/netfilter/nf_conntrack_max\n131072\n== end\n"
)
_DISK = "4096 1000000 500000\n"
ROOM = "".join(f"ran 0 {len(text)}\n{text}\n" for text in (_FILES, _DISK)) + "end\n"


@dataclass(frozen=True)
class Parser:
    """A parser, what its tool once printed, and what tells whether a text contradicts an answer."""

    name: str
    captured: CommandOutput
    parse: Callable[[CommandOutput], Any]
    contradicted: Callable[[str, Any], object]


@dataclass
class Tally:
    """What became of a parser's mutations, and the first fault that was seen."""

    mutations: int = 0
    read: int = 0
    foreign: int = 0
    contradicted: int = 0
    first: str = ""


#: Pastes of each tool, in each of its forms, of two versions at least.
PASTED = (
    *("iperf3-3.1.3/tcp", "iperf3-3.1.3/udp-json", "iperf3-3.12/parallel", "iperf3-3.12/bidir"),
    *("iperf3-3.12/udp", "iperf3-3.12/json", "iperf3-3.12/server", "iperf3-3.18/tcp-mbytes"),
    *("iperf3-3.18/reverse", "iperf3-3.18/udp-json", "iperf3-3.18/bidir-json"),
    *("ab-2.3-debian12/whole", "ab-2.3-debian12/grepped", "ab-2.3-debian13/kept"),
    *("hey-0.1.4/whole", "hey-0.1.5/closed", "wrk-4.0.0/whole", "wrk-4.1.0/latency"),
    *("curl-7.88.1/columns", "curl-8.14.1/named", "curl-8.14.1/json"),
    *("k8s-netperf-0.1.6/whole", "k8s-netperf-0.1.43/whole"),
    *("knb-1.3.0/text", "knb-1.5.0/json", "knb-1.5.0/yaml", "knb-1.5.0/no-metrics"),
    *("articles/000-2.1", "articles/000-3.3", "articles/001-qps-first"),
    *("articles/001-iptables-add", "articles/002-pods", "articles/003-native"),
    *("iperf3-3.12/server-output-both", "iperf3-3.12/server-json", "iperf3-3.12/title"),
    *("iperf-2.1.8/tcp", "iperf-2.1.8/udp", "iperf-2.1.8/parallel", "iperf-2.1.8/reverse"),
    *("qperf-0.4.11/sizes", "qperf-0.4.11/loop-sizes", "ab-2.3-debian12/percentiles-csv"),
    *("fortio-1.66.5/paced", "fortio-1.66.5/json", "fortio-1.66.5/tcp"),
    *("vegeta-12.13.0/whole", "vegeta-12.13.0/json", "vegeta-12.13.0/every"),
    *("sockperf-3.7/ping-pong", "sockperf-3.7/round-trip", "sockperf-3.7/throughput"),
    *("forms/netperf-stream", "forms/netperf-udp", "forms/netperf-rr", "forms/netperf-keys"),
    *("forms/netperf-commas", "forms/netperf-human", "forms/cilium", "forms/wrk2"),
    *("forms/k8s-netperf-table", "forms/k8s-netperf-csv", "forms/iperf3-json-stream"),
    *("forms/iperf3-server-log", "forms/iperf3-both-logs", "forms/qperf-loop"),
)


def _of_anybody(output: CommandOutput) -> pasted_text.Pasted:
    """A text that somebody pasted, whichever tool it is of."""
    return pasted_text.read(output.stdout)


def _pasted(output: CommandOutput) -> tuple[qperf_text.Reading, ...]:
    """A text that somebody copied, by itself."""
    return qperf_text.read(output.stdout)


def parsers() -> Iterator[Parser]:
    """All of them."""
    for name, options in (
        ("tcp", TCP),
        ("tcp-8-streams", replace(TCP, streams=8)),
        ("udp-with-loss", UDP),
        ("udp-8-streams", replace(UDP, streams=8)),
    ):
        output, seen = (captured("iperf3-3.18", file) for file in (name, f"{name}-seen"))
        told, check = partial(iperf3.parse, options=options), partial(transfers.iperf3, options)
        yield Parser(f"iperf3 {name}", output, told, check)
        heard = partial(iperf3.parse_seen, options=options, answer=told(output))
        yield Parser(f"iperf3 {name}, as seen", seen, heard, transfers.iperf3_seen)
    yield Parser("iperf3 probe", captured("iperf3-3.18", "tcp"), iperf3.probed, transfers.cookie)
    for folder in ("qperf-0.4.9", "qperf-0.4.11"):
        for one in QPERF:
            tested = partial(qperf.parse, options=one)
            check = partial(transfers.qperf, one)
            yield Parser(f"{folder} {one.test}", captured(folder, one.test), tested, check)
        for name in ("pasted", "pasted-bits", "pasted-verbose", "pasted-unified"):
            pasted = captured(folder, name)
            yield Parser(f"{folder} {name}", pasted, _pasted, transfers.qperf_pasted)
    who = partial(qperf.parse_conf, times=3)
    yield Parser("qperf conf", captured("qperf-0.4.11", "conf"), who, transfers.qperf_conf)
    host = CommandOutput("pm-ab12cd-server\n", "", 0, 1.0)
    yield Parser("qperf identity", host, qperf.parse_identity, commands.word)
    watch = captured("proc-6.18", "datagrams-lost")
    yield Parser("datagrams", watch, datagrams.parse_watch, transfers.datagrams)
    for name, plan in (("plain", AB), ("keepalive", KEPT)):
        run = partial(ab.parse, options=plan)
        yield Parser(f"ab {name}", captured("ab-2.3", name), run, partial(requests.ab, plan))
    for folder in ("curl-7.88.1", "curl-8.14.1"):
        for name, how in (("phases", CURL), ("phases-by-name", replace(CURL, first_counts=True))):
            asked, check = partial(curl.parse, options=how), partial(requests.curl, how)
            yield Parser(f"{folder} {name}", captured(folder, name), asked, check)
    waited = CommandOutput("3 62000 end\n", "", 0, 1.0)
    yield Parser("curl until answered", waited, curl.parse_until_answered, requests.waited)
    silent = CommandOutput("3 62000 81000 end\n", "", 0, 1.0)
    yield Parser("curl until silent", silent, curl.parse_until_silent, requests.silent)
    outages = partial(service_watch.parse, services=WATCHED)
    yield Parser(
        "service-watch",
        captured("podmeter-measure-1", "service-watch"),
        outages,
        requests.service_watch,
    )
    for folder in ("vegeta-12.11.1", "vegeta-12.12.0"):
        for name in ("plain", "kept"):
            attack = partial(vegeta.parse, options=VEGETA)
            yield Parser(f"{folder} {name}", captured(folder, name), attack, requests.vegeta)
    three = partial(curl.parse_probe, expected=3)
    yield Parser("curl probe", CommandOutput(REACHED, "", 0, 1.0), three, requests.reached)
    runs = partial(timed.parse, expected=4)
    yield Parser("timed", captured("podmeter-measure-1", "timed"), runs, commands.timed)
    bundled = partial(bundle.parse, expected=3)
    yield Parser("bundle", CommandOutput(BUNDLE, "", 0, 1.0), bundled, commands.bundle)
    samples = captured("proc-6.18", "samples")
    yield Parser("/proc samples", samples, proc.parse_samples, kernels.samples)
    counters = captured("proc-6.18", "counters-after")
    yield Parser("/proc counters", counters, proc.parse_counters, kernels.counters)
    left = partial(node_room.parse, access=Access.HOST)
    yield Parser("node room", CommandOutput(ROOM, "", 0, 1.0), left, kernels.room)
    syncs = captured("kube-proxy-1.34.4", "metrics")
    yield Parser("kube-proxy", syncs, kube_proxy.parse, kernels.proxy_metrics)
    forgotten = captured("conntrack-1.4.8", "forgotten")
    yield Parser("conntrack", forgotten, conntrack.parse_forgotten, kernels.forgotten)
    for name in ("route", "vxlan", "tun"):
        way = captured("iproute2-6.15", name)
        yield Parser(f"route {name}", way, route.parse, kernels.way)
    for folder in ("iptables-nft-1.8.11", "iptables-legacy-1.8.11"):
        chain = captured(folder, "services")
        yield Parser(f"{folder} chain", chain, iptables.parse_chain, kernels.chain)
        standing = captured(folder, "policies")
        yield Parser(f"{folder} policies", standing, policies.parse, kernels.policy_rules)
        changed = partial(change.parse, times=5)
        yield Parser(f"{folder} change", captured(folder, "change"), changed, commands.changes)
    count = captured("iptables-nft-1.8.11", "count")
    yield Parser("iptables count", count, iptables.parse_count, kernels.rules)
    yield Parser("nft map", captured("nft-1.1.3", "service-ips"), nft.parse_map, kernels.map_)
    yield Parser("nft count", captured("nft-1.1.3", "count"), nft.parse_count, kernels.rule_count)
    servers = partial(ipvs.parse_held, expected=[("10.96.8.1", 80, None), ("10.96.8.9", 80, None)])
    yield Parser("ipvsadm", CommandOutput(IPVS, "", 0, 1.0), servers, kernels.servers)
    listed = CommandOutput(IPVS.partition("set ")[0], "", 0, 1.0)
    yield Parser("ipvsadm counts", listed, ipvs.parse_sizes, kernels.server_counts)
    called = backend.tool_of(backend.Backend.IPTABLES_NFT)
    version = captured("iptables-1.8.11", "version")
    yield Parser(f"{called.name} version", version, called.parse_version, commands.version)
    probe = captured("nft-1.1.3", "probe")
    yield Parser("backend", probe, backend.parse_probe, kernels.backend)
    for name in PASTED:
        pasted = CommandOutput((FIXTURES / "pasted" / f"{name}.txt").read_text(), "", 0, 1.0)
        yield Parser(f"pasted {name}", pasted, _of_anybody, against_pasted)
    for folder in ("qperf-0.4.9", "qperf-0.4.11"):
        pasted = captured(folder, "pasted-verbose")
        yield Parser(f"pasted {folder}/verbose", pasted, _of_anybody, against_pasted)
    for tool in tools():
        for folder in version_folders(tool.name):
            version = captured(folder, "version")
            yield Parser(f"{folder} version", version, tool.parse_version, commands.version)


_ODD = (
    *("0", "-1", "1,5", "1_5", "1.5e3", "0x1f", "1e999", "9" * 30, "9" * 5000, "٣", "+1", ".5"),
    *("NaN", "Infinity", "null", "true", '"text"', "[]", "{}", "[[" * 3000, "\x00", "\u2028", ""),
)

_SHAPES: tuple[Any, ...] = (
    None,
    True,
    0,
    -3,
    0.5,
    10**400,
    1e300,
    "",
    "text",
    [],
    [[]],
    [None],
    {},
    {"a": {}},
)


def mutated(random: Random, output: CommandOutput) -> CommandOutput:
    """The output with one to three things about it changed."""
    exit_code, text, other = output.exit_code, output.stdout, output.stderr
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        # nginx tells its version on standard error, conntrack's failures are there.
        if other and (not text or random.random() < 0.3):
            other = _change(random, other)
        elif random.random() < 0.01:
            exit_code = random.choice((1, 2, -9, 127))
        else:
            text = _change(random, text)
    return CommandOutput(text, other, exit_code, output.seconds)


def _change(random: Random, text: str) -> str:
    if not text:
        return random.choice(_ODD)
    at = random.randrange(len(text))
    lines = text.split("\n")
    line, other = random.randrange(len(lines)), random.randrange(len(lines))
    match random.randrange(9 if text.startswith("{") else 8):
        case 0:
            return _digit(random, text, at)
        case 1:
            return _number(random, text, at)
        case 2:
            return text[:at] + text[at + random.choice((1, 1, 2, 10)) :]
        case 3:
            return text[:at] + random.choice(_ODD) + text[at:]
        case 4:
            return text[:at]
        case 5:
            return "\n".join([*lines[:line], lines[other], *lines[line:]])
        case 6:
            return "\n".join([*lines[:line], *lines[line + 1 :]])
        case 7:
            lines[line], lines[other] = lines[other], lines[line]
            return "\n".join(lines)
        case _:
            return _shape(random, text)


def _digit(random: Random, text: str, at: int) -> str:
    """Another digit in the place of the next one."""
    place = next((i for i in range(at, len(text)) if text[i].isdigit()), None)
    if place is None:
        return text
    return text[:place] + random.choice("0123456789") + text[place + 1 :]


def _number(random: Random, text: str, at: int) -> str:
    """Something else in the place of the next number."""
    begin = next((i for i in range(at, len(text)) if text[i].isdigit()), None)
    if begin is None:
        return text
    end = next((i for i in range(begin, len(text)) if text[i] not in ".0123456789"), len(text))
    return text[:begin] + random.choice(_ODD) + text[end:]


def _shape(random: Random, text: str) -> str:
    """Another JSON value in the place of one part of a document, or that part left out."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return text
    at = document
    for _ in range(random.randrange(7)):
        inner = list(at.values()) if isinstance(at, dict) else at
        inner = [one for one in inner if isinstance(one, (dict, list)) and one]
        at = random.choice(inner) if inner else at
    if not isinstance(at, (dict, list)) or not at:
        return text
    key = random.choice(list(at) if isinstance(at, dict) else range(len(at)))
    if random.random() < 0.3:
        del at[key]
    else:
        at[key] = random.choice(_SHAPES)
    return json.dumps(document)


def tried(parser: Parser, mutations: int, seed: int) -> Tally:
    """So many mutations of what the parser's tool printed, each read and held against itself."""
    random, tally = Random(f"{seed} {parser.name}"), Tally()  # noqa: S311
    for _ in range(mutations):
        output = mutated(random, parser.captured)
        tally.mutations += 1
        try:
            answer = parser.parse(output)
        except (ToolError, PreconditionError):
            continue
        except Exception as error:
            tally.foreign += 1
            tally.first = tally.first or f"{type(error).__name__}: {error}"[:200]
            continue
        tally.read += 1
        said = parser.contradicted(output.stdout, answer)
        if said:
            tally.contradicted += 1
            tally.first = tally.first or str(said)[:200]
    return tally
