"""From nothing to a link: the stack, a cluster, two experiments, their comparisons, a snapshot."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from rich.console import Console

from podmeter.demo import cluster, modes, runs, stack, tables
from podmeter.demo.api import Api, DemoError
from podmeter.demo.credentials import (
    Kubectl,
    cluster_uid,
    knows_admission_policies,
    service_account_kubeconfig,
)
from podmeter.settings import Settings
from podmeter.stack.up import SECRETS_FILE


def demo(settings: Settings) -> None:
    """Do it all; KUBECONFIG says where, ALLOW_MODE_SWITCH=1 allows to switch modes there.

    SERVICES gives the rungs of a high ladder, ONLY names one of the experiments, SPEC a file that
    has another.
    """
    console = Console(highlight=False)
    if not os.environ.get("KUBECONFIG"):
        raise DemoError(
            "KUBECONFIG is not set. `make demo` sets it to the testbed's; "
            "KUBECONFIG=~/.kube/config make demo measures your own cluster"
        )
    all_wanted = wanted_experiments(os.environ)
    switch = os.environ.get("ALLOW_MODE_SWITCH") == "1"
    kubectl = Kubectl(os.environ.get("KUBECTL") or "kubectl")
    api, started = stack.ensure(settings)
    console.print(f"Podmeter is at {api.url}" + (", started for this" if started else ""))
    registered = register(api, console, kubectl, switch=switch)
    links = []
    for wanted in all_wanted:
        spec = _fitted(api, console, registered, wanted, switch=switch)
        finished = runs.run(api, console, registered["id"], spec)
        links.append((spec["name"], _share(api, console, finished, spec)))
    console.print("\nTo be opened in a browser, by anybody who has the link:")
    for title, url in links:
        console.print(f"  {title}: {url}", soft_wrap=True)
    console.print(
        f"\nPodmeter goes on at {api.url}; log in as {settings.admin_email}, the password is in "
        f"{settings.state_dir / SECRETS_FILE}. `make down` stops it.",
        soft_wrap=True,
    )


def wanted_experiments(given: Mapping[str, str]) -> list[dict[str, Any]]:
    """What is measured: the specification in the file SPEC alone, else the demo's own.

    Of these SERVICES gives the rungs of a ladder that may be high; ONLY is the one kind to measure.

    Raises DemoError where the rungs are no numbers, no experiment is of that kind, or the file has
    no specification.
    """
    rungs, only, path = (given.get(name) for name in ("SERVICES", "ONLY", "SPEC"))
    if path:
        if rungs or only:
            raise DemoError("SPEC says all that is measured: leave out SERVICES and ONLY")
        return [runs.read(path)]
    services = runs.experiment("service_ladder" if rungs else "service_scale")
    if rungs:
        try:
            heights = [int(one) for one in rungs.split(",")]
        except ValueError:
            raise DemoError(f"SERVICES={rungs}: write numbers, as in 10,1000,5000") from None
        services["axes"]["services"] = heights
    found = [runs.experiment("throughput"), services]
    if not only:
        return found
    if chosen := [one for one in found if one["kind"] == only]:
        return chosen
    raise DemoError(f"ONLY={only}: name {' or '.join(one['kind'] for one in found)}")


def register(api: Api, console: Console, kubectl: Kubectl, *, switch: bool) -> dict[str, Any]:
    """The cluster of the user's kubeconfig, registered with a ServiceAccount made for that."""
    name, kubeconfig = service_account_kubeconfig(kubectl, manifest(api, kubectl, switch=switch))
    uid = cluster_uid(kubectl)
    registered = cluster.register(api, name, kubeconfig, allow_mode_switch=switch, uid=uid)
    shown = registered["name"]
    console.print(f"registered [bold]{shown}[/bold] at {registered['server']}")
    return registered


def manifest(api: Api, kubectl: Kubectl, *, switch: bool) -> str:
    """The rights that it takes: those of `podmeter-admin rbac`."""
    capability = "switch_modes" if switch else "host_access"
    policy = "true" if knows_admission_policies(kubectl) else "false"
    return api.text("/rbac", capability=capability, admission_policy=policy)


def _fitted(
    api: Api, console: Console, registered: dict[str, Any], wanted: dict[str, Any], *, switch: bool
) -> dict[str, Any]:
    """An experiment as the cluster can have it; says what is left out, and why."""
    plan = api.post(f"/experiments/plan?cluster_id={registered['id']}", wanted)
    found = modes.fitted(plan, wanted)
    axis = modes.compared_axis(wanted)
    if switch and axis is not None and found.left_out:
        why = "; ".join(found.left_out)
        left = [one for one in wanted["axes"][axis] if one not in found.spec["axes"].get(axis, ())]
        if modes.compared_axis(found.spec) is None:
            console.print(f"No two modes of {axis} can be compared here: {why}")
        else:
            console.print(f"Left out: {axis} {', '.join(left)} ({why})")
    return found.spec


def _share(api: Api, console: Console, run: dict[str, Any], spec: dict[str, Any]) -> str:
    """Show what came of a run, freeze it; the snapshot's link."""
    report = api.get(f"/runs/{run['id']}/summaries")
    subject: dict[str, str] = {"run_id": run["id"]}
    axis = modes.compared_axis(spec)
    if axis is not None:
        sides = [{"run_id": run["id"], "where": {axis: value}} for value in spec["axes"][axis]]
        comparison = api.post("/comparisons", {"baseline": sides[0], "contenders": sides[1:]})
        tables.show_comparison(console, comparison)
        tables.show_headline(console, comparison)
        subject = {"comparison_id": comparison["id"]}
    else:
        tables.show_summaries(console, report)
        tables.show_headline(console, report)
    tables.show_overhead(console, report)
    url: str = api.post("/snapshots", {"title": run["name"], **subject})["url"]
    return url
