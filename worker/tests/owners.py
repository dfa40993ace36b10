"""What a cluster's owner puts into Podmeter's namespace, in effect for as long as a test needs it.

The API server's admission sees these objects through a watch, some time after their creation
or deleted; so each is waited for by asking, in dry runs, for what it must change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from podmeter.domain.ports import POD_NAMESPACE, Access, PodRequest
from podmeter_testbed.shell import wait_for
from podmeter_worker.kube import manifests
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.kube.resources import CONFIG_MAPS, PODS, Object, Resource

from .labs import IMAGE

LIMIT_RANGES, QUOTAS = Resource("v1", "limitranges"), Resource("v1", "resourcequotas")
_NAME = "of-the-owner"
_SECONDS = 60.0


@contextmanager
def limit_range(admin: KubeClient, default: Mapping[str, str]) -> Iterator[None]:
    """A LimitRange with these limits for containers that have none."""
    spec: Object = {"limits": [{"type": "Container", "default": dict(default)}]}

    def in_effect() -> bool:
        return default.items() <= _limits_of_a_pod(admin).items()

    with _made(admin, LIMIT_RANGES, "LimitRange", spec, in_effect):
        yield


@contextmanager
def quota(admin: KubeClient, hard: Mapping[str, str]) -> Iterator[None]:
    """A ResourceQuota; it also allows no ConfigMaps, by which it is seen to be in effect."""
    spec: Object = {"hard": {**hard, "configmaps": "0"}}
    with _made(admin, QUOTAS, "ResourceQuota", spec, lambda: _refuses_config_maps(admin)):
        yield


@contextmanager
def _made(
    admin: KubeClient, resource: Resource, kind: str, spec: Object, in_effect: Callable[[], bool]
) -> Iterator[None]:
    body = {
        "apiVersion": resource.version,
        "kind": kind,
        "metadata": {"name": _NAME, "namespace": POD_NAMESPACE},
        "spec": spec,
    }
    admin.create(resource.path(POD_NAMESPACE), body)
    try:
        wait_for(f"the {kind} to be in effect", in_effect, _SECONDS)
        yield
    finally:
        admin.delete(resource.path(POD_NAMESPACE, _NAME))
        wait_for(f"the {kind} to be forgotten", lambda: not in_effect(), _SECONDS)


def _limits_of_a_pod(admin: KubeClient) -> Mapping[str, str]:
    request = PodRequest("pm-probe", "any", Access.POD, ("true",))
    body = manifests.pod(request, IMAGE, "probe")
    made = admin.create(PODS.path(POD_NAMESPACE), body, dry_run=True)
    limits: Mapping[str, str] = made["spec"]["containers"][0]["resources"].get("limits", {})
    return limits


def _refuses_config_maps(admin: KubeClient) -> bool:
    body = {"metadata": {"name": "pm-probe"}}
    try:
        admin.create(CONFIG_MAPS.path(POD_NAMESPACE), body, dry_run=True)
    except ApiRefusedError as error:
        # A quota whose use is not counted yet refuses as well, and in other words.
        if error.status == 403 and "exceeded quota" in str(error):
            return True
        if error.status == 403 and "status unknown" in str(error):
            return False
        raise
    return False
