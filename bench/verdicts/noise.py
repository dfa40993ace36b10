"""Record what a real cluster's noise is like: rounds of the same on both arms, kept as rows.

    python -m bench.verdicts.noise [--rounds 30] [--only throughput,request_latency] [--is-busy]

Runs each kind with two arms that are alike, once with nothing beside it and once beside two busy
processes, and keeps the counted main figures in core/tests/fixtures/noise, a file for each. With
--is-busy it records the second half alone, beside whatever else the machine does. A file that is
there is not recorded again, so the command continues where it was interrupted. The method's tests
are tried on these rounds (core/tests/statistics/test_real_noise.py).
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from rich.console import Console

from bench import testbed
from bench.row import PROJECT
from bench.stack import end_on_sigterm
from bench.verdicts.busy import busy
from bench.verdicts.on_testbed import own_stack, registered
from podmeter.demo import runs
from podmeter.kinds.registry import metrics_of

FOLDER = PROJECT / "core" / "tests" / "fixtures" / "noise"
COLUMNS = ("round", "trial", "case", "metric", "value")
#: As short as a block of each kind may be, with the control that its runs have.
AXES: dict[str, dict[str, list[Any]]] = {
    "throughput": {"path": ["node-node", "pod-pod"], "protocol": ["tcp"], "streams": [1]},
    "request_latency": {"path": ["pod-pod", "pod-service-pod"]},
    "service_scale": {"services": [100], "target": ["last", "pod"], "probe": ["qps"]},
    "transport": {"path": ["node-node", "pod-pod"], "qperf_test": ["tcp_lat"]},
}
_BUSY_PROCESSES = 2


def main() -> int:
    """0 once every file is there."""
    given = _arguments()
    end_on_sigterm()
    console = Console(highlight=False)
    loads = (True,) if given.is_busy else (False, True)
    wanted = [(kind, beside) for beside in loads for kind in given.only]
    missing = [one for one in wanted if not _file(*one).exists()]
    console.print(f"{len(missing)} of {len(wanted)} recordings to do, kept in {FOLDER}")
    if missing:
        with testbed.ready(), own_stack() as api:
            cluster_id = registered(api)
            for kind, beside in missing:
                spins = beside and not given.is_busy
                with busy(_BUSY_PROCESSES) if spins else nullcontext():
                    run = runs.run(api, console, cluster_id, spec(kind, given.rounds))
                keep(_file(kind, beside), kind, api.text(f"/runs/{run['id']}/rows", format="csv"))
    return 0


def spec(kind: str, rounds: int) -> dict[str, Any]:
    """The experiment: two arms that are alike, trials of a second."""
    return {
        "name": f"Noise of {kind}",
        "kind": kind,
        "axes": {"arm": ["a", "b"], **AXES[kind]},
        "repetition": {"rounds": rounds, "trials": 2, "seconds": 1, "warmup": 0},
    }


def keep(file: Path, kind: str, rows: str) -> None:
    """Keep the counted main figures of a run's rows, in the order of their trials.

    Trials are numbered as they were measured, so they tell which arm of a round was the first.
    """
    main_metrics = {one.name for one in metrics_of(kind).values() if one.main}
    read = csv.DictReader(io.StringIO(rows))
    found = [one for one in read if one["state"] == "counted" and one["metric"] in main_metrics]
    found.sort(key=lambda one: int(one["trial"]))
    written = io.StringIO()
    writer = csv.DictWriter(written, COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(found)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(gzip.compress(written.getvalue().encode(), mtime=0))


def _file(kind: str, beside: bool) -> Path:
    return FOLDER / f"{kind}-{'busy' if beside else 'quiet'}.csv.gz"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.verdicts.noise", description=__doc__)
    parser.add_argument("--rounds", type=int, default=30, help="of each recording")
    parser.add_argument("--only", default=",".join(AXES), help="some kinds, by comma")
    parser.add_argument(
        "--is-busy", action="store_true", help="the machine has other work: add none of our own"
    )
    given = parser.parse_args()
    given.only = tuple(given.only.split(","))
    if unknown := set(given.only) - set(AXES):
        parser.error(f"--only knows {', '.join(AXES)}, not {', '.join(sorted(unknown))}")
    return given


if __name__ == "__main__":
    sys.exit(main())
