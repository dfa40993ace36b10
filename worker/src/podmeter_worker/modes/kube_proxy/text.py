"""kube-proxy's configuration as text: its mode is written, everything else stays as it was."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import yaml

from podmeter.domain.messages import say
from podmeter.domain.modes import KubeProxyMode
from podmeter_worker.kube.facts.kube_proxy import METRICS_PORT

if TYPE_CHECKING:
    from podmeter.domain.messages import Message

_MODE = re.compile(
    r"^mode:[ \t]*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'#]\S*)?)[ \t]*(?:#.*)?$", re.MULTILINE
)
#: What YAML takes for nothing, where it is not in quotes.
_NOTHING = ("~", "null", "Null", "NULL")
_METRICS = re.compile(r"^metricsBindAddress:[ \t]*[\"']?([^\"'\s]*)", re.MULTILINE)


def why_not(configuration: str, config_map: str) -> Message | None:
    """Why the mode in a configuration could not be written, or restored afterwards, or None."""
    written = written_mode(configuration)
    other = next(mode for mode in KubeProxyMode if mode != written)
    before, after = _top_level(configuration), _top_level(with_mode(configuration, other))
    if (
        before is None
        or after is None
        or before.pop("mode", "") != written
        or after.pop("mode", "") != other
        or before.keys() != after.keys()
    ):
        return say("proxy_mode_unwritable", name=config_map)
    if written not in ("", *KubeProxyMode):
        return say("proxy_mode_unknown", name=config_map, mode=written)
    return None


def written_mode(configuration: str) -> str:
    """The mode in a KubeProxyConfiguration, "" where it leaves the choice to kube-proxy."""
    found = _MODE.search(configuration)
    if found is None or found[3] in _NOTHING:
        return ""
    return next((part for part in found.groups() if part), "")


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


def _top_level(configuration: str) -> dict[str, str] | None:
    """The document's own keys, with the text of those that have one.

    None for anything else, and for a key that is there twice: nobody knows which one counts.
    """
    try:
        document = yaml.compose(configuration, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        return None
    if not isinstance(document, yaml.MappingNode):
        return None
    keys = {str(key.value): _text(value) for key, value in document.value}
    return keys if len(keys) == len(document.value) else None


def _text(node: yaml.Node) -> str:
    if not isinstance(node, yaml.ScalarNode) or node.tag.endswith(":null"):
        return ""
    return str(node.value)
