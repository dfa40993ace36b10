"""Running an experiment from the terminal, with a progress bar that moves with each trial."""

from __future__ import annotations

from importlib import resources
from typing import Any

import yaml
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from podmeter.demo.api import Api, DemoError

MODE_AXES = ("encapsulation", "kube_proxy_mode")


def experiment(name: str, *, switch: bool) -> dict[str, Any]:
    """A specification of the demo; without `switch` in the modes that stand in the cluster."""
    text = resources.files("podmeter.demo").joinpath(f"experiments/{name}.yaml").read_text()
    spec: dict[str, Any] = yaml.safe_load(text)
    if not switch:
        spec["axes"] = {k: v for k, v in spec["axes"].items() if k not in MODE_AXES}
    return spec


def run(api: Api, console: Console, cluster_id: str, spec: dict[str, Any]) -> dict[str, Any]:
    """Run an experiment to its end; the finished run. Raises DemoError unless it succeeded."""
    plan = api.post("/experiments/plan", spec)
    console.print(
        f"[bold]{spec['name']}[/bold] ({spec['kind']}): {len(plan['cases'])} cases, "
        f"{plan['trials']} trials, {len(plan['switches'])} mode switches, "
        f"about {plan['expected_seconds'] / 60:.0f} min"
    )
    kept = api.post("/experiments", spec)
    started = api.post(f"/experiments/{kept['id']}/runs", {"cluster_id": cluster_id})
    try:
        _follow(api, console, started["id"], plan["trials"])
    except KeyboardInterrupt:
        console.print("cancelling; what was switched is restored first")
        api.post(f"/runs/{started['id']}/cancel")
        _follow(api, console, started["id"], plan["trials"])
    finished: dict[str, Any] = api.get(f"/runs/{started['id']}")
    if finished["outcome"] not in ("succeeded", "partial"):
        raise DemoError(
            f"the run {started['id']} ended as {finished['outcome']}: {finished['reason']['text']}"
        )
    if finished["outcome"] == "partial":
        console.print(f"partly: {finished['reason']['text']}", style="yellow", markup=False)
    return finished


def _follow(api: Api, console: Console, run_id: str, trials: int) -> None:
    columns = (
        TextColumn("{task.description}", justify="left"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    seen: set[int] = set()
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("queued", total=trials)
        for kind, content in api.events(run_id):
            if kind == "state":
                progress.update(task, description=str(content.get("state", "")))
            elif kind == "trial":
                seen.add(int(content["trial"]))
                progress.update(task, completed=min(len(seen), trials))
            elif kind == "log" and content.get("level") == "warning":
                console.print(content["message"]["text"], style="yellow", markup=False)
