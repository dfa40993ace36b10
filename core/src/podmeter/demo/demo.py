"""From nothing to two answers: the stack, a cluster, two experiments, a link to each result."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from rich.console import Console

from podmeter.demo import answers, cluster, modes, runs, stack
from podmeter.demo.answers import Answer
from podmeter.demo.api import Api, DemoError
from podmeter.demo.credentials import (
    Kubectl,
    cluster_uid,
    knows_admission_policies,
    service_account_kubeconfig,
)
from podmeter.settings import Settings
from podmeter.stack.up import SECRETS_FILE

#: Below the state folder: the ids of the registrations that the demo made, which it may change.
REGISTRATIONS_FILE = "demo-registrations"


def demo(settings: Settings) -> None:
    """Do it all; KUBECONFIG says where, ALLOW_MODE_SWITCH=1 allows to switch modes there.

    SERVICES gives the rungs of a high ladder, ONLY names one of the experiments, SPEC a file that
    has another. Raises DemoError. An experiment that succeeded only in part is shown as such.
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
    registered = register(api, console, kubectl, settings, switch=switch)
    found = []
    for wanted in all_wanted:
        spec = _fitted(api, console, registered, wanted)
        finished = runs.run(api, console, registered["id"], spec)
        found.append(_answer(api, finished, spec))
    answers.show(console, found)
    console.print(
        f"\nPodmeter keeps running at {api.url}. Log in as {settings.admin_email}; the password "
        f"is in {settings.state_dir / SECRETS_FILE}. `make down` stops it.",
        soft_wrap=True,
    )


def check() -> None:
    """Raise DemoError where the environment asks for what cannot be measured."""
    wanted_experiments(os.environ)


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


def register(
    api: Api, console: Console, kubectl: Kubectl, settings: Settings, *, switch: bool
) -> dict[str, Any]:
    """The cluster of the user's kubeconfig, registered with a ServiceAccount made for that.

    One that somebody else registered is used as it is.
    """
    made = settings.state_dir / REGISTRATIONS_FILE
    ours = set(made.read_text().split()) if made.exists() else set()
    uid = cluster_uid(kubectl)
    there = list(api.all("/clusters"))
    for known in there:
        if uid is not None and known["cluster_uid"] == uid and known["id"] not in ours:
            shown = known["name"]
            switches = "allows" if known["allow_mode_switch"] else "does not allow"
            console.print(
                f"[bold]{shown}[/bold] is registered already and is used as it is: it {switches} "
                "mode switches"
            )
            return cluster.preflight(api, known["id"])
    name, kubeconfig = service_account_kubeconfig(kubectl, manifest(api, kubectl, switch=switch))
    registered = cluster.register(
        api, name, kubeconfig, allow_mode_switch=switch, uid=uid, is_ours=ours.__contains__
    )
    if registered["id"] not in {known["id"] for known in there}:
        made.write_text("\n".join(sorted(ours | {registered["id"]})))
    shown = registered["name"]
    console.print(f"registered [bold]{shown}[/bold] at {registered['server']}")
    return registered


def manifest(api: Api, kubectl: Kubectl, *, switch: bool) -> str:
    """The rights that it takes: those of `podmeter-admin rbac`."""
    capability = "switch_modes" if switch else "host_access"
    policy = "true" if knows_admission_policies(kubectl) else "false"
    return api.text("/rbac", capability=capability, admission_policy=policy)


def _fitted(
    api: Api, console: Console, registered: dict[str, Any], wanted: dict[str, Any]
) -> dict[str, Any]:
    """An experiment as the cluster can have it; says what is left out, and why."""
    plan = api.post(f"/experiments/plan?cluster_id={registered['id']}", wanted)
    found = modes.fitted(plan, wanted)
    axis = modes.compared_axis(wanted)
    if axis is not None and found.left_out:
        if modes.compared_axis(found.spec) is None:
            console.print(f"No two modes of {axis} can be compared here:")
        for why in found.left_out:
            console.print(f"Left out: {why}")
    return found.spec


def _answer(api: Api, run: dict[str, Any], spec: dict[str, Any]) -> Answer:
    """What a run found, its modes compared where it has several; frozen behind a link."""
    subject: dict[str, str] = {"run_id": run["id"]}
    axis = modes.compared_axis(spec)
    if axis is None:
        found = api.get(f"/runs/{run['id']}/summaries")
    else:
        sides = [{"run_id": run["id"], "where": {axis: value}} for value in spec["axes"][axis]]
        found = api.post("/comparisons", {"baseline": sides[0], "contenders": sides[1:]})
        subject = {"comparison_id": found["id"]}
    url: str = api.post("/snapshots", {"title": run["name"], **subject})["url"]
    in_part = run["reason"]["text"] if run["outcome"] == "partial" else ""
    return Answer(spec["name"], found.get("headline"), url, in_part)
