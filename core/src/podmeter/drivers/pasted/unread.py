"""Tools that are recognised and not read: what a line is of, and what to do."""

from __future__ import annotations

import re

from podmeter.domain.messages import Message, say
from podmeter.drivers.pasted.patterns import any_of

#: What only one tool prints, with the tool's name, and what it prints that is read, where there is
#: such a thing.
_KNOWN: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (
        re.compile(
            r"ALL TESTCASES AND MSS RANGES|MSS ?, ?Maximum, .{1,300}|[0-9]{1,2} iperf (?:TCP"
            r"|UDP)\. .{1,400}"
        ),
        "kubernetes/perf-tests netperf",
        "iperf3",
    ),
    (
        re.compile(
            r"={6} [A-Z][A-Z0-9 _()-]{1,40} ={6}"
            r"|[A-Z][A-Z0-9 _()-]{1,40}: [0-9.]{1,20} requests per second.{0,60}"
            r"|[0-9.]{1,12} requests per second|[0-9]{1,12} requests completed in .{1,40}"
            r"|[0-9]{1,9} parallel clients"
        ),
        "redis-benchmark",
        "",
    ),
    (
        re.compile(
            r"Benchmarking \S{1,253} \(be patient\)\.{3}(?:INFO|LOG|DEBUG|WARN).{0,200}"
            r"|(?:INFO|LOG): (?:GET|POST|header).{0,200}"
        ),
        "ab -v",
        "ab",
    ),
    (
        re.compile(
            r"This is ApacheBench, Version .{1,30}<i>.{1,60}|<table ?>|<tr ?><t[dh] ?.{1,400}"
        ),
        "ab -w (HTML)",
        "ab",
    ),
    (
        re.compile(r"Percentage served,Time in ms|starttime seconds ctime dtime ttime wait"),
        "ab -e, ab -g",
        "ab",
    ),
    (
        re.compile(
            r"(?:send_parameters|get_parameters|send_results|get_results):"
            r"|sent [0-9]{1,12} bytes of [0-9]{1,12}, pending [0-9]{1,12}, total [0-9]{1,18}"
        ),
        "iperf3 -d",
        "iperf3",
    ),
    (re.compile(r"[0-9]{19},[0-9]{1,3},[0-9]{1,15},.{1,3000}"), "vegeta encode", "vegeta report"),
    (
        re.compile(r"\[ ?[0-9]{1,12}(?:\.[0-9]{1,9})?(?:ns|us|µs|ms|s), .{1,200}%.{0,120}"),
        "vegeta report -type=hist",
        "vegeta report",
    ),
    (re.compile(r"DTM_\w{1,40}=.{0,100}"), "knb (.results)", "knb -fd"),
    (
        re.compile(
            r"response-time,DNS\+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset"
        ),
        "hey -o csv",
        "hey",
    ),
    (
        re.compile(
            r"[0-9]{14}(?:\.[0-9]{1,6})?,[0-9a-f.:]{2,45},[0-9]{1,5},[0-9a-f.:]{2,45},[0-9]{1,5},.{1,200}"
        ),
        "iperf -y C (CSV)",
        "iperf",
    ),
    (
        re.compile(
            r"(?:64 bytes from|[0-9]{1,5} bytes from|PING|rtt min/avg/max/mdev) .{1,200}"
            r"|[0-9]{1,9} packets transmitted, .{1,100}"
        ),
        "ping",
        "netperf -t TCP_RR",
    ),
    (
        re.compile(
            r"(?:scenarios|http_req_\w{1,30}|http_reqs|vus(?:_max)?|iterations"
            r"|iteration_duration)\.{0,40}: .{1,300}"
        ),
        "k6",
        "hey",
    ),
    (
        re.compile(
            r"starting benchmark\.\.\.|finished in \S{1,20}, \S{1,20} req/s, .{1,60}"
            r"|status codes: [0-9]{1,12} 2xx, .{1,100}"
        ),
        "h2load",
        "hey",
    ),
    (re.compile(r"Bombarding \S{1,500} .{1,100}|Statistics Avg Stdev Max"), "bombardier", "hey"),
    (
        re.compile(
            r"Type Name # reqs # fails ?\|.{1,200}|\[\d{4}-\d\d-\d\d .{1,60}/INFO/locust.{1,200}"
        ),
        "Locust",
        "hey",
    ),
    (
        re.compile(
            r"(?:Transactions|Availability|Elapsed time|Data transferred|Response time"
            r"|Transaction rate|Throughput|Concurrency|Successful transactions"
            r"|Failed transactions|Longest transaction"
            r"|Shortest transaction): \S{1,30}(?: (?:hits|%|secs?|MB|trans/sec|MB/sec|bytes))?"
        ),
        "siege",
        "ab",
    ),
    (
        re.compile(
            r"nuttcp-t: .{1,200}|[0-9.]{1,20} MB / [0-9.]{1,20} sec = [0-9.]{1,20} [MG]bps .{1,200}"
        ),
        "nuttcp",
        "iperf3",
    ),
    (re.compile(r"Success rate: [0-9.]{1,10}%"), "oha", "hey"),
    (
        re.compile(
            r"#?Value Percentile TotalCount 1/\(1-Percentile\)"
            r"|Value\(ms\) Percentile TotalCount 1/\(1-Percentile\)"
        ),
        "vegeta hdrplot",
        "vegeta report",
    ),
    (re.compile(r"Bucket # % Histogram"), "vegeta report -type=hist", "vegeta report"),
    (
        re.compile(
            r"Statistics: .{1,60}|Queries per second: .{1,60}|DNS Performance Testing Tool.{0,100}"
        ),
        "dnsperf",
        "",
    ),
)
#: A format of somebody's own for curl: a time after a word of it.
_CURL = re.compile(
    r"(?i)(?:dns|lookup|connect(?:ed)?|tcp|tls|ssl|ttfb|first ?byte|start ?transfer|transfer|total)"
    r"(?: ?time)?['\"]?\s?[:=>-]{1,2}\s?['\"]?[0-9]{1,5}\.[0-9]{1,9}"
)


