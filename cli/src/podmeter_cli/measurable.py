"""What a cluster's preflight found, for people: what can be measured there, and what is missing."""

from __future__ import annotations

from typing import Any

from podmeter_cli.limits import limit_line
from podmeter_cli.output import Table


def lines(cluster: dict[str, Any]) -> list[str]:
    """The facts, the capabilities, and the obstacles to measuring."""
    state = cluster["preflight_state"]
    found = [f"{cluster['name']} at {cluster['server']}: preflight {state}"]
    if cluster["preflight_error"]:
        found.append(f"  {cluster['preflight_error']['text']}")
    found.append(limit_line(cluster))
    report = cluster["capabilities"]
    if report is None:
        return found
    nodes = report["nodes"]
    unfit = [one for one in nodes if one["why_unfit"]]
    found.append(
        f"  Kubernetes {report['kubernetes_version']}, {len(nodes)} nodes, {_network(report)}"
    )
    found += [
        f"  {one['name']} takes no measuring pods: {one['why_unfit']['text']}" for one in unfit
    ]
    if report["not_looked_at"]:
        found.append(f"  {report['not_looked_at']['text']}")
    allowed = [name for name, one in report["rights"].items() if one["allowed"]]
    found.append(f"  Allowed: {', '.join(allowed) or 'nothing yet'}")
    for one in report["refusals"]:
        found.append(f"  {one['what']['text']}. {one['mend']['text']}")
    if cluster["needs_restore"]:
        reason = cluster["needs_restore_reason"]
        found.append("  Needs restore" + (f": {reason['text']}" if reason else ""))
    return found


def modes(cluster: dict[str, Any]) -> Table:
    """Each mode, the current one, and whether a run can switch to it."""
    report = cluster["capabilities"] or {"modes": {}}
    rows = []
    for axis, one in report["modes"].items():
        current = one["observed"] or (one["unclear"] or {}).get("text", "unknown")
        values = dict(one["values"])
        if one["observed"]:
            values.setdefault(one["observed"], None)
        for value, why_not in values.items():
            rows.append((axis, value, _available(cluster, one, value, why_not)))
        if not values:
            rows.append((axis, current, (one["why_not"] or {}).get("text", "")))
    return Table(("axis", "mode", "can be measured"), rows)


def _available(
    cluster: dict[str, Any], axis: dict[str, Any], value: str, why_not: dict[str, Any] | None
) -> str:
    if value == axis["observed"]:
        return "yes, it is the current mode"
    if why_not:
        return f"no: {why_not['text']}"
    if axis["why_not"]:
        return f"no: {axis['why_not']['text']}"
    if not cluster["allow_mode_switch"]:
        command = f"podmeter clusters add {cluster['name']} --allow switch_modes"
        return f"no: switching modes is not allowed ({command})"
    return "yes, by a switch"


def _network(report: dict[str, Any]) -> str:
    cni, proxy = report["cni"], report["kube_proxy"]
    words = []
    if cni:
        words.append(f"{cni['name']} {cni.get('version') or ''}".strip())
    if proxy:
        words.append(f"kube-proxy in mode {proxy['mode'] or 'unknown'}")
    return ", ".join(words) or "pod network unknown"
