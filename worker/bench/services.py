"""How fast Podmeter creates Services, against the barest loop that can be written for it.

    python worker/bench/services.py --kubeconfig FILE [--counts 5000,30000]

Both send the same bodies over as many connections to the same API server, in turn, a part of one
population each, so that both meet as many Services and the same machine; all is removed afterwards.
The bare loop is asyncio streams with HTTP/1.1 written by hand: no library, no retry, no answer read
further than its length. The population grows once, to the last of the counts; each count has the
ratio of the pairs from the count before to it. Prints a line for each.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import signal
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from scipy import stats

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.credentials.kubeconfig import sanitize
from podmeter.domain.ports import ServiceBatch, ServiceType
from podmeter_worker.kube import services
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.pool import CONNECTIONS
from podmeter_worker.kube.resources import NAMESPACES, SERVICES
from podmeter_worker.kube.wait import wait_until_gone

NAMESPACE = "podmeter-bench-services"
RUN = "bench"
#: How many Services one of them creates before it is the other's turn.
PART = 125


def main() -> None:
    """Run the comparison; exit with 1 if the ratio is below the bar."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kubeconfig", type=Path, required=True)
    parser.add_argument("--counts", default="5000,30000")
    parser.add_argument("--allow", action="append", default=[], help="network that is permitted")
    parser.add_argument("--bar", type=float, default=0.95)
    parser.add_argument("--json", type=Path, help="write the figures there too")
    arguments = parser.parse_args()
    # Being ended cleans up as well.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    policy = AddressPolicy.of(arguments.allow)
    kept = sanitize(arguments.kubeconfig.read_bytes(), now=datetime.now(UTC), policy=policy)
    access = ClusterAccess(kept.kept_fields(), policy)
    counts = [int(text) for text in arguments.counts.split(",")]
    if any(more - fewer < 4 * PART or more % (2 * PART) for fewer, more in pairwise((0, *counts))):
        parser.error(f"--counts grow by {4 * PART} at least, in multiples of {2 * PART}")
    with KubeClient(access) as client:
        client.apply(
            NAMESPACES.path(name=NAMESPACE),
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
        )
        try:
            rows = [
                *compare(access, client, counts, arguments.bar),
                removal(client, counts[-1]),
            ]
        finally:
            remove_namespace(client)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=2) + "\n")
    sys.exit(0 if all(row["value"] >= row.get("bar", 0.0) for row in rows) else 1)


def compare(
    access: ClusterAccess, client: KubeClient, counts: Sequence[int], bar: float
) -> Iterator[dict[str, Any]]:
    """Fill one population part by part, in turn; rows for the table: both rates, their ratio.

    A part by one is paired with the part by the other beside it, which found as many Services
    and the machine in the same mood. The ratio is the geometric mean over the pairs; its bar is met
    if the 95 % interval reaches it, which is Student's of the ratios' logarithms.
    """
    names = batch_of(counts[-1]).names
    for first, count in pairwise((0, *counts)):
        rates: dict[str, list[float]] = {"bare": [], "podmeter": []}
        for pair, number in enumerate(range(first, count, 2 * PART)):
            order = ("bare", "podmeter")[:: -1 if pair % 2 else 1]
            for who, start in zip(order, (number, number + PART), strict=True):
                part = replace(batch_of(count), names=names[start : start + PART])
                rates[who].append(PART / fill(who, access, client, part))
        if (there := client.count(SERVICES.path(NAMESPACE))) != count:
            raise SystemExit(f"{there} of {count} Services were created")
        low, ratio, high = ratio_of(rates["podmeter"], rates["bare"])
        over_all = {who: statistics.harmonic_mean(found) for who, found in rates.items()}
        span = f"from {first:,} to {count:,} Services"
        note = f"95 % interval {low:.3f} to {high:.3f}, {len(rates['bare'])} pairs of {PART}"
        say(
            f"{span}: podmeter {over_all['podmeter']:.0f}/s, bare loop {over_all['bare']:.0f}/s, "
            f"ratio {ratio:.3f} ({note})"
        )
        shared = {"unit": "1/s", "higher_is_better": True}
        yield {"what": f"{span}: created by Podmeter", "value": over_all["podmeter"], **shared}
        yield {"what": f"{span}: created by a bare loop", "value": over_all["bare"], **shared}
        yield {
            "what": f"{span}: upper end of the interval of Podmeter's rate against the bare loop's",
            "value": high,
            "unit": "",
            "bar": bar,
            "higher_is_better": True,
            "note": f"ratio {ratio:.3f}, {note}",
        }


