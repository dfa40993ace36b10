"""Running an experiment from the terminal, with a progress bar that moves with each trial."""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources
from math import inf
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from podmeter.demo.api import Api, DemoError
from podmeter.demo.time_left import PlannedRun, TimeLeft
from podmeter.domain.errors import InvalidSpecError
from podmeter.kinds.registry import read_spec
from podmeter.services.experiments.document import parse_yaml

#: What is left, for the share of a run's trials that is done.
Left = Callable[[float], str]


class CancelledError(DemoError):
    """The user has cancelled a run, which has ended."""


def experiment(name: str) -> dict[str, Any]:
    """A specification of the demo, with every mode that it knows to compare."""
    text = resources.files("podmeter.demo").joinpath(f"experiments/{name}.yaml").read_text()
    spec: dict[str, Any] = yaml.safe_load(text)
    return spec


def read(path: str) -> dict[str, Any]:
    """A specification from a user's file, in YAML or JSON; DemoError says what is wrong with it."""
    try:
        return read_spec(parse_yaml(Path(path).read_bytes())).model_dump(mode="json")
    except OSError as error:
        raise DemoError(f"{path} cannot be read: {error}") from None
    except InvalidSpecError as error:
        raise DemoError(f"{path} has no specification that can be run: {error}") from None


def run(api: Api, console: Console, cluster_id: str, spec: dict[str, Any]) -> dict[str, Any]:
    """Run an experiment to its end; the finished run.

    Raises DemoError unless it succeeded, at least in part: its outcome says which.
    """
    plan = api.post(f"/experiments/plan?cluster_id={cluster_id}", spec)
    reckoned = "" if plan["blocks_seen"] else ", longer if this cluster is a slow one"
    until = plan["repetition"]["until_decided"]
    bound = "" if until is None else "at most "
    console.print(
        f"[bold]{spec['name']}[/bold] ({spec['kind']}): {len(plan['cases'])} cases, {bound}"
        f"{plan['trials']} trials and {plan['mode_switches']} mode switches, "
        f"about {plan['expected_seconds'] / 60:.0f} min{reckoned}"
    )
    if until is not None:
        console.print(
            f"It ends as soon as every main case is decided: better, worse, or a difference "
            f"below {until['difference']:.0%}."
        )
    most = inf if until is None else plan["expected_seconds"]
    left = TimeLeft([PlannedRun(plan["expected_seconds"])], most_seconds=most)
    return finish(api, console, start(api, cluster_id, spec), plan["trials"], left.said)


def start(api: Api, cluster_id: str, spec: dict[str, Any]) -> str:
    """Begin a run of an experiment; its id."""
    kept = api.post("/experiments", spec)
    return str(api.post(f"/experiments/{kept['id']}/runs", {"cluster_id": cluster_id})["id"])


def finish(
    api: Api, console: Console, run_id: str, trials: int, left: Left | None = None
) -> dict[str, Any]:
    """Follow a run to its end; the finished run. Ctrl-C cancels it.

    Raises CancelledError, or DemoError unless it succeeded, at least in part.
    """
    cancelled = False
    try:
        _follow(api, console, run_id, trials, left)
    except KeyboardInterrupt:
        cancelled = True
        console.print("cancelling; what was switched is restored first")
        api.post(f"/runs/{run_id}/cancel")
        _follow(api, console, run_id, trials)
    finished: dict[str, Any] = api.get(f"/runs/{run_id}")
    if finished["outcome"] not in ("succeeded", "partial"):
        fault = CancelledError if cancelled else DemoError
        raise fault(
            f"the run {run_id} ended as {finished['outcome']}: {finished['reason']['text']}"
        )
    if finished["outcome"] == "partial":
        console.print(f"partly: {finished['reason']['text']}", style="yellow", markup=False)
    return finished


def _follow(api: Api, console: Console, run_id: str, trials: int, left: Left | None = None) -> None:
    columns = (
        TextColumn("{task.description}", justify="left"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
    )
    seen: set[int] = set()
    tenths = 0
    with Progress(*columns, console=console) as progress:
        # Waiting in the queue is not running: the clock begins with the run.
        told = left(0.0) if left else ""
        task = progress.add_task("queued", total=trials, left=told, start=False)
        for kind, content in api.events(run_id):
            if kind == "state":
                state = str(content.get("state", ""))
                progress.update(task, description=state)
                if state != "queued":
                    progress.start_task(task)
                if state == "finished":
                    progress.update(task, left="")
            elif kind == "trial":
                seen.add(int(content["trial"]))
                done = min(len(seen), trials)
                told = left(done / trials) if left else ""
                progress.update(task, completed=done, left=told)
                if told and not console.is_terminal and 10 * done // trials > tenths:
                    # A file gets no bar that moves.
                    tenths = 10 * done // trials
                    console.print(f"    {done} of {trials} trials; {told}", markup=False)
            elif kind == "log" and content.get("level") == "warning":
                console.print(content["message"]["text"], style="yellow", markup=False)
