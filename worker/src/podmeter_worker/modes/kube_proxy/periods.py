"""kube-proxy's sync periods in the text of its configuration, everything else as it was.

Each mode has them in a section of its own, `iptables`, `ipvs` or `nftables`, which kube-proxy reads
in that mode alone. What is written is checked against the document that it should make: a
configuration written in a way that is not understood here is refused, never spoiled.
"""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING, Any

import yaml

from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.modes import KubeProxyMode
from podmeter.domain.switching import SyncPeriods
from podmeter_worker.kube.facts import kube_proxy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from podmeter.domain.messages import Message
    from podmeter_worker.kube.node_shells import NodeShell

_SYNC, _MINIMUM = "syncPeriod", "minSyncPeriod"
_KEYS = (_SYNC, _MINIMUM)
#: A duration as it may be written, in quotes or not. What is restored is held to it as well.
_RAW = re.compile(r"""(["']?)[0-9a-zµ.]*\1""")
_LINE = re.compile(r"""( +)(\w+):([ \t]*)((["']?)[0-9a-zµ.]*\5)([ \t]*(?:#.*)?)""")

#: The values of the periods in each mode's section, None for a missing one; None for a
#: section that is not there.
Written = dict[str, dict[str, str | None] | None]


def read(configuration: str) -> Written:
    """The periods as they are written."""
    lines = configuration.split("\n")
    return {str(mode): _of_section(lines, mode) for mode in KubeProxyMode}


def usable(saved: object) -> Written | None:
    """What `read` gave and was kept meanwhile; None for anything else."""
    if not isinstance(saved, dict) or not saved.keys() <= set(KubeProxyMode):
        return None
    for section in saved.values():
        if section is None:
            continue
        if not isinstance(section, dict) or not section.keys() <= set(_KEYS):
            return None
        if not all(raw is None or _is_raw(raw) for raw in section.values()):
            return None
    return saved


def with_written(configuration: str, written: Mapping[str, Mapping[str, str | None] | None]) -> str:
    """The configuration with these periods in it, as they were written."""
    lines = configuration.split("\n")
    for mode, section in written.items():
        for key in _KEYS:
            _write(lines, mode, key, None if section is None else section.get(key))
        written_section = _section(lines, mode)
        if (
            section is None
            and written_section is not None
            and written_section[1] == written_section[0] + 1
        ):
            del lines[written_section[0]]
    return "\n".join(lines)


def with_periods(configuration: str, mode: str, wanted: SyncPeriods) -> str:
    """The configuration with the periods of one mode set; PreconditionError where it cannot be."""
    if reason := why_not(configuration, mode, wanted):
        raise PreconditionError(reason)
    return _with_periods(configuration, mode, wanted)


def why_not(configuration: str, mode: str, wanted: SyncPeriods) -> Message | None:
    """Why the periods of a mode cannot be set in this configuration, or None."""
    before = _document(configuration)
    section = before.get(mode)
    expected = copy.deepcopy(before)
    expected[mode] = {**(section if isinstance(section, dict) else {}), **_texts(wanted)}
    if _document(_with_periods(configuration, mode, wanted)) != expected:
        return say("periods_unwritable", section=mode)
    setup = kube_proxy.parse_setup({**expected, "mode": mode}, None)
    if (setup.min_sync_period or 0.0) > (setup.sync_period or 0.0):
        return say(
            "periods_order", section=mode, least=setup.min_sync_period, period=setup.sync_period
        )
    return None


def of(configuration: str, mode: str) -> SyncPeriods:
    """The periods that kube-proxy runs with in a mode by this configuration, defaults included."""
    setup = kube_proxy.parse_setup({**_document(configuration), "mode": mode}, None)
    return SyncPeriods(setup.sync_period, setup.min_sync_period)


