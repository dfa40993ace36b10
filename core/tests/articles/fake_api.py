"""An API without a cluster behind it, for `podmeter-admin articles`."""

import uuid
from typing import Any

from pydantic import TypeAdapter

from podmeter.db.base import now
from podmeter.demo.api import DemoError
from podmeter.domain.cluster_report import AxisReport, ClusterReport
from podmeter.domain.experiment import ResolvedSpec
from podmeter.domain.feasibility import ClusterState, Feasibility, Requirements
from podmeter.domain.judgement import judge
from podmeter.kinds.fitting import fitted
from podmeter.kinds.registry import plan, read_spec, resolve
from podmeter.references.library import references
from podmeter.services.experiments.pace import of_nodes
from podmeter.services.experiments.plan import Plan, expected_seconds
from podmeter.services.reproduction.document import Reproduction
from podmeter.services.reproduction.read import reproduce
from podmeter.services.templates.read import TemplateView, page

from ..services.builders import LOOKED_AT
from ..services.run_results.measured_runs import around, measured_run

TEMPLATES = TypeAdapter(list[TemplateView]).dump_python(page(None), mode="json")
FLANNEL = {"vxlan": None, "host-gw": None, "ipip": "no such module"}
PROXY = {"iptables": None, "nftables": None, "ipvs": "no such module"}
NODES = LOOKED_AT.nodes


def cluster(
    encapsulation: dict[str, Any] = FLANNEL, proxy: dict[str, Any] = PROXY, *, switch: bool = True
) -> dict[str, Any]:
    modes = {
        "encapsulation": {"why_not": None, "values": encapsulation},
        "kube_proxy_mode": {"why_not": None, "values": proxy},
    }
    return {
        "id": "c",
        "name": "testbed",
        "server": "https://10.0.0.1",
        "cluster_uid": "uid-1",
        "allow_mode_switch": switch,
        "capabilities": {
            "modes": modes,
            "kubernetes_version": "v1.34.1",
            "nodes": [{"cpus": "2", "os": "Debian", "kernel": "6.18"}] * 2,
            "cni": {"name": "flannel", "version": "v0.27"},
        },
    }


def run_reason(code: str, **params: Any) -> dict[str, Any]:
    return {"code": code, "params": params, "text": "as told"}


#: What makes a run partial: its reason, and how many of its two cases succeeded.
IN_PART = {
    "partial": (run_reason("cases_short"), 1),
    "in small part": (run_reason("stopped_conntrack"), 0),
    "out of time": (
        run_reason("ended_and_faults", reason=run_reason("ladder_out_of_time"), faults="f"),
        1,
    ),
    "not cleaned up": (run_reason("not_cleaned_up"), 2),
}


