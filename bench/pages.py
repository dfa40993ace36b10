"""Runs for the UI to be looked at: `python -m bench.pages CLUSTER` writes them into a stack.

With `--many 1000` as many small runs of another cluster instead, to see what that costs.

The scripted cluster measures one kind, for seconds. What its pages look like with other kinds, full
rounds, modes that differ and cases that failed is written straight into the database of the stack
that PODMETER_STATE_DIR names, as workers leave it behind.
"""

from __future__ import annotations

import argparse
import uuid
from datetime import timedelta
from math import log10
from typing import Any

import psycopg
from backend.bench.seed import seed
from backend.tests.measured import Measure, Measured, Point, store
from sqlalchemy import update

from podmeter.db.models import Cluster, Organization, Run
from podmeter.db.session import Sessions, make_engine, make_sessions
from podmeter.domain.messages import say
from podmeter.domain.run import Outcome
from podmeter.settings import Settings
from podmeter.stack.up import running

_Values = dict[tuple[str, str], float]
_HEIGHTS = [10, 1000, 5000, 10_000]

PATHS = {
    "name": "What encapsulation costs",
    "kind": "throughput",
    "axes": {
        "encapsulation": ["host-gw", "vxlan"],
        "path": ["node-node", "pod-pod", "pod-pod-same-node", "pod-service-pod"],
        "protocol": ["tcp", "udp"],
        "streams": [1, 8],
    },
    "repetition": {"trials": 2, "rounds": 6},
}
LADDER = {
    "name": "kube-proxy's modes over Services",
    "kind": "service_scale",
    "axes": {
        "kube_proxy_mode": ["iptables", "nftables"],
        "services": _HEIGHTS,
        "target": ["first", "last", "pod"],
        "probe": ["climb", "qps", "latency"],
    },
    "repetition": {"trials": 2, "rounds": 6},
}
TRANSPORT = {
    "name": "What encapsulation costs a message",
    "kind": "transport",
    "axes": {"encapsulation": ["host-gw", "vxlan"]},
    "repetition": {"trials": 2, "rounds": 6},
}
FLOOR = {
    "name": "Noise floor: throughput",
    "kind": "throughput",
    "axes": {"arm": ["a", "b"], "path": ["pod-pod"], "protocol": ["tcp"], "streams": [1]},
    "repetition": {"trials": 2, "rounds": 4},
}


def paths(point: Point) -> _Values | None:
    """VXLAN costs pods a quarter between nodes; UDP over one path fails."""
    if point["protocol"] == "udp" and point["path"] == "pod-service-pod":
        return None
    speed = 9.4e9 if point["path"] != "pod-pod-same-node" else 2.7e10
    if point.get("encapsulation") == "vxlan" and point["path"] in ("pod-pod", "pod-service-pod"):
        speed *= 0.74
    found = {
        ("throughput", ""): speed,
        ("throughput_sent", ""): speed * 1.001,
        ("node_cpu", "client"): 0.41,
        ("node_cpu", "server"): 0.52,
        ("node_memory", "client"): 1.9e9,
        ("node_memory", "server"): 2.1e9,
    }
    udp = {("udp_jitter", ""): 2e-5, ("udp_loss", ""): 0.012}
    return found | (udp if point["protocol"] == "udp" else {("retransmits", ""): 42.0})


def ladder(point: Point) -> _Values:
    """Iptables begins above nftables and falls below it; what is added last is hit first."""
    services = float(point["services"])
    falls = point["kube_proxy_mode"] == "iptables" and point.get("target") == "last"
    match point["probe"]:
        case "climb":
            grows = 1.4e-3 if point["kube_proxy_mode"] == "iptables" else 0.5e-3
            return {("convergence", ""): 1.2 + grows * services, ("rules_convergence", ""): 0.8}
        case "latency":
            return {("curl_total_mean", ""): 0.0009 + (3e-7 * services if falls else 0.0)}
        case _:
            ahead = 600 if point["kube_proxy_mode"] == "iptables" else 0
            return {
                ("requests_per_second", ""): 10_400
                + ahead
                - (0.7 * services if falls else 40 * log10(services)),
                ("node_cpu", "client"): 0.6,
            }


