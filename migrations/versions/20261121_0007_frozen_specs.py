"""runs carry the resolved specification, and apart from it what was written

Every default below is what it was when this was written, and stays so: that is what the runs
stored until then were started with. Where a run's own rows show other values, they are taken.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision: str = "0007"
down_revision: str | None = "0006"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

_PROFILES = {
    "quick": {"trials": 5, "seconds": 5, "rounds": 1},
    "reference": {"trials": 7, "seconds": 30, "rounds": 3},
}
_EVERY_PROFILE = {"warmup": 1, "void_replacements": 3, "seed": 1}
_PARAMETERS: dict[str, dict[str, Any]] = {
    "throughput": {
        "client_node": None,
        "server_node": None,
        "udp_bits_per_second": 1_000_000_000,
        "datagram_bytes": 1400,
        "port": 5201,
    },
    "service_scale": {
        "client_node": None,
        "backend_node": None,
        "requests": 2000,
        "concurrency": 100,
        "latency_requests": 20,
        "rule_changes": 5,
        "body_bytes": 612,
        "convergence_seconds": 1800.0,
    },
}
#: Name, scope, what orders its cases ("ladder", "staged" or ""), default; outermost first.
_Axis = tuple[str, str, str, tuple[str | int, ...]]
_SHARED: tuple[_Axis, ...] = (
    ("cluster", "cluster", "", ()),
    ("encapsulation", "cluster_mode", "", ()),
    ("kube_proxy_mode", "cluster_mode", "", ()),
)
_AXES: dict[str, tuple[_Axis, ...]] = {
    "throughput": (
        *_SHARED,
        (
            "path",
            "case",
            "",
            (
                "node-node",
                "pod-pod",
                "pod-pod-same-node",
                "node-pod",
                "pod-node",
                "pod-service-pod",
            ),
        ),
        ("protocol", "case", "", ("tcp", "udp")),
        ("streams", "case", "", (1, 8)),
    ),
    "service_scale": (
        *_SHARED,
        ("service_type", "case", "staged", ("ClusterIP",)),
        ("services", "case", "ladder", (10, 1000, 5000, 10_000, 15_000, 20_000, 30_000)),
        ("client", "case", "", ("other-node",)),
        ("target", "case", "", ("first", "last")),
        (
            "probe",
            "case",
            "",
            ("climb", "qps", "qps-keepalive", "latency", "rule-change", "service-ready"),
        ),
    ),
}


def upgrade() -> None:
    op.add_column("runs", sa.Column("written", JSONB(), nullable=True))
    op.execute("UPDATE runs SET written = spec")
    op.alter_column("runs", "written", nullable=False)
    connection = op.get_bind()
    for run_id, written in connection.execute(sa.text("SELECT id, written FROM runs")).all():
        of_run = {"run_id": run_id}
        points = connection.execute(
            sa.text("SELECT point FROM cases WHERE run_id = :run_id ORDER BY position"), of_run
        ).scalars()
        rounds = connection.execute(
            sa.text("SELECT max(round) FROM blocks WHERE run_id = :run_id"), of_run
        ).scalar()
        spec = _resolved(written, points.all(), rounds)
        connection.execute(
            sa.text("UPDATE runs SET spec = CAST(:spec AS jsonb) WHERE id = :run_id"),
            {**of_run, "spec": json.dumps(spec)},
        )


def downgrade() -> None:
    op.execute("UPDATE runs SET spec = written")
    op.drop_column("runs", "written")


def _resolved(
    written: Mapping[str, Any], points: Sequence[Mapping[str, Any]], rounds: int | None
) -> dict[str, Any]:
    kind = written["kind"]
    axes = []
    for name, scope, order, default in _AXES[kind]:
        values = written.get("axes", {}).get(name) or _values(points, name) or list(default)
        if values:
            axes.append(
                {
                    "name": name,
                    "scope": scope,
                    "ladder": order == "ladder",
                    "staged": order == "staged",
                    "values": sorted(values) if order == "ladder" else values,
                }
            )
    said = dict(written.get("repetition", {}))
    profile = said.pop("profile", "quick")
    repetition = {**_PROFILES[profile], **_EVERY_PROFILE}
    repetition |= {name: value for name, value in said.items() if value is not None}
    return {
        "name": written["name"],
        "kind": kind,
        "kind_version": 1,
        "description": written.get("description", ""),
        "parameters": {
            name: _typed(written.get("parameters", {}).get(name, default), default)
            for name, default in _PARAMETERS[kind].items()
        },
        "axes": axes,
        "repetition": {**repetition, "rounds": rounds or repetition["rounds"]},
    }


def _typed(value: Any, default: Any) -> Any:
    """Numbers could be written as text; runs always ran with numbers."""
    if value is None or not isinstance(default, (int, float)):
        return value
    return float(value) if isinstance(default, float) else int(float(value))


def _values(points: Sequence[Mapping[str, Any]], axis: str) -> list[Any]:
    """What the run's cases have on an axis, in the order in which they were planned."""
    return list(dict.fromkeys(point[axis] for point in points if axis in point))
