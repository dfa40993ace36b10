"""Whether Podmeter's trials measure what the same command measures by hand.

    python worker/bench/fidelity.py --kubeconfig FILE [--pairs 20] [--short-pairs 200]
                                    [--kubectl "kubectl"]

In the same pods, interleaved: a trial by Podmeter, and twice the very command of that trial typed
by hand (`kubectl exec`). Prints the medians, the difference between Podmeter and by hand, and the
spread of by hand against by hand: the range that holds 95 % of the differences of medians between
two sets of that size drawn from the by-hand figures alone. Of what takes a moment only there are
more pairs, and what is judged is the 95 % interval of the difference within a pair (that which the
signed-rank test gives). Exits with 1 where the difference lies outside the spread or above 3 %, or
an end of that interval beyond 3 % and beyond what the tool's figures are known to.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import shlex
import statistics
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.credentials.kubeconfig import sanitize
from podmeter.domain.bench_image import BenchImage
from podmeter.domain.planning import PlannedTrial
from podmeter.domain.ports import LogLevel
from podmeter.domain.trial import TrialReport, TrialStatus
from podmeter.kinds.kind import PreparedBlock
from podmeter.kinds.registry import kind_of, plan, read_spec, resolve
from podmeter.version import BENCH_IMAGE
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.node_shells import NodeShells
from podmeter_worker.kube.shells import Shells
from podmeter_worker.lab.cluster_lab import ClusterLab

LARGEST_DIFFERENCE = 0.03
DRAWS = 10_000
#: Of one trial; it takes a second.
POLICY_REQUESTS = 1000


@dataclass(frozen=True)
class Tool:
    """One comparison: an experiment of a single case, and how a person reads the tool.

    The `name` begins with the tool's own.
    `scale` turns the metric's base unit into `unit`, in which it is printed. `slack`, in the base
    unit, is how far one that takes a moment only may be off however small its figures are.
    """

    name: str
    spec: dict[str, Any]
    metric: str
    unit: str
    scale: float
    read: Callable[[str], float]
    slack: float | None = None


@dataclass
class Figures:
    """What was measured; the two by-hand runs of each pair apart."""

    podmeter: list[float] = field(default_factory=list)
    by_hand: list[float] = field(default_factory=list)
    again: list[float] = field(default_factory=list)


def read_iperf3(text: str) -> float:
    """Bit/s that the receiver got."""
    return float(json.loads(text)["end"]["sum_received"]["bits_per_second"])


def read_ab(text: str) -> float:
    """Requests per second."""
    found = re.search(r"^Requests per second:\s+([\d.]+)", text, re.M)
    if found is None:
        raise SystemExit(f"ab printed no rate:\n{text}")
    return float(found[1])


def read_qperf(name: str, factor: float) -> Callable[[str], float]:
    """One figure of qperf's, in its smallest unit as it is asked to print it, times a factor."""

    def read(text: str) -> float:
        found = re.search(rf"^    {name} += +([\d.]+) ", text, re.M)
        if found is None:
            raise SystemExit(f"qperf printed no {name}:\n{text}")
        return float(found[1]) * factor

    return read


def read_curl(text: str) -> float:
    """Mean seconds of the requests, without the first."""
    told = [json.loads(line) for line in text.split("\n") if line.startswith("{")]
    return statistics.fmean(one["time_total"] for one in told[1:])


def read_vegeta(text: str) -> float:
    """Mean seconds of the requests that count: the last ones of a run are spare."""
    told = [line.split(" ") for line in text.split("\n")]
    hits = sorted((int(words[0]), int(words[3])) for words in told if len(words) == 4)
    return statistics.fmean(taken for _, taken in hits[:POLICY_REQUESTS]) / 1e9


