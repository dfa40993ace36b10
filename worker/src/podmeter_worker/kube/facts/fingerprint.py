"""A cluster's Fingerprint, from what its API and its nodes tell."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from podmeter.domain.axes import mode_axes
from podmeter.domain.fingerprint import Fingerprint, KubeProxyFacts, NodeFacts, in_use
from podmeter.domain.modes import KUBE_PROXY_MODE
from podmeter_worker.kube.facts.cni import read_cni
from podmeter_worker.kube.facts.identity import cluster_uid, kubernetes_version
from podmeter_worker.kube.facts.kube_proxy import KubeProxySetup, read_setup
from podmeter_worker.kube.facts.nodes import why_unfit
from podmeter_worker.kube.facts.observation import Observation, observe
from podmeter_worker.kube.resources import NODES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from podmeter.domain.bench_image import BenchImage
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.facts.node_probe import NodeProbe
    from podmeter_worker.kube.node_shells import NodeShells
    from podmeter_worker.kube.resources import Object

#: The sysctls that follow from kube-proxy's mode, without the node that they are of.
_OF_MODE = tuple(
    field.partition(".sysctls.")[2]
    for axis in mode_axes()
    if axis.name == KUBE_PROXY_MODE
    for field in axis.follows
    if ".sysctls." in field
)
_SUFFIXES = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "k": 10**3, "M": 10**6, "G": 10**9}


def take_fingerprint(
    client: KubeClient,
    *,
    image: BenchImage,
    run_label: str,
    node_shells: NodeShells | None,
    switched: Collection[str] | None = None,
    beside: Collection[str] = (),
    check: Callable[[], None] = lambda: None,
) -> Fingerprint:
    """Look at the cluster, as far into its nodes as there are node shells; takes a few seconds.

    Where kube-proxy is `switched` on some nodes alone, what is said of it is said of these. Where
    nodes `beside` these take their modes in turn, the fingerprint shows them in the mode of the
    switched ones: which node has a mode at the moment is no part of an environment.
    """
    setup = read_setup(client)
    seen = observe(
        client,
        image=image,
        run_label=run_label,
        node_shells=node_shells,
        kube_proxy_port=setup.metrics_port,
        check=check,
    )
    return fingerprint_of(client, setup, seen, switched, beside)


def fingerprint_of(
    client: KubeClient,
    setup: KubeProxySetup,
    seen: Observation | None,
    switched: Collection[str] | None = None,
    beside: Collection[str] = (),
) -> Fingerprint:
    """The fingerprint; without an observation, what the API alone tells."""
    items = [item for item in client.list_all(NODES.path()).items if why_unfit(item) is None]
    items.sort(key=lambda item: item["metadata"]["name"])
    probes: Mapping[str, NodeProbe] = {} if seen is None else seen.probes
    if switched and beside:
        probes = _as_in_turn(probes, min(switched), beside)
    proxies = {
        node: probe for node, probe in probes.items() if switched is None or node in switched
    }
    mode = _common_mode(list(proxies.values()))
    others = {node: probe.proxy_mode for node, probe in probes.items() if node not in proxies}
    modes = others | dict.fromkeys(proxies, mode)
    boot_ids = [item["status"]["nodeInfo"]["bootID"] for item in items]
    return Fingerprint(
        cluster_uid=cluster_uid(client),
        kubernetes_version=kubernetes_version(client),
        nodes=tuple(_node(item, probes.get(item["metadata"]["name"]), modes) for item in items),
        shared_host=len(set(boot_ids)) < len(boot_ids),
        cni=read_cni(client, seen.ways if seen else (), seen.pod_mtu if seen else None),
        kube_proxy=KubeProxyFacts(
            mode=mode,
            version=setup.version,
            sync_period=_common(proxies, "sync_period", setup.sync_period),
            min_sync_period=_common(proxies, "min_sync_period", setup.min_sync_period),
            ipvs_scheduler=_common(proxies, "schedulers"),
        ),
        image_digest=None if seen is None else seen.image_digest,
        tool_versions={} if seen is None else dict(seen.tools),
    )


def _as_in_turn(
    probes: Mapping[str, NodeProbe], node: str, beside: Collection[str]
) -> dict[str, NodeProbe]:
    """The nodes `beside` with what kube-proxy's mode makes of a node, as it is on this one."""
    if node not in probes:
        return dict(probes)
    own = probes[node]
    of_mode = {name for name in own.sysctls if any(fnmatchcase(name, one) for one in _OF_MODE)}

    def in_turn(probe: NodeProbe) -> NodeProbe:
        kept = {name: value for name, value in probe.sysctls.items() if name not in of_mode}
        return replace(
            probe,
            backend=own.backend,
            proxy_mode=own.proxy_mode,
            sysctls=kept | {name: own.sysctls[name] for name in of_mode},
        )

    return {name: in_turn(probe) if name in beside else probe for name, probe in probes.items()}


def _node(item: Object, probe: NodeProbe | None, modes: Mapping[str, str | None]) -> NodeFacts:
    info = item["status"]["nodeInfo"]
    backend = None
    if probe is not None and probe.backend is not None and "-" in probe.backend:
        backend = probe.backend.partition("-")[2]
    name = item["metadata"]["name"]
    return NodeFacts(
        name=name,
        kernel=info["kernelVersion"],
        os=info["osImage"],
        architecture=info["architecture"],
        cpu_count=int(quantity(item["status"]["capacity"]["cpu"])),
        memory_bytes=int(quantity(item["status"]["capacity"]["memory"])),
        cpu_model=None if probe is None else probe.cpu_model,
        hypervisor=None if probe is None else probe.hypervisor,
        nics=() if probe is None else probe.nics,
        mtus={} if probe is None else dict(probe.mtus),
        sysctls={} if probe is None else in_use(probe.sysctls, modes[name]),
        shaping={} if probe is None else dict(probe.shaping),
        iptables_backend=backend,
    )


def _common_mode(probes: list[NodeProbe]) -> str | None:
    """The mode that kube-proxy and kernel of all nodes agree on, None otherwise."""
    modes = {
        probe.proxy_mode
        if probe.backend is not None and probe.backend.mode == probe.proxy_mode
        else None
        for probe in probes
    }
    return modes.pop() if len(modes) == 1 else None


def _common(probes: Mapping[str, NodeProbe], what: str, otherwise: Any = None) -> Any:
    """What the probes of all nodes say alike; 0 is something to say."""
    found = {getattr(probe, what) for probe in probes.values()}
    said = found.pop() if len(found) == 1 else None
    return otherwise if said is None else said


def quantity(text: str) -> Decimal:
    """A Kubernetes quantity such as `24689632Ki`, `500m` or `8`."""
    if text.endswith("m"):
        return Decimal(text[:-1]) / 1000
    for suffix, factor in _SUFFIXES.items():
        if text.endswith(suffix):
            return Decimal(text.removesuffix(suffix)) * factor
    return Decimal(text)
