"""What tools print, each in its own format: captured from the real ones, or written as they do."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from core.tests.captures import FIXTURES, captured

from podmeter.domain.ports import CommandOutput

IPERF3 = "iperf3-3.18"
CURL = "curl-8.14.1"
_CURL_TIMES = re.compile(r'("time_\w+":)([0-9.]+)')
_COOKIE = re.compile(r'("cookie":\s*")(\w+)')


def printed(
    stdout: str = "", exit_code: int = 0, stderr: str = "", seconds: float = 0.01
) -> CommandOutput:
    """A command's output."""
    return CommandOutput(stdout, stderr, exit_code, seconds)


def bundle(outputs: Iterable[CommandOutput]) -> CommandOutput:
    """What the program prints of several commands."""
    parts = (f"ran {one.exit_code} {len(one.stdout.encode())}\n{one.stdout}\n" for one in outputs)
    return printed("".join(parts) + "end\n")


def room(memory: int = 50, disk: int = 50, conntrack: int = 50) -> CommandOutput:
    """What a node has left, in percent; of connections, what is taken."""
    files = (
        f"== /proc/meminfo\nMemTotal:        100 kB\nMemAvailable:    {memory} kB\n"
        f"== /proc/sys/net/netfilter/nf_conntrack_count\n{conntrack}\n"
        "== /proc/sys/net/netfilter/nf_conntrack_max\n100\n== end\n"
    )
    return bundle([printed(files), printed(f"4096 100 {disk}\n")])


def counters(accepted: int) -> CommandOutput:
    """Captured counters, with so many connections accepted."""
    output = captured("proc-6.18", "counters-after")
    names, values = re.findall(r"^Tcp: .*$", output.stdout, re.MULTILINE)
    numbers = values.split()
    numbers[names.split().index("PassiveOpens")] = str(accepted)
    return replace(output, stdout=output.stdout.replace(values, " ".join(numbers)))


def kube_proxy_metrics(
    syncs: int,
    *,
    has_succeeded: bool = True,
    restarts: int = 0,
    queued: float = 0.0,
    seconds: float = 0.1,
    families_apart: bool = True,
) -> CommandOutput:
    """Captured metrics of a kube-proxy, after so many syncs of 0.1 s, the first of them full.

    It started a second later with each of its restarts. A change was queued so many seconds after
    the captured one was, and each sync that succeeded ended a millisecond after the one before.
    Before Kubernetes 1.33 they do not have the `families_apart`.
    """
    output = captured("kube-proxy-1.34.4", "metrics")
    series = "kubeproxy_sync{}_proxy_rules_duration_seconds_{}"
    text = re.sub(
        r"(?m)^(process_start_time_seconds) (.*)$",
        lambda found: f"{found[1]} {float(found[2]) + restarts}",
        output.stdout,
    )
    text = re.sub(
        r'(?m)^(kubeproxy_sync_proxy_rules_last_queued_\S+{ip_family="IPv4"}) (.*)$',
        lambda found: f"{found[1]} {float(found[2]) + queued}",
        text,
    )
    text = re.sub(
        r'(?m)^(kubeproxy_sync_proxy_rules_last_timestamp_\S+{ip_family="IPv4"}) (.*)$',
        lambda found: f"{found[1]} {float(found[2]) + syncs / 1000 if has_succeeded else 0}",
        text,
    )
    for name, value in (
        (series.format("", "count"), syncs),
        (series.format("", "sum"), syncs * seconds),
        (series.format("_full", "count"), min(syncs, 1)),
        (series.format("_full", "sum"), min(syncs, 1) * seconds),
    ):
        text = re.sub(rf'(?m)^({name}{{ip_family="IPv4"}}) .*$', rf"\1 {value}", text)
    if not families_apart:
        text = re.sub(r'(?m)^.*{ip_family="IPv6"}.*\n', "", text).replace('{ip_family="IPv4"}', "")
    return replace(output, stdout=text)


