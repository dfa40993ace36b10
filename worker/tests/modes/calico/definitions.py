"""Calico's kinds as CustomResourceDefinitions, written from its documentation."""

from __future__ import annotations

from typing import Any

from podmeter_worker.kube.resources import Object

from .objects import POOL

CIDR = "10.244.0.0/16"
OWNED = {"app.kubernetes.io/managed-by": "tigera-operator"}
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_MODE = {"type": "string", "enum": ["Never", "Always", "CrossSubnet"]}
_POOL: Object = {
    "cidr": {"type": "string"},
    "ipipMode": _MODE,
    "vxlanMode": _MODE,
    "natOutgoing": {"type": "boolean"},
    "disabled": {"type": "boolean"},
    "nodeSelector": {"type": "string"},
    "allowedUses": {"type": "array", "items": {"type": "string"}},
    "blockSize": {"type": "integer"},
}
_LISTED: Object = {
    "cidr": {"type": "string"},
    "encapsulation": {"type": "string"},
    "natOutgoing": {"type": "string"},
    "nodeSelector": {"type": "string"},
    "blockSize": {"type": "integer"},
}
_NETWORK: Object = {
    "bgp": {"type": "string"},
    "mtu": {"type": "integer"},
    "linuxDataplane": {"type": "string"},
    "ipPools": {"type": "array", "items": {"type": "object", "properties": _LISTED}},
}
_INSTALLATION: Object = {
    "variant": {"type": "string"},
    "registry": {"type": "string"},
    "cni": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    "calicoNetwork": {"type": "object", "properties": _NETWORK},
}
#: Group, version, kind, plural, and the fields of spec that matter.
KINDS: tuple[tuple[str, str, str, str, Object], ...] = (
    ("crd.projectcalico.org", "v1", "IPPool", "ippools", _POOL),
    ("crd.projectcalico.org", "v1", "FelixConfiguration", "felixconfigurations", {}),
    ("projectcalico.org", "v3", "IPPool", "ippools", _POOL),
    ("operator.tigera.io", "v1", "Installation", "installations", _INSTALLATION),
    ("operator.tigera.io", "v1", "TigeraStatus", "tigerastatuses", {}),
)


def definition(group: str, version: str, kind: str, plural: str, spec: Object) -> Object:
    schema: Object = {"type": "object", "properties": spec}
    if not spec:
        schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    whole = {"type": "object", "properties": {"spec": schema, "status": {**schema}}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Cluster",
            "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
            "versions": [
                {
                    "name": version,
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": whole},
                }
            ],
        },
    }


def pool_body(spec: Object, group: str = "crd.projectcalico.org", **metadata: Any) -> Object:
    version = "v1" if group.startswith("crd.") else "v3"
    return {
        "apiVersion": f"{group}/{version}",
        "kind": "IPPool",
        "metadata": {"name": POOL, **metadata},
        "spec": {"cidr": CIDR, "ipipMode": "Always", "natOutgoing": True, **spec},
    }
