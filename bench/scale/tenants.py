"""Organizations with their clusters and the runs that they queue."""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from bench.chaos.sites import ScriptedChaosCluster
from bench.row import BenchError
from bench.stack import PASSWORD, OwnStack, PatientApi
from podmeter.credentials.passwords import Passwords
from podmeter.db.models import Membership, Organization, Role, User
from podmeter.db.session import Sessions

SPEC: dict[str, Any] = {
    "name": "scale",
    "kind": "throughput",
    "axes": {"path": ["pod-pod"], "protocol": ["tcp"], "streams": [1]},
    "repetition": {"trials": 1, "seconds": 1, "warmup": 0, "rounds": 1},
}
_LOOKED_AT_SECONDS = 300.0
_AT_ONCE = 4


@dataclass
class Tenant:
    """An organization, as its administrator uses the API."""

    name: str
    id: uuid.UUID
    api: PatientApi
    clusters: list[str] = field(default_factory=list)
    experiment: str = ""

    def register(self, sites: Sequence[ScriptedChaosCluster]) -> None:
        """Register clusters and have them looked at, without waiting for that."""
        for site in sites:
            body = {"name": site.name, "kubeconfig": site.kubeconfig}
            cluster = self.api.post("/clusters", body)["id"]
            self.api.post(f"/clusters/{cluster}/preflight")
            self.clusters.append(cluster)
        self.experiment = self.api.post("/experiments", SPEC)["id"]

    def wait_looked_at(self) -> None:
        """Until a run could be started on each. Raises BenchError with why one cannot."""
        deadline = time.monotonic() + _LOOKED_AT_SECONDS
        while waiting := [
            one for one in self.api.all("/clusters") if one["preflight_state"] != "succeeded"
        ]:
            if time.monotonic() > deadline:
                one = waiting[0]
                raise BenchError(f"{one['name']} was not looked at: {one['preflight_error']}")
            for one in waiting:
                if one["preflight_state"] == "failed":  # on a busy machine one may take too long
                    print(f"  {one['name']} again: {one['preflight_error']['text']}", flush=True)
                    self.api.post(f"/clusters/{one['id']}/preflight")
            time.sleep(0.5)

    def queue(self, runs: int) -> None:
        """Queue so many runs, on each cluster in turn, a few requests at a time."""

        def post(number: int) -> None:
            cluster = self.clusters[number % len(self.clusters)]
            self.api.post(f"/experiments/{self.experiment}/runs", {"cluster_id": cluster})

        with ThreadPoolExecutor(_AT_ONCE) as pool:
            list(pool.map(post, range(runs)))


def tenants(stack: OwnStack, sessions: Sessions, names: Sequence[str]) -> list[Tenant]:
    """Organizations, each with an administrator who is logged in."""
    hashed = Passwords().hash(PASSWORD)
    made = []
    for name in names:
        email = f"admin@{name}.example"
        with sessions.begin() as session:
            owner, user = Organization(name=name), User(email=email, password_hash=hashed)
            session.add_all([owner, user])
            session.flush()
            member = Membership(organization_id=owner.id, user_id=user.id, role=Role.ADMIN)
            session.add(member)
            session.flush()
            owner_id = owner.id
        api = PatientApi(stack.api.url)
        api.log_in(email, PASSWORD)
        made.append(Tenant(name, owner_id, api))
    return made
