"""Cilium's routing between nodes: its ConfigMap, its DaemonSet, and the ways of packets then.

An agent reads its settings once, when its pod is made, makes and removes the tunnel's device and
the routes by itself, and ends where settings exclude each other. Pods keep the MTU of the route
that they were born with, which does not show on their nodes.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from podmeter.domain.components.cilium import CILIUM, CONFIG, GROUP, KEYS
from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.modes import Encapsulation
from podmeter_worker.kube.facts.component_state import pods_of, read_component_state
from podmeter_worker.kube.resources import CONFIG_MAPS, DAEMON_SETS, NODES, Resource
from podmeter_worker.modes import daemon_set, forbidden, kernel, pod_renewal, routes
from podmeter_worker.modes.changes import change
from podmeter_worker.modes.cilium import datapath as cilium_datapath
from podmeter_worker.modes.cilium import settings as cilium_settings
from podmeter_worker.modes.optional_kinds import listed
from podmeter_worker.modes.switcher import Switcher, read_saved, require
from podmeter_worker.modes.waiting import is_right, wait_until_right

if TYPE_CHECKING:
    from collections.abc import Mapping

    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.facts.component_state import ComponentState
    from podmeter_worker.kube.resources import Object
    from podmeter_worker.modes.switcher import Saved, SwitchContext

#: Where its chart puts it, and where OpenShift's does.
_NAMESPACES, _DAEMON_SET = ("kube-system", "cilium"), "cilium"
#: What tells single nodes otherwise, in either version of it.
_NODE_CONFIGS = tuple(
    Resource(f"{GROUP}/{version}", "ciliumnodeconfigs") for version in ("v2", "v2alpha1")
)
_NODE_ANNOTATION = "config.cilium.io/"
#: An agent compiles its programs when it starts, and a controller may also roll it out.
_RESTART_SECONDS, _ROLL_SECONDS = 180.0, 300.0
_EFFECTIVE_SECONDS = 60.0


class Written(BaseModel):
    """What stood before: the settings as they were written, and the agents that had read them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    settings: dict[str, str | None]
    agents: str


@dataclass(frozen=True, slots=True)
class _Cilium:
    """Cilium in a cluster."""

    path: str
    config_path: str
    running: Object
    settings: cilium_settings.Settings


