"""Every text that a request brings and somebody may read is of the type for displayed text."""

from collections.abc import Iterator
from typing import Any

from podmeter.domain.displayed import LINE_FORMAT, TEXT_FORMAT

from .everything import DOCUMENT

SCHEMAS = DOCUMENT["components"]["schemas"]
#: Formats that have nothing in them to display, or are never shown.
FORMATS = {LINE_FORMAT, TEXT_FORMAT, "uuid", "password", "date-time", "ipv4"}
#: What is no text of a person's: held to their own characters by their types, compared with what is
#: there, or looked up and never shown.
OTHERS = {
    *("ClusterPatch/bench_image", "NewCluster/bench_image"),
    *("ClusterPatch/image_pull_secret", "NewCluster/image_pull_secret"),
    *("ArticleBesideRuns/reference_id", "BaselineBody/reference_id"),
    *("RequestLatencyParameters/host_name", "RequestLatencyParameters/ingress_class"),
    *("UnrestoredSwitch/axis", "UnrestoredSwitch/component", "UnrestoredSwitch/holder"),
    *("Login/email", "NewSignOn/next", "SignOnAnswer/error", "SignOnAnswer/iss"),
    "SignOnAnswer/state",
    # A tool's own output, kept as it was pasted; what is read of it is made printable.
    *("NewImport/text", "PastedOutputs/text"),
    # A picture in base64, which is read as one before it is kept.
    "SnapshotPicture/png",
}


def _referred(node: Any, seen: set[str]) -> set[str]:
    if isinstance(node, dict):
        name = str(node.get("$ref", "")).rpartition("/")[2]
        if name in SCHEMAS and name not in seen:
            seen.add(name)
            _referred(SCHEMAS[name], seen)
        for one in node.values():
            _referred(one, seen)
    elif isinstance(node, list):
        for one in node:
            _referred(one, seen)
    return seen


def _strings(where: str, node: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    if not isinstance(node, dict):
        return
    if node.get("type") == "string" and not {"enum", "const"} & node.keys():
        yield where, node
    for name, one in node.get("properties", {}).items():
        yield from _strings(f"{where}/{name}", one)
    for name in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for one in node.get(name, ()):
            yield from _strings(where, one)
    for name in ("items", "additionalProperties"):
        yield from _strings(where, node.get(name))


def test_each_text_that_is_displayed_is_of_the_type_for_it() -> None:
    bodies = [
        operation["requestBody"]
        for operations in DOCUMENT["paths"].values()
        for operation in operations.values()
        if "requestBody" in operation
    ]
    found = {
        where
        for name in _referred(bodies, set())
        for where, schema in _strings(name, SCHEMAS[name])
        if schema.get("format") not in FORMATS
    }
    assert found - OTHERS == set()
    assert OTHERS - found == set()