def tools(seconds: int, requests: int) -> tuple[Tool, ...]:
    """iperf3 and qperf between pods of two nodes, ab to the last of ten Services, curl to a
    Service, vegeta beside ten policies.
    """
    once = {"trials": 1, "rounds": 1, "warmup": 0, "seconds": seconds}
    return (
        Tool(
            "iperf3",
            {
                "name": "fidelity",
                "kind": "throughput",
                "axes": {"path": ["pod-pod"], "protocol": ["tcp"], "streams": [1]},
                "repetition": once,
            },
            "throughput",
            "Gbit/s",
            1e-9,
            read_iperf3,
        ),
        _qperf("tcp_bw", seconds, "bandwidth", ("Gbit/s", 1e-9), read_qperf("bw", 8.0)),
        _qperf("tcp_lat", seconds, "message_latency", ("us", 1e6), read_qperf("latency", 1e-9)),
        Tool(
            "ab",
            {
                "name": "fidelity",
                "kind": "service_scale",
                "parameters": {"requests": requests},
                "axes": {"services": [10], "target": ["last"], "probe": ["climb", "qps"]},
                "repetition": once,
            },
            "requests_per_second",
            "1/s",
            1.0,
            read_ab,
        ),
        Tool(
            "curl",
            {
                "name": "fidelity",
                "kind": "request_latency",
                "axes": {"path": ["pod-service-pod"]},
                "repetition": once,
            },
            "curl_total_mean",
            "us",
            1e6,
            read_curl,
            slack=20e-6,
        ),
        Tool(
            "vegeta",
            {
                "name": "fidelity",
                "kind": "network_policy",
                "parameters": {"requests": POLICY_REQUESTS},
                "axes": {"policies": [10], "response_size": ["0.5k"], "keep_alive": ["off"]},
                "repetition": once,
            },
            "request_mean",
            "us",
            1e6,
            read_vegeta,
            slack=0.0,
        ),
    )


def _qperf(
    test: str, seconds: int, metric: str, unit: tuple[str, float], read: Callable[[str], float]
) -> Tool:
    """One of qperf's tests from pod to pod."""
    return Tool(
        f"qperf {test}",
        {
            "name": "fidelity",
            "kind": "transport",
            "parameters": {f"{test}_seconds": seconds},
            "axes": {"path": ["pod-pod"], "qperf_test": [test]},
            "repetition": {"trials": 1, "rounds": 1, "warmup": 0},
        },
        metric,
        *unit,
        read,
    )


def compare(client: KubeClient, tool: Tool, arguments: argparse.Namespace) -> Figures:
    """Pair by pair: Podmeter's trial and the same command by hand, twice, in changing order."""
    pairs = arguments.pairs if tool.slack is None else arguments.short_pairs
    spec = resolve(read_spec(tool.spec))
    (block,) = plan(spec)
    program = tool.name.partition(" ")[0]
    label, shells = f"fidelity-{program}", Shells(client.access)
    lab = ClusterLab(
        client,
        shells,
        NodeShells(client, shells, image=arguments.image, run_label=label),
        run_label=label,
        image=arguments.image,
        cancelled=threading.Event(),
        write=_ignore,
    )
    figures = Figures()
    with kind_of(spec).prepared(lab, spec, block) as prepared:
        climbs = [trial for trial in block.trials if trial.case.once]
        for climb in climbs:
            _check(prepared.run_trial(climb))
        (trial,) = (trial for trial in block.trials if not trial.case.once)
        first = _counted(prepared, trial, spec.repetition.void_replacements)
        invocation = next(one for one in first.invocations if one.tool == program)
        by_hand = [
            *shlex.split(arguments.kubectl),
            *("--kubeconfig", str(arguments.kubeconfig), "--namespace", "podmeter"),
            *("exec", invocation.place.split()[0], "--", *invocation.argv),
        ]

        def typed() -> float:
            ended = subprocess.run(by_hand, capture_output=True, text=True, check=True)
            return tool.read(ended.stdout)

        def measured() -> float:
            report = _counted(prepared, trial, spec.repetition.void_replacements)
            (value,) = (one.value for one in report.measurements if one.metric == tool.metric)
            return value

        turns = ((figures.podmeter, measured), (figures.by_hand, typed), (figures.again, typed))
        # Each order of three, so that none always follows another: what begins at once after the
        # one before it is a little faster.
        orders = list(permutations(turns))
        for pair in range(pairs):
            for values, measure in orders[pair % len(orders)]:
                values.append(measure())
    return figures


def _ignore(_: LogLevel, __: str) -> None:
    pass


def _counted(prepared: PreparedBlock, trial: PlannedTrial, replacements: int) -> TrialReport:
    """A counted trial: a void one is repeated, as in a run."""
    report = prepared.run_trial(trial)
    for _ in range(replacements):
        if report.status is not TrialStatus.VOID or report.failure is None:
            break
        print(f"  void, once more: {report.failure.message}")
        report = prepared.run_trial(trial)
    return _check(report)


def _check(report: TrialReport) -> TrialReport:
    if report.failure is not None:
        raise SystemExit(f"a trial failed: {report.failure.message}")
    return report


def spread(figures: Figures) -> tuple[float, float]:
    """The middle 95 % of relative differences of medians, by hand against by hand."""
    pool = np.array(figures.by_hand + figures.again)
    generator = np.random.default_rng(1)
    size = len(figures.podmeter)
    drawn = generator.choice(pool, (DRAWS, 2, size))
    medians = np.median(drawn, axis=2)
    low, high = np.quantile(medians[:, 0] / medians[:, 1] - 1, [0.025, 0.975])
    return float(low), float(high)


