"""What policies cost in the quick profile: how long the whole run takes, and what it says."""

from __future__ import annotations

import shlex
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console

from bench.row import BenchEnvironment, Row, Section
from bench.stack import OwnStack
from podmeter.demo import cluster, runs
from podmeter.demo.credentials import Kubectl, service_account_kubeconfig
from podmeter.version import BENCH_IMAGE

_QUICK_SECONDS = 360.0
#: As the web UI has it ready-made.
_EXPERIMENT: dict[str, Any] = {
    "name": "What NetworkPolicies cost",
    "kind": "network_policy",
    "axes": {
        "policies": [0, 50, 200],
        "response_size": ["0.5k", "100k"],
        "keep_alive": ["off", "on"],
    },
    "repetition": {"profile": "quick", "trials": 1, "warmup": 0},
}
_SHORT = {"profile": "quick", "trials": 1, "warmup": 0, "rounds": 1}


def _measure(site: BenchEnvironment) -> list[Row]:
    spec = _EXPERIMENT | ({"repetition": _SHORT} if site.quick else {})
    image = {"BENCH_IMAGE": BENCH_IMAGE}
    with (
        tempfile.TemporaryDirectory(prefix="podmeter-bench-") as folder,
        OwnStack(Path(folder), image) as stack,
    ):
        api = stack.api
        kubectl = Kubectl(f"{shlex.join(site.kubectl)} --kubeconfig {site.kubeconfig.resolve()}")
        manifest = api.text("/rbac", capability="host_access")
        name, kubeconfig = service_account_kubeconfig(kubectl, manifest)
        registered = cluster.register(api, name, kubeconfig, allow_mode_switch=False)
        begun = time.monotonic()
        finished = runs.run(api, Console(highlight=False), registered["id"], spec)
        seconds = time.monotonic() - begun
        report = api.get(f"/runs/{finished['id']}/summaries")
    rounds = report["repetition"]["rounds"]
    whole = Row(
        f"{spec['axes']['policies'][-1]} policies at most, quick profile, the whole run",
        seconds,
        "s",
        bar=_QUICK_SECONDS,
        note=f"{len(report['cases'])} cases, {rounds} rounds; outcome {finished['outcome']}",
    )
    rows = [one for one in report["losses"] if one["key"]["metric"] == "policy_cost"]
    # Each share has its difference in seconds behind it.
    costs = zip(rows[::2], rows[1::2], strict=True)
    return [whole, *(_cost(*pair) for pair in costs if pair[0]["value"] is not None)]


def _cost(change: dict[str, Any], difference: dict[str, Any]) -> Row:
    """What is added to a request, with its verdict and interval."""
    point = change["key"]["point"]
    what = f"{point['policies']} policies, {point['response_size']}, "
    what += f"keep-alive {point['keep_alive']}: added to a request"
    ends = f"{change['low']:+.1%} to {change['high']:+.1%}" if change["low"] is not None else ""
    added = difference["value"] * 1e6
    return Row(
        what, 100 * change["value"], "%", note=f"{ends}; {added:+.1f} µs; {change['verdict']}"
    )


SECTION = Section("policies", "policies", needs_testbed=True, measure=_measure)