def why_not_in_effect(
    shell: NodeShell, port: int, wanted: SyncPeriods, *, sure: bool
) -> Message | None:
    """Why kube-proxy on a node does not run with these periods, or None: it says that it does.

    Or, where we need not be `sure`, that it does not say with which it runs.
    """
    url = f"http://127.0.0.1:{port}/configz"
    output = shell.run(("curl", "-sS", "--max-time", "10", url))
    if output.exit_code != 0:
        return say("proxy_silent", node=shell.node, said=output.stderr.strip())
    period, minimum = kube_proxy.parse_configz(output.stdout)
    for asked, seen in ((wanted.period, period), (wanted.minimum, minimum)):
        if asked is not None and asked != seen and (sure or seen is not None):
            return say("periods_not_in_effect", node=shell.node, seconds=asked, seen=str(seen))
    return None


def _texts(wanted: SyncPeriods) -> dict[str, str]:
    both = {_SYNC: wanted.period, _MINIMUM: wanted.minimum}
    return {key: f"{seconds:g}s" for key, seconds in both.items() if seconds is not None}


def _with_periods(configuration: str, mode: str, wanted: SyncPeriods) -> str:
    lines = configuration.split("\n")
    for key, text in _texts(wanted).items():
        _write(lines, mode, key, text)
    return "\n".join(lines)


def _document(configuration: str) -> dict[str, Any]:
    """The configuration as kube-proxy reads it; empty where it is none to it."""
    try:
        node = yaml.compose(configuration, Loader=yaml.SafeLoader)
        if node is not None and _says_twice(node):
            return {}
        document = yaml.safe_load(configuration)
    except yaml.YAMLError:
        return {}
    return document if isinstance(document, dict) else {}


def _says_twice(node: yaml.Node) -> bool:
    """Whether a mapping has one key twice, of which PyYAML would take the last."""
    if isinstance(node, yaml.SequenceNode):
        return any(map(_says_twice, node.value))
    if not isinstance(node, yaml.MappingNode):
        return False
    keys = [str(key.value) for key, _ in node.value]
    return len(set(keys)) < len(keys) or any(_says_twice(value) for _, value in node.value)


def _is_raw(text: object) -> bool:
    return isinstance(text, str) and _RAW.fullmatch(text) is not None


def _section(lines: list[str], mode: str) -> tuple[int, int] | None:
    """Where a section's own line is, and where its lines end; None where there is none."""
    for number, line in enumerate(lines):
        if re.fullmatch(rf"{mode}:[ \t]*(?:#.*)?", line):
            end = number + 1
            while end < len(lines) and lines[end].startswith(" "):
                end += 1
            return number, end
    return None


def _keys(lines: list[str], mode: str) -> dict[str, tuple[int, re.Match[str]]]:
    """The section's own keys that hold a duration, or nothing: the line of each."""
    section = _section(lines, mode)
    keys: dict[str, tuple[int, re.Match[str]]] = {}
    if section is None:
        return keys
    inside = range(section[0] + 1, section[1])
    indents = [len(lines[one]) - len(lines[one].lstrip()) for one in inside if lines[one].strip()]
    for number in inside:
        line = _LINE.fullmatch(lines[number])
        if line is not None and line[2] in _KEYS and len(line[1]) == indents[0]:
            keys[line[2]] = number, line
    return keys


def _of_section(lines: list[str], mode: str) -> dict[str, str | None] | None:
    if _section(lines, mode) is None:
        return None
    keys = _keys(lines, mode)
    return {key: keys[key][1][4] if key in keys else None for key in _KEYS}


def _write(lines: list[str], mode: str, key: str, raw: str | None) -> None:
    """Write one period, or take it away; the section with it where there is none yet."""
    keys = _keys(lines, mode)
    if key in keys:
        number, line = keys[key]
        if raw is None:
            del lines[number]
        else:
            lines[number] = f"{line[1]}{key}:{line[3] or ' '}{raw}{line[6]}"
        return
    if raw is None:
        return
    section = _section(lines, mode)
    if section is None:
        end = len(lines) - (lines[-1] == "")
        lines.insert(end, f"{mode}:")
        section = end, end + 1
    inside = [line for line in lines[section[0] + 1 : section[1]] if line.strip()]
    indent = inside[0][: len(inside[0]) - len(inside[0].lstrip())] if inside else "  "
    lines.insert(section[1], f"{indent}{key}: {raw}")
