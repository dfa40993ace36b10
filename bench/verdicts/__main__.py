"""Are verdicts right on a real cluster? A/A and A/B runs on the testbed, and what they say.

    python -m bench.verdicts [--runs 10] [--only kube-proxy,encapsulation,ab,decided] [--fresh]

Runs each experiment so many times in the quick profile, every second one beside two busy
processes, and counts what their main comparison says. What is done is kept in a file and not done
again; `--fresh` starts again. Exits with 1 where a bar is missed.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench import testbed
from bench.row import PROJECT
from bench.stack import end_on_sigterm
from bench.verdicts import saved_runs
from bench.verdicts.busy import busy
from bench.verdicts.on_testbed import own_stack, registered
from bench.verdicts.saved_runs import RunVerdicts
from bench.verdicts.subjects import BARS, SUBJECTS, Subject
from podmeter.demo import runs
from podmeter.demo.api import Api, DemoError
from podmeter.statistics import METHOD_VERSION

RESULTS = PROJECT / ".podmeter" / "verdicts.jsonl"
BUSY_PROCESSES = 2
#: Of a run, until one was measured.
_GUESSED_SECONDS = 180.0


def main() -> int:
    """0 if every bar is met by what was run."""
    given = _arguments()
    end_on_sigterm()
    console = Console(highlight=False)
    if given.fresh:
        given.results.unlink(missing_ok=True)
    to_do = saved_runs.left(saved_runs.read(given.results), given.only, given.runs, METHOD_VERSION)
    console.print(f"{len(to_do)} runs to do; what they say is kept in {given.results}")
    if to_do:
        with testbed.ready(), own_stack() as api:
            cluster_id = registered(api)
            for number, (name, beside) in enumerate(to_do):
                _announce(console, number, to_do, saved_runs.read(given.results))
                said = _said(api, console, cluster_id, SUBJECTS[name], name, beside=beside)
                saved_runs.add(given.results, said)
                change = "" if said.change is None else f" ({said.change:+.1%})"
                console.print(f"    {said.verdict}{change}: {said.reason}")
    found = [one for one in saved_runs.read(given.results) if one.method_version == METHOD_VERSION]
    return _told(console, [one for one in found if one.subject in given.only])


def _announce(
    console: Console, number: int, to_do: list[tuple[str, bool]], known: list[RunVerdicts]
) -> None:
    name, beside = to_do[number]
    took = {
        one: statistics.median([said.seconds for said in known if said.subject == one])
        for one in {said.subject for said in known}
    }
    rest = sum(took.get(one, _GUESSED_SECONDS) for one, _ in to_do[number:])
    besides = f", beside {BUSY_PROCESSES} busy processes" if beside else ""
    console.print(
        f"[{number + 1}/{len(to_do)}] {SUBJECTS[name].name}{besides}; "
        f"about {rest / 60:.0f} min left",
        markup=False,
    )


def _said(
    api: Api, console: Console, cluster_id: str, subject: Subject, name: str, *, beside: bool
) -> RunVerdicts:
    begun = time.monotonic()
    with busy(BUSY_PROCESSES) if beside else nullcontext():
        finished = runs.run(api, console, cluster_id, subject.spec)
    if finished["outcome"] != "succeeded":
        raise DemoError(f"the run {finished['id']} is {finished['outcome']}")
    comparison: dict[str, Any] = api.post("/comparisons", subject.comparison(finished["id"]))
    effect = subject.main_effect(comparison)
    ratio = effect["ratio"]
    return RunVerdicts(
        subject=name,
        busy=beside,
        verdict=effect["verdict"],
        reason=effect["reason"],
        change=None if ratio is None else ratio["value"] - 1,
        p=effect["p"],
        seconds=time.monotonic() - begun,
        finished_at=finished["finished_at"],
        method_version=comparison["method_version"],
    )


def _told(console: Console, found: list[RunVerdicts]) -> int:
    table = Table(title="What the main comparisons said", title_justify="left")
    columns = ("runs of", "beside", "runs", "better", "worse", "same", "undecided", "changes")
    for heading in columns:
        table.add_column(heading)
    for name, subject in SUBJECTS.items():
        for beside in (False, True):
            members = [one for one in found if (one.subject, one.busy) == (name, beside)]
            if members:
                counts = [
                    str(sum(one.verdict == verdict for one in members))
                    for verdict in ("better", "worse", "same", "undecided")
                ]
                changes = [one.change for one in members if one.change is not None]
                spread = f"{min(changes):+.1%} to {max(changes):+.1%}" if changes else ""
                besides = f"{BUSY_PROCESSES} busy processes" if beside else "nothing"
                table.add_row(subject.name, besides, str(len(members)), *counts, spread)
    console.print(table)
    good = True
    for bar in BARS:
        members = [one for one in found if one.subject in bar.subjects]
        if members:
            said = sum(one.verdict in bar.verdicts for one in members)
            met = bar.met(said, len(members))
            good = good and met
            limit = f"{'at least' if bar.at_least else 'at most'} {bar.share:.0%}"
            console.print(
                f"{bar.what}: {said} of {len(members)} ({limit}) {'met' if met else 'MISSED'}"
            )
    return 0 if good else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.verdicts", description=__doc__)
    parser.add_argument("--runs", type=int, default=10, help="of each experiment")
    parser.add_argument("--only", default=",".join(SUBJECTS), help="some of them, by comma")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where what is done is kept")
    parser.add_argument("--fresh", action="store_true", help="forget what is done")
    given = parser.parse_args()
    given.only = tuple(given.only.split(","))
    if unknown := set(given.only) - set(SUBJECTS):
        parser.error(f"--only knows {', '.join(SUBJECTS)}, not {', '.join(sorted(unknown))}")
    return given


if __name__ == "__main__":
    sys.exit(main())
