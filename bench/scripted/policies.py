"""A scripted server behind NetworkPolicies: who reaches it, and how long its answers take.

As kube-router would have it, whose rules name policies. What a request takes grows with the size
of its answer and with the policies, as in the article that the kind of experiment is from.
"""

from __future__ import annotations

import base64
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from bench.scripted.machine import Printed, captured
from bench.scripted.store import Store
from podmeter.drivers import program

_LABEL = "podmeter.io/pod"
#: Seconds of a request without policies: what every one takes, and for each byte.
_SECONDS, _SECONDS_A_BYTE = 0.7e-3, 9.5e-9
#: How much longer a new connection takes for each policy, and a reused one.
_A_POLICY, _A_POLICY_KEPT = 4e-4, 2e-5
#: Requests that a path takes in a second.
_MOST = 8000
_NEXT = "::next::"


@dataclass
class Policies:
    """Answers the commands of one cluster's pods; None to what is none of its business."""

    store: Store
    accepted: int = 0

    def printed(self, pod: str, argv: Sequence[str]) -> Printed | None:
        """What a command in a pod of that name prints."""
        if argv[0] != program.NAME:
            return None
        answer = {
            "ask": self._probed,
            "vegeta": self._attacked,
            "policies": self._rules,
            "print-files": self._counters,
            "bundle": self._bundled,
        }.get(argv[1])
        return None if answer is None else answer(pod, list(argv[2:]))

    def _standing(self) -> Iterator[dict[str, Any]]:
        for one in self.store.all_of("networking.k8s.io/v1", "networkpolicies", "podmeter"):
            yield {
                "name": one["metadata"]["name"],
                "client": one["spec"]["ingress"][0]["from"][0]["podSelector"]["matchLabels"][
                    _LABEL
                ],
                "port": one["spec"]["ingress"][0]["ports"][0]["port"],
            }

    def _probed(self, pod: str, words: list[str]) -> Printed:
        _, *urls = words
        standing = list(self._standing())
        open_ = {one["port"] for one in standing if one["client"] == pod}
        ports = [int(url.split(":")[2].partition("/")[0]) for url in urls]
        let_in = [not standing or port in open_ for port in ports]
        self.accepted += sum(let_in)
        return Printed("".join(f"{0 if one else 7} " for one in let_in) + "end\n")

    def _rules(self, pod: str, words: list[str]) -> Printed:
        prefix, matching = words
        names = sorted(one["name"] for one in self._standing() if one["name"].startswith(prefix))
        place = names.index(matching) + 1 if matching in names else 0
        return Printed(f"{len(names)} {place} end\n")

    def _attacked(self, pod: str, words: list[str]) -> Printed:
        url, *options = words
        told = dict(word.removeprefix("-").split("=") for word in options)
        rate = int(told["rate"].removesuffix("/1s"))
        seconds = int(told["duration"].removesuffix("ns")) / 1e9
        requests = round(seconds * rate + 0.5) if rate else round(seconds * _MOST)
        kept, size = told["keepalive"] == "true", int(url.rpartition("/")[2])
        self.accepted += 2 if kept else requests
        policies = sum(1 for _ in self._standing())
        cost = 1 + policies * (_A_POLICY_KEPT if kept else _A_POLICY)
        centre = (_SECONDS * (0.5 if kept else 1) + _SECONDS_A_BYTE * size) * cost
        return Printed(_attack(requests, rate or _MOST, size, centre))

    def _counters(self, pod: str, words: list[str]) -> Printed:
        """With as many connections accepted as were made so far."""
        text = captured("proc-6.18", "counters-after").stdout
        names, values = re.findall(r"^Tcp: .*$", text, re.MULTILINE)
        told = values.split()
        told[names.split().index("PassiveOpens")] = str(self.accepted)
        return Printed(text.replace(values, " ".join(told)))

    def _bundled(self, pod: str, words: list[str]) -> Printed:
        parts = []
        for ends, group in groupby(words, lambda word: word == _NEXT):
            if ends:
                continue
            inner = self.printed(pod, list(group)) or captured("conntrack-1.4.8", "forgotten")
            length = len(inner.stdout.encode())
            parts.append(f"ran {inner.exit_code} {length}\n{inner.stdout}\n")
        return Printed("".join(parts) + "end\n")


def _attack(requests: int, rate: int, size: int, seconds: float) -> str:
    """What vegeta prints of requests that take about so long."""
    draw = random.Random()  # noqa: S311
    mood = draw.gauss(1, 0.004)
    taken = [max(1000, round(1e9 * seconds * mood * draw.gauss(1, 0.05))) for _ in range(requests)]
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
    headers = base64.b64encode(f"Content-Length: {size}\r\n\r\n".encode()).decode()
    lines = [json.dumps(report), f"headers {headers}"]
    lines += [f"{n} {starts[n]} 200 {taken[n]}" for n in range(requests)]
    return "\n".join([*lines, f"end {requests} 0", ""])
