"""Filling a database with measured runs, by COPY."""

from __future__ import annotations

import json
import random
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from psycopg.sql import SQL, Identifier, Literal

from podmeter.kinds.registry import kind_of, plan, read_spec, resolve

if TYPE_CHECKING:
    from collections.abc import Iterable

    import psycopg

_AXES = {"encapsulation": ["vxlan"], "path": ["node-node", "pod-pod"]}
#: 8 cases of 6 rounds with 2 counted trials and a warm-up, 8 measurements a trial: 1,152 a run.
SPEC = {"name": "paths", "kind": "throughput", "axes": _AXES}
#: 24 cases as many times: 3,456 a run.
EVERY_PATH = {**SPEC, "axes": {"encapsulation": ["vxlan"]}}
_PROTOCOL = {
    "tcp": {"retransmits": 40.0, "congestion_window": 1.2e6},
    "udp": {"udp_jitter": 2e-5, "udp_loss": 0.02},
}
#: Whose rows' numbers the database counts.
_NUMBERED = ("cases", "blocks", "trials")
_Tables = dict[str, list[tuple[Any, ...]]]
#: In the order that references between the tables need.
_COLUMNS = {
    "runs": "organization_id id name kind spec written environment state outcome reason attempt "
    "last_event warnings forced created_at queued_at finished_at",
    "run_clusters": "organization_id run_id name cluster_id cluster_uid",
    "blocks": "organization_id run_id id position round modes status reason fingerprint_id",
    "cases": "organization_id run_id id position key point once status reason fingerprint_id "
    "placement",
    "trials": "organization_id run_id id case_id block_id round number warmup attempt status "
    "warnings facts seconds tool_seconds overhead_seconds started_at",
    "measurements": "trial_id metric subject value",
}


@dataclass(frozen=True)
class Seeded:
    """What was written."""

    runs: list[uuid.UUID]
    measurements: int


def seed(
    connection: psycopg.Connection[Any],
    organization: uuid.UUID,
    runs: int,
    *,
    spec: dict[str, Any] = SPEC,
    cluster_name: str = "bench",
    trials: bool = True,
) -> Seeded:
    """Write finished runs of one new cluster in one environment, and tell the planner of them.

    Without their `trials` where nobody looks at what was measured.
    """
    draw = random.Random(1)  # noqa: S311 (the same data every time)
    written = read_spec(spec)
    resolved = resolve(written)
    cases, blocks = kind_of(resolved).cases(resolved), plan(resolved)
    begun = datetime.now(UTC) - timedelta(hours=runs)
    cluster, fingerprint = uuid.uuid4(), uuid.uuid4()
    _cluster(connection, organization, cluster, fingerprint, cluster_name)
    ids = [uuid.uuid4() for _ in range(runs)]
    tables: _Tables = {table: [] for table in _COLUMNS}
    environment = json.dumps({"clusters": {cluster_name: {"fingerprint": _environment()}}})
    placement = json.dumps({"client_node": "node-1", "server_node": "node-2"})
    measurements = 0
    case_id, block_id, trial_id = (_last(connection, table) for table in _NUMBERED)
    for number, run_id in enumerate(ids):
        moment = begun + timedelta(hours=number)
        own = (organization, run_id)
        named = (
            f"run {number}",
            "throughput",
            resolved.model_dump_json(),
            written.model_dump_json(),
            environment,
        )
        ended = ("finished", "succeeded", None, 1, 0, "[]", "[]", moment, moment, moment)
        tables["runs"].append((*own, *named, *ended))
        tables["run_clusters"].append((organization, run_id, cluster_name, cluster, "uid-bench"))
        known: dict[str, int] = {}
        for position, case in enumerate(cases):
            case_id += 1
            known[case.key] = case_id
            point = json.dumps(dict(case.point))
            done = (False, "succeeded", None, fingerprint, placement)
            tables["cases"].append((*own, case_id, position, case.key, point, *done))
        speed = draw.gauss(1e10, 2e8)
        for block in blocks:
            block_id += 1
            modes = json.dumps(dict(block.modes))
            tables["blocks"].append(
                (*own, block_id, block.index, block.round, modes, "succeeded", None, fingerprint)
            )
            for trial in block.trials if trials else ():
                trial_id += 1
                place = (trial_id, known[trial.case.key], block_id, trial.round, trial.number)
                state = (trial.warmup, 1, "warmup" if trial.warmup else "counted", "[]", "{}")
                times = (6.0, 5.0, draw.uniform(0.2, 0.6), moment)
                tables["trials"].append((*own, *place, *state, *times))
                for metric, subject, value in _values(draw, trial.case.text("protocol"), speed):
                    measurements += 1
                    tables["measurements"].append((trial_id, metric, subject, value))
        if number % 50 == 49 or number == runs - 1:
            _copy(connection, tables)
    connection.commit()
    _after(connection, case_id, block_id, trial_id)
    return Seeded(ids, measurements)


