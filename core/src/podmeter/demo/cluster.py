"""Registering the demo's cluster, and looking at it before anything is measured."""

from __future__ import annotations

import time
from typing import Any

from podmeter.demo.api import Api, DemoError

PREFLIGHT_WITHIN = 120.0


def register(api: Api, name: str, kubeconfig: str, *, allow_mode_switch: bool) -> dict[str, Any]:
    """The registered cluster, preflighted; one of that name gets the new credentials."""
    wanted = {"kubeconfig": kubeconfig, "allow_mode_switch": allow_mode_switch}
    known = next((one for one in api.all("/clusters") if one["name"] == name), None)
    if known is None:
        cluster = api.post("/clusters", {"name": name, **wanted})
    else:
        cluster = api.patch(f"/clusters/{known['id']}", known["version"], wanted)
    return preflight(api, cluster["id"])


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
