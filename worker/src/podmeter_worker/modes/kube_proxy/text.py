"""kube-proxy's configuration as text: its mode is written, everything else stays as it was."""

from __future__ import annotations

import re

from podmeter_worker.kube.facts.kube_proxy import METRICS_PORT

_MODE = re.compile(r"^mode:[ \t]*(?:\"([^\"]*)\"|'([^']*)'|(\S*))[ \t]*(?:#.*)?$", re.MULTILINE)
_METRICS = re.compile(r"^metricsBindAddress:[ \t]*[\"']?([^\"'\s]*)", re.MULTILINE)


def written_mode(configuration: str) -> str:
    """The mode in a KubeProxyConfiguration, "" where it leaves the choice to kube-proxy."""
    found = _MODE.search(configuration)
    return next((part for part in found.groups() if part), "") if found else ""


def with_mode(configuration: str, mode: str) -> str:
    """The configuration with the mode in it, everything else as it was."""
    if written_mode(configuration) == mode:
        return configuration
    line = f'mode: "{mode}"'
    if _MODE.search(configuration):
        return _MODE.sub(line, configuration, count=1)
    return f"{configuration.rstrip()}\n{line}\n"


def metrics_port(configuration: str) -> int:
    """The port where kube-proxy tells its mode."""
    found = _METRICS.search(configuration)
    _, _, port = found[1].rpartition(":") if found else ("", "", "")
    return int(port) if port.isdigit() else METRICS_PORT
