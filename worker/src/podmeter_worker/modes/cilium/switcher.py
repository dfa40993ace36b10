"""Cilium's routing between nodes: its ConfigMap, its DaemonSet, and the ways of packets then.

An agent reads its settings once, when its pod is made, makes and removes the tunnel's device and
the routes by itself, and ends where settings exclude each other. Pods keep the MTU of the route
that they were born with, which does not show on their nodes.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, ValidationError

from podmeter.domain.components.cilium import CILIUM, CONFIG, GROUP, KEYS
from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.modes import Encapsulation
from podmeter_worker.kube.facts.standing import pods_of, take_standing
from podmeter_worker.kube.resources import CONFIG_MAPS, DAEMON_SETS, NODES, Resource
from podmeter_worker.modes import daemon_set, forbidden, kernel, pod_renewal, routes
from podmeter_worker.modes.changes import change
from podmeter_worker.modes.cilium import settings as cilium_settings
from podmeter_worker.modes.cilium import ways as cilium_ways
from podmeter_worker.modes.optional_kinds import listed
from podmeter_worker.modes.switcher import require
from podmeter_worker.modes.waiting import is_right, wait_until_right

if TYPE_CHECKING:
    from collections.abc import Mapping

    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.facts.standing import Standing
    from podmeter_worker.kube.resources import Object
    from podmeter_worker.modes.switcher import Saved, Site

#: Where its chart puts it, and where OpenShift's does.
_NAMESPACES, _DAEMON_SET = ("kube-system", "cilium"), "cilium"
#: What tells single nodes otherwise, in either version of it.
_NODE_CONFIGS = tuple(
    Resource(f"{GROUP}/{version}", "ciliumnodeconfigs") for version in ("v2", "v2alpha1")
)
_NODE_ANNOTATION = "config.cilium.io/"
#: An agent compiles its programs when it starts; whoever else rolls it at a change is waited for.
_RESTART_SECONDS, _ROLL_SECONDS = 180.0, 300.0
_EFFECTIVE_SECONDS = 60.0


class Written(BaseModel):
    """What stood before: the settings as they were written, and the agents that had read them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    settings: dict[str, str | None]
    agents: str


@dataclass(frozen=True, slots=True)
class _Cilium:
    """Cilium as it stands in a cluster."""

    path: str
    config_path: str
    running: Object
    settings: cilium_settings.Settings


class CiliumRoutingSwitcher:
    """Switches `encapsulation` where Cilium is the pod network, by its ConfigMap."""

    axis = CILIUM.axis
    component = CILIUM.name

    def configurations(self, client: KubeClient) -> tuple[str, ...]:
        """Its ConfigMap."""
        path = daemon_set.found_in(client, _NAMESPACES, _DAEMON_SET)
        if path is None:
            return ()
        found = _config_path(path)
        return () if client.find(found) is None else (found,)

    def why_absent(self, site: Site) -> str | None:
        """Why Cilium's routing cannot be changed here, or None."""
        if daemon_set.found_in(site.client, _NAMESPACES, _DAEMON_SET) is None:
            return _elsewhere(site.client)
        try:
            found = _read(site.client)
            return (
                found.settings.why_not
                or _why_told_otherwise(site.client, found)
                or pod_renewal.why_not(site)
            )
        except PreconditionError as error:
            return error.said

    def values(self, site: Site) -> dict[str, str | None]:
        """The encapsulations, with why Cilium, the nodes or their network cannot carry one."""
        settings, shells = _read(site.client).settings, site.shells.values()
        return {
            Encapsulation.NATIVE: _why_not_native(site, settings),
            Encapsulation.VXLAN: settings.why_no_tunnel(Encapsulation.VXLAN)
            or kernel.why_no_vxlan(shells),
            Encapsulation.GENEVE: settings.why_no_tunnel(Encapsulation.GENEVE)
            or kernel.why_no_geneve(shells),
        }

    def save(self, site: Site) -> Saved:
        """The settings as they are written, absent ones too."""
        found = _read(site.client)
        written = Written(settings=found.settings.saved(), agents=_agents(site, found.running))
        return written.model_dump(mode="json")

    def observe(self, site: Site) -> str:
        """What the ConfigMap says, where packets between all nodes go so."""
        settings = _read(site.client).settings
        value = _value(settings)
        found = cilium_ways.addresses(site, by_ranges=settings.by_ranges_of_nodes)
        if wrong := cilium_ways.wrong_way(cilium_ways.pairs(site, found), value):
            raise PreconditionError(wrong)
        return value

    def standing(self, site: Site) -> Standing:
        """Cilium's DaemonSet, its pods and its ConfigMap."""
        found = _read(site.client)
        return take_standing(site.client, found.path, found.config_path)

    def switch(self, site: Site, value: str) -> bool:
        """Switch to an encapsulation, and renew the pods."""
        require(self, site, value)
        return self._go(site, _read(site.client).settings.wanted(value), value, agents=None)

    def restore(self, site: Site, saved: Saved) -> None:
        """Write back the settings that stood before, as they were written."""
        try:
            written = Written.model_validate(saved)
        except ValidationError as error:
            raise PreconditionError(say("saved_unusable", component=self.component)) from error
        if set(written.settings) != set(KEYS):
            raise PreconditionError(say("saved_unusable", component=self.component))
        stood = {key: text for key, text in written.settings.items() if text is not None}
        value = cilium_settings.Settings(stood, _read(site.client).settings.version).value
        if value is None:
            raise PreconditionError(say("saved_unusable", component=self.component))
        self._go(site, written.settings, value, agents=written.agents)

    def _go(
        self, site: Site, wanted: Mapping[str, str | None], value: str, *, agents: str | None
    ) -> bool:
        """Write, start the agents anew, and the pods.

        Where all stands, and `agents` are still those or no pod is older, nothing is done.
        """
        found = _read(site.client)
        with forbidden.told_as("cilium_not_allowed"):
            changed = _write(site.client, found.config_path, wanted)
        if changed:
            site.progress(say("step_patched"))
        by_ranges = found.settings.by_ranges_of_nodes

        def wrong() -> str | None:
            if _value(_read(site.client).settings) != value:
                return say("cilium_set_back", name=CONFIG, value=value)
            addresses = cilium_ways.addresses(site, by_ranges=by_ranges)
            pairs = cilium_ways.pairs(site, addresses)
            return cilium_ways.wrong_way(pairs, value) or cilium_ways.left(site, value)

        def older() -> str | None:
            return None if agents == _agents(site, found.running) else _why_older(site, found)

        if not changed and agents is not None and is_right(lambda: wrong() or older()):
            return False
        daemon_set.restart(site, found.running, seconds=_RESTART_SECONDS)
        # Who watches the ConfigMap may roll it as well.
        daemon_set.await_rollout(site, found.path, _ROLL_SECONDS)
        site.progress(say("step_rolled"))
        what = say("wait_cilium_mode", value=value)
        wait_until_right(site, what, wrong, _EFFECTIVE_SECONDS)
        site.progress(say("step_effective"))
        pod_renewal.renew(site)
        site.progress(say("step_recreated"))
        return changed


