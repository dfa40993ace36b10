"""How fast Podmeter creates Services, against the barest loop that can be written for it.

    python worker/bench/services.py --kubeconfig FILE [--counts 2000,5000] [--rounds 3]

Both send the same bodies over as many connections to the same API server, in turn, a part of one
population each, so that both meet as many Services and the same machine; all is removed afterwards.
The bare loop is asyncio streams with HTTP/1.1 written by hand: no library, no retry, no answer read
further than its length. Prints one line for each round and the ratio.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import statistics
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

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
    parser.add_argument("--counts", default="2000,5000")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--allow", action="append", default=[], help="network that is permitted")
    parser.add_argument("--bar", type=float, default=0.95)
    parser.add_argument("--json", type=Path, help="write the figures there too")
    arguments = parser.parse_args()
    # Being ended cleans up as well.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    policy = AddressPolicy.of(arguments.allow)
    kept = sanitize(arguments.kubeconfig.read_bytes(), now=datetime.now(UTC), policy=policy)
    access = ClusterAccess(kept.kept_fields(), policy)
    rows: list[dict[str, Any]] = []
    with KubeClient(access) as client:
        client.apply(
            NAMESPACES.path(name=NAMESPACE),
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
        )
        try:
            for count in (int(text) for text in arguments.counts.split(",")):
                rows += compare(access, client, count, arguments)
        finally:
            remove_namespace(client)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=2) + "\n")
    sys.exit(0 if all(row["value"] >= row.get("bar", 0.0) for row in rows) else 1)


def compare(
    access: ClusterAccess, client: KubeClient, count: int, arguments: argparse.Namespace
) -> list[dict[str, Any]]:
    """Fill one population part by part, in turn; rows for the table: both rates, their ratio.

    A part by one is paired with the part by the other beside it, which found as many Services
    and the machine in the same mood; the ratio is the geometric mean over the pairs.
    """
    took: dict[str, list[float]] = {"bare": [], "podmeter": []}
    removals = []
    for round_ in range(arguments.rounds):
        names = batch_of(count).names
        for number in range(0, count, 2 * PART):
            swapped = (round_ + number // (2 * PART)) % 2
            order = ("bare", "podmeter")[:: -1 if swapped else 1]
            for who, start in zip(order, (number, number + PART), strict=True):
                part = replace(batch_of(count), names=names[start : start + PART])
                took[who].append(fill(who, access, client, part))
        if (there := client.count(SERVICES.path(NAMESPACE))) != count:
            raise SystemExit(f"{there} of {count} Services were created")
        removals.append(count / services.remove(client, NAMESPACE, names))
        if left := client.count(SERVICES.path(NAMESPACE)):
            raise SystemExit(f"{left} Services were not removed")
        ratio = statistics.geometric_mean(ratios(took))
        say(f"{count} Services, {round_ + 1} rounds, {len(took['bare'])} pairs: ratio {ratio:.3f}")
    rates = {who: PART * len(found) / sum(found) for who, found in took.items()}
    removed = statistics.median(removals)
    pairs = sorted(ratios(took))
    middle = f"{len(pairs)} pairs of {PART}, the middle half {middle_half(pairs)}"
    say(
        f"{count} Services: podmeter {rates['podmeter']:.0f}/s, "
        f"bare loop {rates['bare']:.0f}/s, ratio {ratio:.3f} ({middle}); removed at {removed:.0f}/s"
    )
    shared = {"unit": "1/s", "higher_is_better": True}
    return [
        {"what": f"{count:,} created by Podmeter", "value": rates["podmeter"], **shared},
        {"what": f"{count:,} created by a bare loop", "value": rates["bare"], **shared},
        {
            "what": f"{count:,}: Podmeter's rate against the bare loop's",
            "value": ratio,
            "unit": "",
            "bar": arguments.bar,
            "higher_is_better": True,
            "note": middle,
        },
        {"what": f"{count:,} removed", "value": removed, **shared},
    ]


def fill(who: str, access: ClusterAccess, client: KubeClient, part: ServiceBatch) -> float:
    """Create a part; seconds."""
    begun = time.monotonic()
    if who == "bare":
        asyncio.run(bare(access, part))
    else:
        services.create(client, NAMESPACE, RUN, part)
    return time.monotonic() - begun


def ratios(took: dict[str, list[float]]) -> list[float]:
    """Podmeter's rate against the bare loop's, of each pair."""
    return [bare / ours for bare, ours in zip(took["bare"], took["podmeter"], strict=True)]


def middle_half(ordered: list[float]) -> str:
    """From the lower to the upper quartile."""
    low, high = ordered[len(ordered) // 4], ordered[-1 - len(ordered) // 4]
    return f"{low:.2f} to {high:.2f}"


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