#: The same of JSON documents, by keys that one tool writes together.
_DOCUMENTS: tuple[tuple[frozenset[str], str, str], ...] = (
    (
        frozenset({"attack", "seq", "code", "timestamp", "latency"}),
        "vegeta encode",
        "vegeta report",
    ),
    (frozenset({"summary", "responseTimeHistogram"}), "oha --json", "hey"),
    (frozenset({"metrics", "root_group"}), "k6", "hey"),
    (frozenset({"spec", "result"}), "bombardier", "hey"),
    (frozenset({"requests", "latency", "throughput", "non2xx"}), "autocannon", "hey"),
)


def recognised_document(held: object) -> Message | None:
    """The same of a JSON document."""
    keys = held.keys() if isinstance(held, dict) else frozenset()
    for own, tool, instead in _DOCUMENTS:
        if keys >= own:
            return say("paste_unread_instead", tool=tool, instead=instead)
    return None


_ANY = any_of(*(form for form, _, _ in _KNOWN))


def recognised(text: str) -> Message | None:
    """Why a line is not read, by its tool and with what to do; None where nobody knows it."""
    known = _KNOWN if _ANY.fullmatch(text) else ()
    for form, tool, instead in known:
        if form.fullmatch(text):
            if instead:
                return say("paste_unread_instead", tool=tool, instead=instead)
            return say("paste_unread", tool=tool)
    if len(_CURL.findall(text[:400])) >= 2:
        return say(
            "paste_curl_own_format",
            lines=r"'time_connect: %{time_connect}\ntime_total: %{time_total}\n'",
            json="'%{json}'",
        )
    return None
