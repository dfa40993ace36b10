"""An Ingress over a Service of the run, by a controller that the cluster has."""

from __future__ import annotations

import time
from ipaddress import AddressValueError, IPv4Address
from typing import TYPE_CHECKING

from podmeter.domain import labels
from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.ports import POD_NAMESPACE, Ingress
from podmeter_worker.kube.own_objects import create_own
from podmeter_worker.kube.resources import INGRESS_CLASSES, INGRESSES

if TYPE_CHECKING:
    from collections.abc import Callable

    from podmeter.domain.messages import Message
    from podmeter.domain.ports import IngressRoute
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.resources import Object

DEFAULT_CLASS = "ingressclass.kubernetes.io/is-default-class"
#: A cloud's controller makes a load balancer for each.
ADDRESS_SECONDS = 180.0
_LOOK_SECONDS = 0.5


def ingress_body(run_label: str, route: IngressRoute, class_name: str) -> Object:
    """An Ingress as it is created: one host, all of whose paths lead to one Service."""
    backend = {"service": {"name": route.service, "port": {"number": route.port}}}
    return {
        "apiVersion": INGRESSES.version,
        "kind": "Ingress",
        "metadata": {
            "name": route.name,
            "namespace": POD_NAMESPACE,
            "labels": labels.of_run(run_label),
        },
        "spec": {
            "ingressClassName": class_name,
            "rules": [
                {
                    "host": route.host,
                    "http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": backend}]},
                }
            ],
        },
    }


def create(
    client: KubeClient,
    run_label: str,
    route: IngressRoute,
    check: Callable[[], None] = lambda: None,
    seconds: float = ADDRESS_SECONDS,
) -> Ingress:
    """Create an Ingress; `check` is called while its address is waited for, and may raise.

    One that this run made before, in a try whose answer was lost, is taken as made. On an error it
    is removed. Raises PreconditionError without a class, a right or an IPv4 address, LabError.
    """
    found = _class(client, route.class_name)
    name = str(found["metadata"]["name"])
    create_own(client, INGRESSES, ingress_body(run_label, route, name), run_label, _refused)
    controller = str(found.get("spec", {}).get("controller") or "")
    try:
        address = route.address or _address(client, route.name, controller, check, seconds)
    except BaseException:
        remove(client, route.name)
        raise
    return Ingress(route.name, route.host, name, controller, address)


def remove(client: KubeClient, name: str) -> None:
    """Remove an Ingress, present or not."""
    client.delete(INGRESSES.path(POD_NAMESPACE, name))


def _class(client: KubeClient, name: str | None) -> Object:
    """The class of that name, or the cluster's default one."""
    by_name = {str(one["metadata"]["name"]): one for one in client.each(INGRESS_CLASSES.path())}
    if not by_name:
        raise PreconditionError(say("ingress_no_controller"))
    if name is not None:
        if name not in by_name:
            there = sorted(by_name)
            raise PreconditionError(say("ingress_class_unknown", name=name, classes=there))
        return by_name[name]
    defaults = sorted(one for one, found in by_name.items() if _is_default(found))
    if not defaults:
        raise PreconditionError(say("ingress_class_not_default", classes=sorted(by_name)))
    if len(defaults) > 1:
        raise PreconditionError(say("ingress_classes_default", classes=defaults))
    return by_name[defaults[0]]


def _is_default(found: Object) -> bool:
    return (found["metadata"].get("annotations") or {}).get(DEFAULT_CLASS) == "true"


def _address(
    client: KubeClient, name: str, controller: str, check: Callable[[], None], seconds: float
) -> str:
    """The IPv4 address in the Ingress's status, waited for."""
    deadline = time.monotonic() + seconds
    while True:
        found = client.get(INGRESSES.path(POD_NAMESPACE, name))
        given = found.get("status", {}).get("loadBalancer", {}).get("ingress") or []
        for one in given:
            if _is_ipv4(address := str(one.get("ip") or "")):
                return address
        if time.monotonic() > deadline:
            break
        check()
        time.sleep(_LOOK_SECONDS)
    if given:
        told = [str(one.get("hostname") or one.get("ip") or "") for one in given]
        raise PreconditionError(say("ingress_no_ipv4", controller=controller, told=told))
    said = say("ingress_no_address", controller=controller, seconds=seconds)
    raise PreconditionError(said)


def _is_ipv4(text: str) -> bool:
    try:
        IPv4Address(text)
    except AddressValueError:
        return False
    return True


def _refused(said: str) -> Message:
    return say("ingress_refused", said=said)