def _value(settings: cilium_settings.Settings) -> str:
    if settings.value is None:
        raise PreconditionError(settings.why_not or say("saved_unusable", component=CILIUM.name))
    return settings.value


def _write(client: KubeClient, path: str, wanted: Mapping[str, str | None]) -> bool:
    def patch(found: Object) -> Object | None:
        data = found.get("data") or {}
        unlike = {key: text for key, text in wanted.items() if data.get(key) != text}
        return {"data": unlike} if unlike else None

    return change(client, path, patch)[1]


def _why_not_native(site: Site, settings: cilium_settings.Settings) -> str | None:
    why = settings.why_not_native or routes.why_not_direct(site.shells.values())
    if why is not None or settings.cidr is None:
        return why
    found = cilium_ways.addresses(site, by_ranges=settings.by_ranges_of_nodes)
    return cilium_ways.why_outside(found, settings.cidr)


def _why_told_otherwise(client: KubeClient, found: _Cilium) -> str | None:
    """What overrides the ConfigMap, of all nodes or of single ones."""
    if name := cilium_settings.told_by_flags(found.running):
        return say("cilium_told_by_flag", name=name)
    with forbidden.told_as("cilium_not_allowed"):
        for kind in _NODE_CONFIGS:
            for item in listed(client, kind):
                keys = sorted(set(KEYS) & set((item.get("spec") or {}).get("defaults") or {}))
                if keys:
                    where = f"{item['metadata']['namespace']}/{item['metadata']['name']}"
                    return say("cilium_node_config", name=where, keys=keys)
    for item in client.list_all(NODES.path()).items:
        annotations = item["metadata"].get("annotations") or {}
        keys = sorted(key for key in KEYS if _NODE_ANNOTATION + key in annotations)
        if keys:
            return say("cilium_node_told", node=item["metadata"]["name"], keys=keys)
    return None


def _agents(site: Site, running: Object) -> str:
    """A digest of which pods the agents are in."""
    uids = sorted(str(pod["metadata"]["uid"]) for pod in pods_of(site.client, running))
    return hashlib.sha256(" ".join(uids).encode()).hexdigest()


def _why_older(site: Site, found: _Cilium) -> str | None:
    """Which pod was there before its node's agent, so that its MTU may be that of another mode."""
    started = {
        pod["spec"].get("nodeName"): pod["metadata"]["creationTimestamp"]
        for pod in pods_of(site.client, found.running)
    }
    for pod in pod_renewal.renewable(site):
        metadata = pod["metadata"]
        # Both are to the second, in UTC and of one form.
        if metadata["creationTimestamp"] <= started.get(pod["spec"].get("nodeName"), ""):
            return say("pod_older", pod=f"{metadata['namespace']}/{metadata['name']}")
    return None


def _read(client: KubeClient) -> _Cilium:
    path = daemon_set.found_in(client, _NAMESPACES, _DAEMON_SET)
    if path is None:
        raise PreconditionError(_elsewhere(client))
    running, config_path = client.get(path), _config_path(path)
    config = client.find(config_path)
    if config is None:
        where = f"{running['metadata']['namespace']}/{CONFIG}"
        raise PreconditionError(say("config_map_missing", name=where))
    return _Cilium(path, config_path, running, cilium_settings.read(config, running))


def _config_path(path: str) -> str:
    return CONFIG_MAPS.path(path.split("/")[-3], CONFIG)


def _elsewhere(client: KubeClient) -> str:
    for item in client.list_all(DAEMON_SETS.path()).items:
        where = f"{item['metadata']['namespace']}/{item['metadata']['name']}"
        containers = item["spec"]["template"]["spec"]["containers"]
        if any(one["name"] == "cilium-agent" for one in containers):
            return say("cilium_elsewhere", where=where)
    return say("cilium_absent", name=_DAEMON_SET)