class Answers:
    """An API that plans as Podmeter does, and has runs that end as configured."""

    def __init__(self, *, outside: bool = True) -> None:
        self.outside = outside
        #: The cluster of the plans.
        self.cluster = cluster()
        self.url = "http://podmeter"
        self.runs: dict[str, dict[str, Any]] = {}
        self.started: list[str] = []
        self.cancelled: list[str] = []
        self.specs: dict[str, dict[str, Any]] = {}
        self.shared: list[dict[str, Any]] = []
        #: By article the runs that it was last set beside.
        self.beside: dict[str, list[str]] = {}
        #: What runs are reported to say, in turn.
        self.reports: list[dict[str, Any]] = []
        #: What comes of runs by the name of their experiment, in turn: an outcome, an end of the
        #: command, or one of `IN_PART`.
        self.fate: dict[str, list[str]] = {}

    def judged(self, spec: ResolvedSpec) -> Feasibility:
        """Obstacles to a spec on the cluster, as Podmeter judges it."""
        seen = self.cluster["capabilities"]["modes"]
        modes = {axis: AxisReport.model_validate(report) for axis, report in seen.items()}
        report = ClusterReport(kubernetes_version="v1.34.1", nodes=NODES, rights={}, modes=modes)
        allowed = self.cluster["allow_mode_switch"]
        standing = ClusterState("testbed", now(), report, allow_mode_switch=allowed)
        asked = {axis: spec.matrix[axis] for axis in spec.switched_axes}
        return judge(Requirements((), asked, {}), standing, now())

    def ready(self) -> bool:
        return True

    def get(self, path: str, **query: Any) -> Any:
        if path == "/templates":
            return {"items": TEMPLATES}
        if path.endswith("/reproduction"):
            reference = path.split("/")[2]
            self.beside[reference] = query["run_id"]
            return document(reproduced(reference))
        if path.endswith("/summaries"):
            if path.split("/")[2] not in self.runs:
                raise DemoError(f"GET {path}: no such run")
            return self.reports.pop(0) if self.reports else report()
        found = self.runs.get(path.removeprefix("/runs/"))
        if found is None:
            raise DemoError(f"GET {path}: no such run")
        return found

    def all(self, path: str) -> list[Any]:
        return [cluster()] if path == "/clusters" else []

    def post(self, path: str, body: Any = None) -> Any:
        if path.startswith("/experiments/plan?cluster_id="):
            resolved = resolve(read_spec(body))
            found = Plan(resolved, plan(resolved), pace=of_nodes(2))
            judged = self.judged(resolved)
            left = fitted(read_spec(body), judged)
            away = any("outside" in str(one) for one in resolved.matrix.get("path", ()))
            return {
                "trials": found.trials,
                "cases": [],
                "switches": [],
                "expected_seconds": expected_seconds(found),
                "fitted": None if left is None else left.model_dump(mode="json"),
                "obstacles": [
                    {
                        "axis": one.axis,
                        "code": one.code,
                        "level": one.level.value,
                        "cause": {"text": str(one.cause)},
                    }
                    for one in judged.obstacles
                ],
                "outside_missing": {"text": "none"} if away and not self.outside else None,
            }
        if path == "/experiments":
            id_ = str(uuid.uuid4())
            self.specs[id_] = body
            return {"id": id_}
        if path == "/snapshots":
            self.shared.append(body)
            return {"url": f"http://podmeter/s/{body.get('run_id', 'all')}"}
        if path.endswith("/cancel"):
            run = self.runs[path.split("/")[2]]
            self.cancelled.append(run["id"])
            run |= {"state": "finished", "outcome": "cancelled", "cancel_requested_at": "now"}
            run["reason"] = run_reason("cancelled_by_owner")
            return None
        spec = self.specs[path.split("/")[2]]
        run = {
            "id": str(uuid.uuid4()),
            "name": spec["name"],
            "kind": spec["kind"],
            "state": "running",
            "outcome": None,
            "reason": None,
            "progress": {"succeeded": 0, "failed": 0, "pending": 2},
            "cancel_requested_at": None,
            "started_at": "2026-01-02T03:04:05Z",
            "finished_at": "2026-01-02T03:07:05Z",
        }
        self.runs[run["id"]] = run
        self.started.append(spec["name"])
        return run

    def events(self, run_id: str) -> Any:
        run = self.runs[run_id]
        yield "state", {"state": "running"}
        if run["state"] == "finished":
            return
        fates = self.fate.get(run["name"], [])
        fate = fates.pop(0) if fates else "succeeded"
        if fate == "interrupted":
            raise KeyboardInterrupt
        if fate == "killed":
            raise SystemExit(137)
        self.end(run, fate)

    def end(self, run: dict[str, Any], fate: str) -> None:
        """Have a run end, as an outcome or one of `IN_PART`."""
        whole = (run_reason("no_reason"), 2 if fate == "succeeded" else 0)
        reason, succeeded = IN_PART.get(fate, whole)
        run |= {
            "state": "finished",
            "outcome": "partial" if fate in IN_PART else fate,
            "reason": reason,
            "progress": {"succeeded": succeeded, "failed": 2 - succeeded, "pending": 0},
        }


def report(*losses: str, effects: tuple[str, ...] = ()) -> dict[str, Any]:
    """What matters here of a run's report: the verdicts of losses and effects."""
    point = {"path": "pod-pod"}
    return {
        "losses": [
            {
                "key": {
                    "metric": "loss",
                    "subject": str(number),
                    "point": point,
                    "against": {"path": "node-node"},
                },
                "verdict": verdict,
            }
            for number, verdict in enumerate(losses)
        ],
        "findings": [
            {
                "metric": f"metric-{number}",
                "point": point,
                "evidence": {
                    "rows": [
                        {
                            "key": {
                                "metric": f"metric-{number}",
                                "subject": "",
                                "point": {**point, "encapsulation": "vxlan"},
                                "against": {**point, "encapsulation": "host-gw"},
                            },
                            "code": "ratio",
                            "verdict": verdict,
                        },
                        {"code": "shift", "verdict": None},
                    ]
                },
            }
            for number, verdict in enumerate(effects)
        ],
    }


def measured(kind: str) -> Any:
    if kind == "throughput":
        spec = {
            "encapsulation": ["host-gw", "vxlan"],
            "path": ["node-node", "pod-pod", "pod-node"],
            "protocol": ["tcp"],
            "streams": [1],
        }

        def measure(point: dict[str, Any]) -> Any:
            slow = point["encapsulation"] == "vxlan" and point["path"] == "pod-pod"
            values = around(4e9 if slow else 9e9 + len(point["path"]))
            return {("throughput", ""): values, ("throughput_sent", ""): values}

        return measured_run({"name": kind, "kind": kind, "axes": spec}, measure)
    return None


def reproduced(reference: str) -> Reproduction:
    return reproduce(references()[reference], [measured("throughput")], lambda _: {})


def document(found: Reproduction) -> dict[str, Any]:
    made: dict[str, Any] = TypeAdapter(Reproduction).dump_python(found, mode="json")
    return made
