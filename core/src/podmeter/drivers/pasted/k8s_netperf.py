"""k8s-netperf --json: what it would index, one document for each test and driver.

Its throughput is the mean of so many samples, Mb/s of streams and operations a second of requests
(`tputMetric` says which); its latency the mean of their 99th percentiles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import Message, say
from podmeter.drivers.pasted.output import Figure, Output
from podmeter.statistics.units import to_base

if TYPE_CHECKING:
    from podmeter.domain.axes import AxisValue
    from podmeter.drivers.fields import Fields

TOOL_NAME = "k8s-netperf"
_RATES = {"Mb/s": ("throughput", "Mbits/sec"), "OP/s": ("transactions_per_second", "/s")}
_PROTOCOLS = ("TCP", "UDP")


def is_tool_json(held: object) -> bool:
    """Whether a JSON value is what k8s-netperf prints, or one document of it."""
    documents = held if isinstance(held, list) else [held]
    return bool(documents) and all(
        isinstance(one, dict) and one.keys() >= {"tputMetric", "profile", "hostNetwork"}
        for one in documents
    )


def read(document: Fields, first: int, last: int, command: str) -> Output:
    """A document's test. Raises ToolError."""
    profile, told = document.text("profile"), document.text("tputMetric")
    if told not in _RATES:
        raise ToolError(say("paste_unit", tool=TOOL_NAME, unit=told[:40]))
    protocol = profile.partition("_")[0]
    if protocol not in _PROTOCOLS or profile.endswith("_STREAM") != (told == "Mb/s"):
        raise ToolError(say("paste_test_unknown", test=profile[:40], known=("*_STREAM", "*_RR")))
    metric, unit = _RATES[told]
    rate = document.number("throughput")
    if rate == 0:
        raise ToolError(say("paste_zero", tool=TOOL_NAME))
    samples = document.count("samples")
    path, notes = _path(document)
    point: dict[str, AxisValue] = {
        "protocol": protocol.lower(),
        "streams": document.count("parallelism"),
        "message_bytes": document.count("messageSize"),
        "netperf_test": profile,
    }
    if path is not None:
        point["path"] = path
    found = to_base(rate, unit).value
    figures = [Figure(metric, found, f"throughput {rate!r} {told}", first)]
    figures += _besides(document, profile, first)
    return Output(
        tool=f"{TOOL_NAME} ({document.text('driver')[:40]})",
        first=first,
        last=last,
        figures=tuple(figures),
        point=point,
        version=document.held["toolVersion"][:60] if _is_text(document, "toolVersion") else "",
        command=command,
        samples=samples,
        environment=_environment(document),
        notes=notes,
    )


def _besides(document: Fields, profile: str, line: int) -> list[Figure]:
    """Latency of requests, retransmits and loss; -1 and 0 stand for what it does not know."""
    figures: list[Figure] = []
    if not profile.endswith("_STREAM"):
        latency = document.number("latency")
        if document.text("ltcyMetric") != "usec":
            unit = document.text("ltcyMetric")[:40]
            raise ToolError(say("paste_unit", tool=TOOL_NAME, unit=unit))
        if latency > 0:
            value = to_base(latency, "usec").value
            figures.append(Figure("transaction_p99", value, f"latency {latency!r} usec", line))
    elif profile == "TCP_STREAM" and _is_known(document, "tcpRetransmits"):
        latency = document.number("tcpRetransmits")
        figures.append(Figure("retransmits", latency, f"tcpRetransmits {latency!r}", line))
    elif profile == "UDP_STREAM" and _is_known(document, "udpLossPercent"):
        latency = document.number("udpLossPercent")
        if latency > 100:
            raise ToolError(
                say(
                    "tool_odd_number", tool=TOOL_NAME, path="udpLossPercent", value=f"{latency:.7g}"
                )
            )
        figures.append(Figure("udp_loss", latency / 100, f"udpLossPercent {latency!r}", line))
    return figures


def _is_known(document: Fields, name: str) -> bool:
    """Whether a count was made; netperf's driver prints -1 where it was not, uperf's has none."""
    value = document.held.get(name)
    uncounted = isinstance(value, (int, float)) and not isinstance(value, bool) and value < 0
    return value is not None and not uncounted and document.text("driver") != "uperf"


def _path(document: Fields) -> tuple[str | None, tuple[Message, ...]]:
    """Where the two ends sit, None where no path of ours is that."""
    host, service, local = (
        document.held.get(name) is True for name in ("hostNetwork", "service", "local")
    )
    told = "service" in document and "local" in document
    elsewhere = (document.held.get(name) is True for name in ("externalServer", "virt"))
    if not told or any(elsewhere):
        return None, (say("paste_path_unknown"),)
    if host and not service and not local:
        return "node-node", ()
    if not host and service and not local:
        return "pod-service-pod", ()
    if not host and not service:
        return ("pod-pod-same-node" if local else "pod-pod"), ()
    return None, (say("paste_path_unknown"),)


def _environment(document: Fields) -> dict[str, str]:
    """What it says of the cluster."""
    metadata = document.held.get("metadata")
    if not isinstance(metadata, dict):
        return {}
    environment = {
        "kernel": metadata.get("kernel"),
        "kubernetes_version": metadata.get("k8sVersion"),
    }
    return {name: one[:200] for name, one in environment.items() if isinstance(one, str) and one}


def _is_text(document: Fields, name: str) -> bool:
    return isinstance(document.held.get(name), str)