def removal(client: KubeClient, count: int) -> dict[str, Any]:
    """Remove all Services; a row with the rate."""
    rate = count / services.remove(client, NAMESPACE, batch_of(count).names)
    if left := client.count(SERVICES.path(NAMESPACE)):
        raise SystemExit(f"{left} Services were not removed")
    say(f"{count} Services removed at {rate:.0f}/s")
    return {"what": f"{count:,} removed", "value": rate, "unit": "1/s", "higher_is_better": True}


def fill(who: str, access: ClusterAccess, client: KubeClient, part: ServiceBatch) -> float:
    """Create a part; seconds."""
    begun = time.monotonic()
    if who == "bare":
        asyncio.run(bare(access, part))
    else:
        services.create(client, NAMESPACE, RUN, part)
    return time.monotonic() - begun


def ratio_of(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, float, float]:
    """The geometric mean of the pairs' ratios, between the ends of its 95 % interval."""
    logs = [math.log(one / other) for one, other in zip(ours, theirs, strict=True)]
    mean = statistics.fmean(logs)
    error = statistics.stdev(logs) / math.sqrt(len(logs))
    half = stats.t.ppf(0.975, len(logs) - 1) * error
    return math.exp(mean - half), math.exp(mean), math.exp(mean + half)


def say(line: str) -> None:
    """Print a line at once."""
    print(line, flush=True)


def batch_of(count: int) -> ServiceBatch:
    """Services that lead to an address of TEST-NET-1 (RFC 5737)."""
    names = tuple(f"bench-{number:05d}" for number in range(count))
    return ServiceBatch(names, ServiceType.CLUSTER_IP, 80, ("192.0.2.10",), 8080)


async def bare(access: ClusterAccess, batch: ServiceBatch) -> None:
    """Send the same requests by hand; any answer but 201 ends it."""
    waiting = iter(batch.names)

    async def work() -> None:
        reader, writer = await asyncio.open_connection(
            access.checked().address,
            access.url.port,
            ssl=access.tls,
            server_hostname=access.tls_name,
        )
        extra = "".join(f"{name}: {value}\r\n" for name, value in access.headers.items())
        for name in waiting:
            for resource, body in services.bodies(NAMESPACE, RUN, batch, name):
                content = json.dumps(body, separators=(",", ":")).encode()
                path = resource.path(NAMESPACE)
                head = (
                    f"POST {path} HTTP/1.1\r\nHost: {access.url.host}\r\n{extra}"
                    f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
                )
                writer.write(head.encode() + content)
                answer = await reader.readuntil(b"\r\n\r\n")
                if not answer.startswith(b"HTTP/1.1 201"):
                    raise SystemExit(f"the bare loop was answered {answer[:60]!r}")
                lengths = [
                    line for line in answer.split(b"\r\n") if line.lower().startswith(b"content-le")
                ]
                await reader.readexactly(int(lengths[0].split(b":")[1]))
        writer.close()

    async with asyncio.TaskGroup() as group:
        for _ in range(CONNECTIONS):
            group.create_task(work())


def remove_namespace(client: KubeClient) -> None:
    """Remove what is left, and wait until it is gone."""
    path = NAMESPACES.path(name=NAMESPACE)
    found = client.find(path)
    if found is not None:
        client.delete(path)
        wait_until_gone(
            client,
            NAMESPACES.path(),
            {found["metadata"]["uid"]},
            what=f"namespace {NAMESPACE} is gone",
            deadline_seconds=300,
        )


if __name__ == "__main__":
    main()
