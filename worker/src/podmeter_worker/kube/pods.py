"""Starting and removing pods: all of them or none, and as they were asked for."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

from podmeter.domain import labels
from podmeter.domain.errors import ConvergenceError, LabError, PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.ports import ExecTarget
from podmeter_worker.kube import image_faults, manifests
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.kube.image_faults import NotStartedError
from podmeter_worker.kube.resources import PODS
from podmeter_worker.kube.wait import wait_until, wait_until_gone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from podmeter.domain.bench_image import BenchImage
    from podmeter.domain.ports import PodRequest
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.resources import Object

START_SECONDS = 120.0
REMOVE_SECONDS = 120.0
_AT_ONCE = 8
#: Waiting does not help any more.
_HOPELESS = {
    *image_faults.REASONS,
    "CreateContainerConfigError",
    "CreateContainerError",
    "RunContainerError",
    "StartError",
}


def start(
    client: KubeClient,
    requests: Sequence[PodRequest],
    *,
    image: BenchImage,
    run_label: str,
    check: Callable[[], None] = lambda: None,
    start_seconds: float = START_SECONDS,
) -> tuple[ExecTarget, ...]:
    """Start pods and wait until each runs, in the order asked for; removed again on any error.

    Raises PreconditionError where the cluster refuses or changes one, LabError where one does
    not come up, ImageError among them where that is for the image's sake.
    """
    wanted = [manifests.pod(request, image, run_label) for request in requests]
    uids: dict[tuple[str, str], str] = {}
    try:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            made = list(pool.map(lambda body: _create(client, body, run_label), wanted))
        uids = {_key(pod): pod["metadata"]["uid"] for pod in made}
        for body, pod in zip(wanted, made, strict=True):
            if changes := manifests.changes(body, pod):
                raise PreconditionError(say("pods_changed", changes=changes))
        places: dict[tuple[str, str], str] = {}
        for namespace in sorted({key[0] for key in uids}):
            mine = {key: uid for key, uid in uids.items() if key[0] == namespace}
            try:
                places |= wait_until(
                    client,
                    PODS.path(namespace),
                    partial(_addresses, mine=mine),
                    what=say("wait_pods_run"),
                    deadline_seconds=start_seconds,
                    check=check,
                    labels=labels.selector(run_label),
                )
            except NotStartedError as error:
                raise image_faults.explained(client, image, error) from error
            except ConvergenceError as error:
                of = image_faults.still_pulling(
                    client, image, namespace, mine.values(), start_seconds
                )
                raise of or error from error
    except BaseException:
        remove(client, [_key(body) for body in wanted], run_label=run_label)
        raise
    return tuple(
        ExecTarget(request.name, places[_key(body)], request.node, request.access)
        for request, body in zip(requests, wanted, strict=True)
    )


def keep(
    client: KubeClient,
    requests: Sequence[PodRequest],
    *,
    image: BenchImage,
    run_label: str,
    check: Callable[[], None] = lambda: None,
) -> tuple[ExecTarget, ...]:
    """The run's pods that run already as they are asked for; the others are started.

    In the order asked for. Raises as `start`.
    """
    wanted = {
        _key(body): body for body in (manifests.pod(one, image, run_label) for one in requests)
    }
    addresses: dict[tuple[str, str], str] = {}
    for namespace in sorted({key[0] for key in wanted}):
        for pod in client.list_all(PODS.path(namespace), labels=labels.selector(run_label)).items:
            body = wanted.get(_key(pod))
            if body is not None and (address := _kept_address(body, pod)):
                addresses[_key(pod)] = address
    existing = [
        ExecTarget(one.name, addresses[key], one.node, one.access) if key in addresses else None
        for one, key in zip(requests, wanted, strict=True)
    ]
    missing = [one for one, place in zip(requests, existing, strict=True) if place is None]
    started = iter(
        start(client, missing, image=image, run_label=run_label, check=check) if missing else ()
    )
    return tuple(place or next(started) for place in existing)


def remove(client: KubeClient, keys: Iterable[tuple[str, str]], *, run_label: str) -> None:
    """Remove the run's pods of these (namespace, name) and wait until they are gone."""
    by_namespace: dict[str, set[str]] = {}
    for namespace, name in keys:
        by_namespace.setdefault(namespace, set()).add(name)
    for namespace, names in by_namespace.items():
        listing = client.list_all(PODS.path(namespace), labels=labels.selector(run_label))
        mine = [pod for pod in listing.items if pod["metadata"]["name"] in names]
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            list(pool.map(lambda pod: delete(client, pod), mine))
        wait_until_gone(
            client,
            PODS.path(namespace),
            {pod["metadata"]["uid"] for pod in mine},
            what=say("wait_pods_gone"),
            deadline_seconds=REMOVE_SECONDS,
            labels=labels.selector(run_label),
        )