class CiliumRoutingSwitcher(Switcher):
    """Switches `encapsulation` where Cilium is the pod network, by its ConfigMap."""

    axis = CILIUM.axis
    component = CILIUM.name

    def configurations(self, client: KubeClient) -> tuple[str, ...]:
        """Its ConfigMap."""
        path = daemon_set.found_in(client, _NAMESPACES, _DAEMON_SET)
        if path is None:
            return ()
        config_path = _config_path(path)
        return () if client.find(config_path) is None else (config_path,)

    def why_absent(self, context: SwitchContext) -> str | None:
        """Why Cilium's routing cannot be changed here, or None."""
        try:
            cilium = _read(context.client)
            return (
                cilium.settings.why_not
                or _why_told_otherwise(context.client, cilium)
                or pod_renewal.why_not(context)
            )
        except PreconditionError as error:
            return error.said

    def values(self, context: SwitchContext) -> dict[str, str | None]:
        """The encapsulations, with why Cilium, the nodes or their network cannot carry one."""
        settings, shells = _read(context.client).settings, context.shells.values()
        return {
            Encapsulation.NATIVE: _why_not_native(context, settings),
            Encapsulation.VXLAN: settings.why_no_tunnel(Encapsulation.VXLAN)
            or kernel.why_no_vxlan(shells),
            Encapsulation.GENEVE: settings.why_no_tunnel(Encapsulation.GENEVE)
            or kernel.why_no_geneve(shells),
        }

    def save(self, context: SwitchContext) -> Saved:
        """The settings as they are written, absent ones too."""
        cilium = _read(context.client)
        if why := cilium.settings.why_not:
            raise PreconditionError(why)
        written = Written(settings=cilium.settings.saved(), agents=_agents(context, cilium.running))
        return written.model_dump(mode="json")

    def observe(self, context: SwitchContext) -> str:
        """What the ConfigMap says, where packets between all nodes go so."""
        settings = _read(context.client).settings
        value = _value(settings)
        addresses = cilium_datapath.addresses(context, by_ranges=settings.by_ranges_of_nodes)
        if wrong := cilium_datapath.why_wrong_route(
            cilium_datapath.pairs(context, addresses), value
        ):
            raise PreconditionError(wrong)
        return value

    def component_state(self, context: SwitchContext) -> ComponentState:
        """Cilium's DaemonSet, its pods and its ConfigMap."""
        cilium = _read(context.client)
        return read_component_state(context.client, cilium.path, cilium.config_path)

    def switch(self, context: SwitchContext, value: str) -> bool:
        """Switch to an encapsulation, and renew the pods."""
        require(self, context, value)
        return self._apply_mode(
            context, _read(context.client).settings.wanted(value), value, agents=None
        )

    def restore(self, context: SwitchContext, saved: Saved) -> None:
        """Write back the settings that stood before, as they were written."""
        written = read_saved(Written, saved, self.component)
        if set(written.settings) != set(KEYS):
            raise PreconditionError(say("saved_unusable", component=self.component))
        stood = {key: text for key, text in written.settings.items() if text is not None}
        value = cilium_settings.Settings(stood, _read(context.client).settings.version).value
        if value is None:
            raise PreconditionError(say("saved_unusable", component=self.component))
        self._apply_mode(context, written.settings, value, agents=written.agents)

    def _apply_mode(
        self,
        context: SwitchContext,
        wanted: Mapping[str, str | None],
        value: str,
        *,
        agents: str | None,
    ) -> bool:
        """Write the configuration, restart the agents, and recreate the pods.

        Where all stands nothing is done but this: pods that are older than their agents are
        recreated, unless these are still the `agents` of before.
        """
        cilium = _read(context.client)
        with forbidden.told_as("cilium_not_allowed"):
            changed = _write(context.client, cilium.config_path, wanted)
        if changed:
            context.progress(say("step_patched"))
        by_ranges = cilium.settings.by_ranges_of_nodes

        def wrong() -> str | None:
            if _value(_read(context.client).settings) != value:
                return say("cilium_set_back", name=CONFIG, value=value)
            addresses = cilium_datapath.addresses(context, by_ranges=by_ranges)
            pairs = cilium_datapath.pairs(context, addresses)
            return cilium_datapath.why_wrong_route(pairs, value) or cilium_datapath.left(
                context, value
            )

        if not changed and agents is not None and is_right(wrong):
            if agents != _agents(context, cilium.running):
                old = pod_renewal.old_pods(context, cilium.running)
                # Those that nobody recreates do not show on their nodes.
                if left := [*old.renewable, *old.ending]:
                    pod_renewal.renew(context, left)
                    context.progress(say("step_recreated"))
            return False
        daemon_set.restart(context, cilium.running, seconds=_RESTART_SECONDS)
        # Who watches the ConfigMap may roll it as well.
        daemon_set.await_rollout(context, cilium.path, _ROLL_SECONDS)
        context.progress(say("step_rolled"))
        what = say("wait_cilium_mode", value=value)
        wait_until_right(context, what, wrong, _EFFECTIVE_SECONDS)
        context.progress(say("step_effective"))
        pod_renewal.renew(context)
        context.progress(say("step_recreated"))
        return changed


def _value(settings: cilium_settings.Settings) -> str:
    if settings.value is None:
        raise PreconditionError(settings.why_not or say("saved_unusable", component=CILIUM.name))
    return settings.value


def _write(client: KubeClient, path: str, wanted: Mapping[str, str | None]) -> bool:
    def patch(config_map: Object) -> Object | None:
        data = config_map.get("data") or {}
        unlike = {key: text for key, text in wanted.items() if data.get(key) != text}
        return {"data": unlike} if unlike else None

    return change(client, path, patch)[1]


def _why_not_native(context: SwitchContext, settings: cilium_settings.Settings) -> str | None:
    why = settings.why_not_native or routes.why_not_direct(context.shells.values())
    if why is not None or settings.cidr is None:
        return why
    addresses = cilium_datapath.addresses(context, by_ranges=settings.by_ranges_of_nodes)
    return cilium_datapath.why_outside(addresses, settings.cidr)


def _why_told_otherwise(client: KubeClient, cilium: _Cilium) -> str | None:
    """What overrides the ConfigMap, of all nodes or of single ones."""
    if name := cilium_settings.told_by_flags(cilium.running):
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


def _agents(context: SwitchContext, running: Object) -> str:
    """A digest of which pods the agents are in."""
    uids = sorted(str(pod["metadata"]["uid"]) for pod in pods_of(context.client, running))
    return hashlib.sha256(" ".join(uids).encode()).hexdigest()


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