def chain(name: str, ports: Sequence[tuple[str, str]], prefix: str) -> CommandOutput:
    """A chain with a rule for each (Service, port): the first and last whose name begins so."""
    held = [
        # Somebody else's rule follows the first one.
        (number + (number > 1), service, port)
        for number, (service, port) in enumerate(ports, 1)
        if f"podmeter/{service}".startswith(prefix)
    ]
    ending = " cluster IP" if name == "KUBE-SERVICES" else ""
    lines = [
        f'{number} -A {name} -m comment --comment "podmeter/{service}:{port}{ending}" -j KUBE-SVC-A'
        for number, service, port in (*held[:1], *held[-1:])
    ]
    return printed("\n".join([f"{len(ports) + 2} {len(held)}", *lines, "end", ""]))


def service_watch(
    times: Sequence[float],
    gap: float,
    services: Iterable[str],
    spans: Iterable[tuple[str, float, float, int]],
) -> CommandOutput:
    """A node's watch of Services: `times` are its begin, signal, request for the answer, and end.

    Each span of attempts went `ok` or `fail`, with the times of its first and last and its count.
    """
    names = ("begin", "told", "asked", "ended")
    lines = [f"{name} {time:.6f}" for name, time in zip(names, times, strict=True)]
    seen = [f"{result} {first:.6f} {last:.6f} {count}" for result, first, last, count in spans]
    lines += [f"gap {gap:.6f}", *(line for one in services for line in (f"service {one}", *seen))]
    return printed("\n".join([*lines, "end", ""]))


def steady(number: int) -> int:
    """The nanoseconds of requests that each take a little longer than the one before."""
    return 500_000 + 100 * number


def vegeta(
    requests: int, rate: int, body_bytes: int, nanoseconds: Callable[[int], int] = steady
) -> CommandOutput:
    """What vegeta prints of so many requests, `rate` of them in a second."""
    taken = [nanoseconds(number) for number in range(requests)]
    starts = [1_700_000_000_000_000_000 + number * (10**9 // rate) for number in range(requests)]
    ends = [start + took for start, took in zip(starts, taken, strict=True)]
    latencies = {"total": sum(taken), "mean": sum(taken) // requests}
    report = {
        "latencies": {**latencies, "min": min(taken), "max": max(taken)},
        "duration": starts[-1] - starts[0],
        "wait": max(ends) - starts[-1],
        "requests": requests,
        "success": 1,
        "status_codes": {"200": requests},
        "errors": [],
    }
    headers = f"Content-Length: {body_bytes}\r\nServer: nginx\r\n\r\n"
    lines = [json.dumps(report), f"headers {base64.b64encode(headers.encode()).decode()}"]
    lines += [f"{n} {starts[n]} 200 {taken[n]}" for n in range(requests)]
    return printed("\n".join([*lines, f"end {requests} 0", ""]))


def curl_run(by_name: bool, number: int, slowness: float, changes: dict[str, Any]) -> str:
    """One of ten captured requests, slower by a factor, its answer with these changes."""
    lines = captured(CURL, "phases-by-name" if by_name else "phases").stdout.split("\n")
    head, text = lines[2 * number], lines[2 * number + 1]
    ran, code, seconds, lock, _ = head.split(" ")
    slower = _CURL_TIMES.sub(lambda time: f"{time[1]}{float(time[2]) * slowness:.6f}", text)
    answer = json.dumps(json.loads(slower) | changes)
    return f"{ran} {code} {float(seconds) * slowness:.9f} {lock} {len(answer)}\n{answer}\n"


def iperf3_cookie(output: CommandOutput) -> str:
    """The cookie of a run that an end of it printed."""
    found = _COOKIE.search(output.stdout)
    if found is None:
        raise ValueError(f"no run of iperf3: {output.stdout[:300]}")
    return found[2]


def iperf3_run(name: str, seconds: int, cookie: str) -> CommandOutput:
    """What an end of a captured run printed, as if it had been the run with that cookie.

    The captured runs took 3 s, so that intervals of longer ones are not available.
    """
    output = captured(IPERF3, name)
    text = _COOKIE.sub(rf"\g<1>{cookie}", output.stdout)
    return replace(output, stdout=re.sub(r'("duration":\s*)\d+', rf"\g<1>{seconds}", text))


@cache
def iperf3_seen() -> dict[str, str]:
    """The captured runs of which a server's side was captured too: their names by cookie."""
    names = [path.stem.removesuffix("-seen") for path in (FIXTURES / IPERF3).glob("*-seen.stdout")]
    return {
        iperf3_cookie(captured(IPERF3, f"{name}-seen")): name for name in names if name != "not"
    }
