"""What a trial takes besides its tool, in a real run of each kind.

    python -m worker.bench.overhead --kubeconfig FILE [--kubectl "kubectl"] [--quick]

Starts a stack of its own (API, worker, beat, PostgreSQL, Redis), registers the cluster, runs one
experiment of each kind and reads from the run's own report what Podmeter took: from a trial's
start until it was stored, less the tool's own time and the way to its rung. Exits with 1 where a
median is above the bar.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.stack import OwnStack
from rich.console import Console

from podmeter.demo import cluster, runs
from podmeter.demo.api import Api
from podmeter.demo.credentials import Kubectl, service_account_kubeconfig
from podmeter.version import BENCH_IMAGE

#: Of the median of a run's trials, in seconds.
BARS = {"throughput": 0.06, "service_scale": 0.10}
#: One experiment of each kind, in the modes that stand.
AXES: dict[str, dict[str, list[Any]]] = {
    "throughput": {
        "path": ["node-node", "pod-pod", "pod-service-pod"],
        "protocol": ["tcp", "udp"],
        "streams": [1],
    },
    "transport": {"path": ["pod-pod", "pod-service-pod"]},
    "request_latency": {"path": ["pod-pod", "node-service", "pod-service-name"]},
    "service_scale": {"services": [10, 1000]},
    "network_policy": {"policies": [0, 50], "response_size": ["0.5k", "100k"]},
}


def main() -> None:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kubeconfig", type=Path, required=True)
    parser.add_argument("--kubectl", default="kubectl")
    parser.add_argument("--image", default=BENCH_IMAGE)
    parser.add_argument("--quick", action="store_true", help="two trials of each case")
    parser.add_argument("--json", type=Path, help="write the figures there too")
    given = parser.parse_args()
    console = Console(highlight=False)
    rows: list[dict[str, Any]] = []
    with (
        tempfile.TemporaryDirectory(prefix="podmeter-bench-") as folder,
        OwnStack(Path(folder), {"BENCH_IMAGE": given.image}) as stack,
    ):
        api = stack.api
        manifest = api.text("/rbac", capability="host_access")
        kubectl = Kubectl(f"{given.kubectl} --kubeconfig {given.kubeconfig.resolve()}")
        name, kubeconfig = service_account_kubeconfig(kubectl, manifest)
        registered = cluster.register(api, name, kubeconfig, allow_mode_switch=False)
        repetition = {"trials": 2 if given.quick else 7, "seconds": 2, "rounds": 1, "warmup": 1}
        for kind in (one["name"] for one in api.get("/kinds")["items"]):
            if kind not in AXES:
                raise SystemExit(f"AXES has no experiment of the kind {kind}")
            spec = {
                "name": f"overhead of {kind}",
                "kind": kind,
                "axes": AXES[kind],
                "repetition": repetition,
            }
            finished = runs.run(api, console, registered["id"], spec)
            rows += [of_run(api, kind, finished["id"]), *of_cases(api, kind, finished["id"])]
    for row in rows:
        console.print(f"{row['what']:<60} {row['value']:.3f} {row['unit']}  {row['note']}")
    if given.json:
        given.json.write_text(json.dumps(rows, indent=2) + "\n")
    sys.exit(0 if all(row["value"] <= row.get("bar", row["value"]) for row in rows) else 1)


def of_run(api: Api, kind: str, run_id: str) -> dict[str, Any]:
    """The run's own figure: the median over its counted trials."""
    median, *of_blocks = api.get(f"/runs/{run_id}/summaries")["overhead"]
    apart = ", ".join(f"{one['code']} {one['value']:.1f} s" for one in of_blocks)
    most = median["parameters"]["maximum"]
    return {
        "what": f"{kind}, median of a run's trials",
        "value": median["value"],
        "unit": "s",
        **({"bar": BARS[kind]} if kind in BARS else {}),
        "note": f"n = {median['n']}, at most {most:.2f} s; apart: {apart}",
    }


def of_cases(api: Api, kind: str, run_id: str) -> Iterator[dict[str, Any]]:
    """The same by what a case measures: its probe, its path or its answers, else its set-up."""
    names = {case["id"]: case["point"] for case in api.all(f"/runs/{run_id}/cases")}
    found: dict[str, list[float]] = {}
    for trial in api.all(f"/runs/{run_id}/trials"):
        if trial["status"] == "counted" and trial["overhead_seconds"] is not None:
            point = names[trial["case_id"]]
            what = str(
                point.get("probe") or point.get("path") or point.get("response_size") or "climb"
            )
            found.setdefault(what, []).append(trial["overhead_seconds"])
    for what, seconds in found.items():
        yield {
            "what": f"{kind}, {what}",
            "value": statistics.median(seconds),
            "unit": "s",
            "note": f"n = {len(seconds)}",
        }


if __name__ == "__main__":
    main()
