"""The manual way: one registered cluster for each mode, set up by its owner; nothing to switch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.modes import CLUSTER
from podmeter_worker.kube.facts.identity import cluster_uid

if TYPE_CHECKING:
    from podmeter_worker.modes.switcher import Saved, Site


class ManualSwitcher:
    """The axis `cluster`: a block runs on the cluster its value names, which stays as it is."""

    axis = CLUSTER
    component = "the cluster's owner"

    def why_absent(self, site: Site) -> str | None:
        """Never absent: it acts on nothing."""
        return None

    def values(self, site: Site) -> dict[str, str | None]:
        """The one value of a site: this cluster, by its UID."""
        return {self.observe(site): None}

    def save(self, site: Site) -> Saved:
        """Which cluster this is."""
        return {"cluster_uid": self.observe(site)}

    def observe(self, site: Site) -> str:
        """The cluster's UID, that of its kube-system namespace."""
        return cluster_uid(site.client)

    def switch(self, site: Site, value: str) -> None:
        """Check that the site is the cluster that was meant."""
        if self.observe(site) != value:
            raise PreconditionError(say("another_cluster", uid=self.observe(site)))

    def restore(self, site: Site, saved: Saved) -> None:
        """Nothing was changed; only the wrong cluster is refused."""
        self.switch(site, str(saved["cluster_uid"]))
