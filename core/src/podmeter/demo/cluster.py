"""Registering the demo's cluster, and looking at it before anything is measured."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from podmeter.demo.api import Api, DemoError

PREFLIGHT_WITHIN = 120.0


def register(
    api: Api,
    name: str,
    kubeconfig: str,
    *,
    allow_mode_switch: bool,
    uid: str | None = None,
    is_ours: Callable[[str], bool] = lambda _: True,
) -> dict[str, Any]:
    """The registered cluster, preflighted; one of that name gets the new credentials.

    With `uid`, that of its kube-system namespace, only if it is the same cluster: one that was made
    again under the name of another is registered beside it. A registration that is not ours, by its
    id, is used as it is: neither its credentials nor its settings change.
    """
    wanted = {"kubeconfig": kubeconfig, "allow_mode_switch": allow_mode_switch}
    there = list(api.all("/clusters"))
    known = next((one for one in there if _is(one, name, uid)), None)
    if known is not None and not is_ours(known["id"]):
        return preflight(api, known["id"])
    if known is None:
        names = {one["name"] for one in there}
        fitting = (name, *(f"{name} {number}" for number in range(2, len(names) + 2)))
        free = next(one for one in fitting if one not in names)
        cluster = api.post("/clusters", {"name": free, **wanted})
    else:
        cluster = api.patch(f"/clusters/{known['id']}", known["version"], wanted)
    return preflight(api, cluster["id"])


def _is(cluster: dict[str, Any], name: str, uid: str | None) -> bool:
    """Whether it is the cluster, as far as that is known of it."""
    if uid is None or cluster["cluster_uid"] is None:
        return bool(cluster["name"] == name)
    return bool(cluster["cluster_uid"] == uid)


def preflight(api: Api, cluster_id: str) -> dict[str, Any]:
    """The cluster once its preflight ended. Raises DemoError with what is wrong."""
    api.post(f"/clusters/{cluster_id}/preflight")
    deadline = time.monotonic() + PREFLIGHT_WITHIN
    while True:
        cluster: dict[str, Any] = api.get(f"/clusters/{cluster_id}")
        if cluster["preflight_state"] == "succeeded":
            return cluster
        if cluster["preflight_state"] == "failed":
            raise DemoError(f"preflight of {cluster['name']}: {cluster['preflight_error']['text']}")
        if time.monotonic() > deadline:
            raise DemoError(f"preflight of {cluster['name']} took over {PREFLIGHT_WITHIN:.0f} s")
        time.sleep(0.5)