def paired(figures: Figures) -> tuple[float, float]:
    """The 95 % interval of the difference within a pair, in the metric's unit.

    That of the signed-rank test (Hollander and Wolfe, Nonparametric Statistical Methods, 3.3): the
    means of all pairs of differences in order, less so many at both ends as chance leaves there.
    """
    by_hand = np.mean([figures.by_hand, figures.again], axis=0)
    differences = np.array(figures.podmeter) - by_hand
    count = len(differences)
    means = np.sort((differences[:, None] + differences)[np.triu_indices(count)] / 2)
    spread = math.sqrt(count * (count + 1) * (2 * count + 1) / 24)
    left = max(0, round(len(means) / 2 - 1.96 * spread))
    return float(means[left]), float(means[len(means) - 1 - left])


def report(tool: Tool, figures: Figures) -> list[dict[str, Any]]:
    """Print what was found; as rows too: the medians, their difference, its share of the spread."""
    medians = {
        "Podmeter": statistics.median(figures.podmeter),
        "by hand": statistics.median(figures.by_hand),
        "by hand again": statistics.median(figures.again),
    }
    both = statistics.median(figures.by_hand + figures.again)
    difference = medians["Podmeter"] / both - 1
    low, high = spread(figures)
    pairs = f"{len(figures.podmeter)} pairs"
    print(f"{tool.name}, {pairs}")
    for name, value in medians.items():
        print(f"  median {name:<14} {value * tool.scale:>12,.2f} {tool.unit}")
    print(f"  Podmeter against by hand {difference:+.2%}")
    print(f"  by hand against by hand  {low:+.2%} to {high:+.2%}")
    inside = low <= difference <= high
    print(f"  {'inside' if inside else 'OUTSIDE'} the spread")
    if tool.slack is not None:
        ends = paired(figures)
        print(f"  in a pair, 95 %: {ends[0] * tool.scale:+,.2f} to {ends[1] * tool.scale:+,.2f}")
    rows = [
        {
            "what": f"{tool.name}, median {name}",
            "value": value * tool.scale,
            "unit": tool.unit,
            "note": pairs,
        }
        for name, value in medians.items()
    ]
    if tool.slack is not None:
        farthest = max(abs(end) for end in ends)
        told = " to ".join(f"{end * tool.scale:+.1f}" for end in ends)
        return [
            *rows,
            {
                "what": f"{tool.name}, Podmeter against by hand in a pair, farther end of 95 %",
                "value": farthest * tool.scale,
                "unit": tool.unit,
                "bar": max(LARGEST_DIFFERENCE * both, tool.slack) * tool.scale,
                "note": f"{told} {tool.unit}; {difference:+.2%} of the medians",
            },
        ]
    return [
        *rows,
        {
            "what": f"{tool.name}, Podmeter against by hand",
            "value": 100 * abs(difference),
            "unit": "%",
            "bar": 100 * LARGEST_DIFFERENCE,
            "note": f"{difference:+.2%}",
        },
        {
            "what": f"{tool.name}, that difference as a share of by hand against by hand",
            "value": difference / (high if difference > 0 else low) if difference else 0.0,
            "unit": "",
            "bar": 1.0,
            "note": f"{low:+.2%} to {high:+.2%}",
        },
    ]


def main() -> None:
    """Compare all tools."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kubeconfig", type=Path, required=True)
    parser.add_argument("--kubectl", default="kubectl")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--short-pairs", type=int, default=200, help="of what takes a moment only")
    parser.add_argument("--only", help="one tool: iperf3, qperf, ab, curl or vegeta")
    parser.add_argument("--seconds", type=int, default=3, help="of one iperf3 run")
    parser.add_argument("--requests", type=int, default=4000, help="of one ab run")
    parser.add_argument("--image", type=BenchImage, default=BenchImage(BENCH_IMAGE))
    parser.add_argument("--json", type=Path, help="write the figures there too")
    arguments = parser.parse_args()
    policy = AddressPolicy.of(())
    kept = sanitize(arguments.kubeconfig.read_bytes(), now=datetime.now(UTC), policy=policy)
    rows = []
    with KubeClient(ClusterAccess(kept.kept_fields(), policy)) as client:
        for tool in tools(arguments.seconds, arguments.requests):
            if arguments.only not in (None, tool.name.partition(" ")[0]):
                continue
            rows += report(tool, compare(client, tool, arguments))
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=2) + "\n")
    sys.exit(0 if all(row["value"] <= row.get("bar", row["value"]) for row in rows) else 1)


if __name__ == "__main__":
    main()