def _values(draw: random.Random, protocol: str, speed: float) -> Iterable[tuple[str, str, float]]:
    centres = {"throughput": speed, "throughput_sent": speed * 1.001, **_PROTOCOL[protocol]}
    for metric, centre in centres.items():
        value = draw.gauss(centre, centre * 0.03)
        yield metric, "", float(round(value)) if metric == "retransmits" else value
    for role in ("client", "server"):
        yield "node_cpu", role, draw.uniform(0.4, 0.6)
        yield "node_memory", role, float(round(draw.gauss(2e9, 1e7)))


def _copy(connection: psycopg.Connection[Any], tables: _Tables) -> None:
    with connection.cursor() as cursor:
        for table, rows in tables.items():
            command = SQL("COPY {} ({}) FROM STDIN").format(
                Identifier(table), SQL(", ").join(map(Identifier, _COLUMNS[table].split()))
            )
            with cursor.copy(command) as copy:
                for row in rows:
                    copy.write_row(row)
            rows.clear()


def _cluster(
    connection: psycopg.Connection[Any],
    organization: uuid.UUID,
    cluster: uuid.UUID,
    fingerprint: uuid.UUID,
    name: str,
) -> None:
    moment = datetime.now(UTC)
    connection.execute(
        "INSERT INTO clusters (id, organization_id, name, description, server, kubeconfig, "
        "preflight_state, allow_mode_switch, allow_host_names, allow_switch_by_hand, "
        "switch_by_hand_minutes, renew_credential, needs_restore, "
        "needs_restore_reason, restore_attempts, version) "
        "VALUES (%s, %s, %s, '', 'https://bench', '', 'never', false, false, false, 30, false, "
        "false, NULL, 0, 1)",
        (cluster, organization, name),
    )
    connection.execute(
        "INSERT INTO fingerprints (id, organization_id, cluster_id, digest, content, "
        "observed_at, last_observed_at) VALUES (%s, %s, %s, %s, %s, %s, %s)",
        (fingerprint, organization, cluster, b"bench", json.dumps(_environment()), moment, moment),
    )


def _environment() -> dict[str, Any]:
    node = {"kernel": "6.12.0", "os": "Debian", "architecture": "amd64", "cpu_count": 2}
    node |= {"memory_bytes": 2**33, "mtus": {"eth0": 1500}}
    return {
        "cluster_uid": "uid-bench",
        "kubernetes_version": "1.34.1",
        "nodes": [{"name": f"node-{number}", **node} for number in (1, 2)],
        "shared_host": False,
        "cni": {"name": "flannel", "encapsulation": "vxlan"},
        "kube_proxy": {"mode": "iptables"},
    }


def _last(connection: psycopg.Connection[Any], table: str) -> int:
    command = SQL("SELECT coalesce(max(id), 0) FROM {}").format(Identifier(table))
    row = connection.execute(command).fetchone()
    return int(row[0]) if row else 0


def _after(connection: psycopg.Connection[Any], *last: int) -> None:
    for table, number in zip(_NUMBERED, last, strict=True):
        command = SQL("ALTER TABLE {} ALTER COLUMN id RESTART WITH {}")
        connection.execute(command.format(Identifier(table), Literal(number + 1)))
    connection.commit()
    connection.autocommit = True
    connection.execute("VACUUM ANALYZE")
    connection.autocommit = False
