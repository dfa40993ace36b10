"""kube-proxy: its version and settings, and where it tells its mode."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import yaml

from podmeter.domain.components.kube_proxy import CONFIGURATIONS
from podmeter.domain.modes import KubeProxyMode
from podmeter.drivers import kube_proxy
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.kube.resources import CONFIG_MAPS, DAEMON_SETS

if TYPE_CHECKING:
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.resources import Object

NAMESPACE = "kube-system"
METRICS_PORT = kube_proxy.PORT
#: What a period of 0s stands for (pkg/proxy/apis/config/v1alpha1/defaults.go); in IPVS mode two
#: syncs may follow each other at once.
_SYNC_PERIOD, _MIN_SYNC_PERIOD = 30.0, 1.0
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|us|µs|ns|h|m|s)")
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}


@dataclass(frozen=True, slots=True)
class ConfiguredAt:
    """The ConfigMap that kube-proxy's configuration is in, and the key there."""

    name: str
    key: str


def configured_at(client: KubeClient) -> ConfiguredAt | None:
    """Where kube-proxy's configuration is; None where it is in no ConfigMap that may be read."""
    for name, key in CONFIGURATIONS:
        try:
            found = client.find(CONFIG_MAPS.path(NAMESPACE, name))
        except ApiRefusedError as error:
            # A manifest that was applied before this one was known allows the first alone.
            if error.status != 403:
                raise
            continue
        if "kind: KubeProxyConfiguration" in ((found or {}).get("data") or {}).get(key, ""):
            return ConfiguredAt(name, key)
    return None


@dataclass(frozen=True, slots=True)
class KubeProxySetup:
    """How kube-proxy is installed and set; None where that does not show. Periods in seconds."""

    version: str | None
    written_mode: str | None
    metrics_port: int
    sync_period: float | None
    min_sync_period: float | None


def read_setup(client: KubeClient) -> KubeProxySetup:
    """kube-proxy as kubeadm installs it; nothing but defaults where it is not found so."""
    running = client.find(DAEMON_SETS.path("kube-system", "kube-proxy"))
    version = None
    if running is not None:
        image: str = running["spec"]["template"]["spec"]["containers"][0]["image"]
        version = image.partition("@")[0].rpartition(":")[2]
    return parse_setup(_configuration(client), version)


def parse_setup(configuration: Object | None, version: str | None) -> KubeProxySetup:
    """A KubeProxyConfiguration, with what its empty values stand for."""
    if configuration is None:
        return KubeProxySetup(version, None, METRICS_PORT, None, None)
    mode = str(configuration.get("mode") or KubeProxyMode.IPTABLES)
    settings = configuration.get(mode) or {}
    port = str(configuration.get("metricsBindAddress") or "").rpartition(":")[2]
    return KubeProxySetup(
        version=version,
        written_mode=mode,
        metrics_port=int(port) if port.isdigit() else METRICS_PORT,
        sync_period=seconds(settings.get("syncPeriod")) or _SYNC_PERIOD,
        min_sync_period=seconds(settings.get("minSyncPeriod"))
        or (0.0 if mode == KubeProxyMode.IPVS else _MIN_SYNC_PERIOD),
    )


def parse_configz(text: str) -> tuple[float | None, float | None]:
    """The sync period and the least time between two syncs that kube-proxy says it runs with.

    Of its `/configz`: Kubernetes' own type, whose periods are those of its mode since 1.32 and in
    the mode's section before. None where it does not say so.
    """
    try:
        told = json.loads(text)["kubeproxy.config.k8s.io"]
        section = {"ipvs": "IPVS", "nftables": "NFTables"}.get(told.get("Mode"), "IPTables")
        found = told if "SyncPeriod" in told else told[section]
        period, minimum = found["SyncPeriod"], found["MinSyncPeriod"]
    except (ValueError, LookupError, TypeError, AttributeError):
        return None, None
    return _whole(period), _whole(minimum)


def _whole(duration: object) -> float | None:
    """A duration that is nothing else, in seconds."""
    if not isinstance(duration, str) or not re.fullmatch(rf"(?:{_DURATION.pattern})+", duration):
        return None
    return seconds(duration)


def seconds(duration: object) -> float:
    """A Go duration such as `1m30s`, in seconds; 0 for None."""
    return sum(float(number) * _SECONDS[unit] for number, unit in _DURATION.findall(str(duration)))


def _configuration(client: KubeClient) -> Object | None:
    place = configured_at(client)
    if place is None:
        return None
    found = client.find(CONFIG_MAPS.path(NAMESPACE, place.name)) or {}
    document = yaml.safe_load((found.get("data") or {}).get(place.key) or "")
    return document if isinstance(document, dict) else None