def delete(client: KubeClient, pod: Object) -> None:
    """Delete this very pod, not a later one of the same name."""
    metadata = pod["metadata"]
    client.delete(PODS.path(metadata["namespace"], metadata["name"]), uid=metadata["uid"])


def _create(client: KubeClient, body: Object, run_label: str) -> Object:
    namespace, name = _key(body)
    try:
        return client.create(PODS.path(namespace), body)
    except ApiRefusedError as error:
        if error.reason == "AlreadyExists":
            # A first try whose answer was lost, or a leftover: either way not to be reused.
            remove(client, [(namespace, name)], run_label=run_label)
            return client.create(PODS.path(namespace), body)
        if error.status in (400, 403, 404, 422):
            raise PreconditionError(say("pod_refused", said=error.said)) from error
        raise


def _addresses(
    pods: Mapping[tuple[str, str], Object], mine: Mapping[tuple[str, str], str]
) -> dict[tuple[str, str], str] | None:
    """The addresses of all of `mine` once each runs; LabError for one that never will."""
    addresses: dict[tuple[str, str], str] = {}
    for key, uid in mine.items():
        pod = pods.get(key)
        if pod is None or pod["metadata"]["uid"] != uid:
            raise LabError(say("pod_deleted", pod=key[1]))
        if address := _running_address(pod):
            addresses[key] = address
    return addresses if len(addresses) == len(mine) else None


def _running_address(pod: Object) -> str | None:
    name: str = pod["metadata"]["name"]
    status: Object = pod["status"]
    if status.get("phase") in ("Failed", "Succeeded"):
        why = _why(status)
        raise NotStartedError(say("pod_ended", pod=name, why=why), pod, "", why)
    states = [container.get("state", {}) for container in status.get("containerStatuses") or []]
    for state in states:
        waiting = state.get("waiting") or {}
        if waiting.get("reason") in _HOPELESS:
            reason = waiting.get("message") or ""
            detail = reason or say("no_further_word")
            text = say("pod_not_starting", pod=name, reason=waiting["reason"], said=detail)
            raise NotStartedError(text, pod, waiting["reason"], reason)
    if states and all("running" in state for state in states):
        address: str = status.get("podIP") or ""
        return address or None
    return None


def _kept_address(asked: Object, pod: Object) -> str | None:
    """The address of a pod that runs, keeps running and is unchanged, or None."""
    if "deletionTimestamp" in pod["metadata"] or manifests.changes(asked, pod):
        return None
    try:
        return _running_address(pod)
    except LabError:
        return None


def _why(status: Object) -> str:
    for container in status.get("containerStatuses") or []:
        ended = container.get("state", {}).get("terminated")
        if ended:
            reason, code = ended.get("reason"), ended.get("exitCode")
            if said := (ended.get("message") or "").strip():
                return say("container_ended_saying", reason=reason, exit_code=code, said=said)
            return say("container_ended", reason=reason, exit_code=code)
    told = status.get("message") or status.get("reason")
    return str(told) if told else say("no_further_word")


def _key(pod: Object) -> tuple[str, str]:
    return pod["metadata"]["namespace"], pod["metadata"]["name"]