def transport(point: Point) -> _Values:
    """VXLAN costs a fifth of the bandwidth, and 6 µs a message; a Service hardly anything."""
    test, path = str(point["qperf_test"]), str(point["path"])
    wrapped = point["encapsulation"] == "vxlan" and path != "node-node"
    pods = 0.0 if path == "node-node" else 4e-6
    match test:
        case "conf":
            return {
                ("replica_excess", ""): 0.03,
                ("replica_share", "replica-1"): 0.52,
                ("replica_share", "replica-2"): 0.48,
            }
        case "tcp_lat" | "udp_lat":
            latency = (21e-6 if test == "tcp_lat" else 19e-6) + pods + (6e-6 if wrapped else 0.0)
            found = {("message_latency", ""): latency, ("message_rate", ""): 1 / latency}
        case _:
            speed = (9.3e9 if test == "tcp_bw" else 6.1e9) * (0.8 if wrapped else 1.0)
            found = {
                ("bandwidth", ""): speed,
                ("send_cost", ""): 2.4e-10,
                ("receive_cost", ""): 3.1e-10,
            }
            if test == "udp_bw":
                found |= {("bandwidth_sent", ""): speed * 1.3, ("udp_loss", ""): 0.23}
    return found | {("cpus_used", "client"): 0.9, ("cpus_used", "server"): 1.1}


def floor(_: Point) -> _Values:
    """The same on both arms."""
    return {("throughput", ""): 7.0e9}


def main() -> None:
    """Write them where they are asked for."""
    parser = argparse.ArgumentParser(prog="python -m bench.pages", description=__doc__)
    parser.add_argument("cluster", type=uuid.UUID, help="the id of a registered cluster")
    parser.add_argument("--many", type=int, help="so many small runs")
    given = parser.parse_args()
    settings = running(Settings())
    sessions = make_sessions(make_engine(settings.require_database_url()))
    with sessions() as session:
        cluster = session.get_one(Cluster, given.cluster)
    if given.many is None:
        _write(sessions, cluster)
        return
    # Set the sequence, which the table's owner may change, behind the written numbers.
    url = settings.require_owner_url().replace("+psycopg", "", 1)
    with psycopg.connect(url) as connection:
        seed(connection, cluster.organization_id, given.many)


def _write(sessions: Sessions, cluster: Cluster) -> None:
    with sessions() as session:
        organization = session.get_one(Organization, cluster.organization_id).name

    def written(spec: dict[str, Any], measure: Measure, hours: int) -> uuid.UUID:
        wanted = Measured(
            spec,
            measure,
            organization=organization,
            uid=cluster.cluster_uid or "",
            cluster=cluster.name,
            cluster_id=cluster.id,
            noise=0.015,
            seed=hours,
            ago=timedelta(hours=hours),
        )
        return store(sessions, wanted)

    for hours in (30, 27):
        written(FLOOR, floor, hours)
    partial, _ = written(PATHS, paths, 5), written(LADDER, ladder, 2)
    written(TRANSPORT, transport, 4)
    failed = written({**FLOOR, "name": "On a cluster that went away"}, lambda _: None, 1)
    away = say("api_unreached", said="connection refused")
    with sessions.begin() as session:
        for run_id, outcome, reason in (
            (partial, Outcome.PARTIAL, None),
            (failed, Outcome.FAILED, away),
        ):
            session.execute(
                update(Run).where(Run.id == run_id).values(outcome=outcome, reason=reason)
            )
        # A run is stored as if it had taken no time.
        session.execute(
            update(Run)
            .where(Run.id.in_([partial, failed]))
            .values(started_at=Run.finished_at - timedelta(minutes=7))
        )


if __name__ == "__main__":
    main()
