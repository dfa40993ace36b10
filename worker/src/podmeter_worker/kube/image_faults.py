"""Why a node cannot start a pod of an image: errors of kubelets and runtimes, with fixes.

Kubelets pass on what the runtime said in its own words, which are looked for here as containerd,
CRI-O and Docker's adapter have them; other errors are reported unchanged.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.errors import LabError, PodmeterError
from podmeter.domain.messages import Message, placeholders, say
from podmeter_worker.kube.resources import EVENTS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from podmeter.domain.bench_image import BenchImage
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.resources import Object

#: Reasons of a waiting container that are its image's.
REASONS = {
    "ErrImageNeverPull",
    "ErrImagePull",
    "ImageInspectError",
    "ImagePullBackOff",
    "InvalidImageName",
    "RegistryUnavailable",
    "SignatureValidationFailed",
}
#: The kubelet of the nodes says so where a pull secret is not there, and pulls without it.
_NO_SECRET = "FailedToRetrieveImagePullSecret"  # noqa: S105 (an event's reason)
#: How long a kubelet's events are waited for that say more than its pod's status.
NOTED_SECONDS, _PAUSE_SECONDS = 2.0, 0.2
_ANOTHER_FORMAT = "exec format error"

#: A resolver that is silent too: it is asked by the node, not by the registry.
_UNRESOLVED = ("no such host", "dial tcp: lookup ", "Temporary failure in name resolution")
_UNTRUSTED = ("x509:", "server gave HTTP response to HTTPS client", "tls: failed to verify")
_SILENT = (
    *("i/o timeout", "connection refused", "no route to host", "network is unreachable"),
    # containerd cancels a pull that gets no further.
    *("context deadline exceeded", "context canceled", "TLS handshake timeout"),
    *("connection reset by peer", "Client.Timeout exceeded", ": EOF"),
    *("502 Bad Gateway", "503 Service Unavailable"),
)
_LIMITED = ("toomanyrequests", "429 Too Many Requests")
_DENIED = (
    *("401 Unauthorized", "403 Forbidden", "insufficient_scope", "access denied"),
    *("authorization failed", "authentication required", "no basic auth credentials"),
    *("unauthorized", "denied:"),
)
_OTHER_PLATFORM = ("no match for platform", "no matching manifest", "no image found in image index")
_NO_ROOM = ("no space left on device",)
_ABSENT = ("not found", "manifest unknown", "name unknown", "does not exist")
#: The first of these that is found in what the runtime said is what it means.
_SIGNS = (
    (_UNRESOLVED, "image_registry_unresolved", "mend_registry"),
    (_UNTRUSTED, "image_registry_untrusted", "mend_registry_trust"),
    (_LIMITED, "image_rate_limited", "mend_own_registry"),
    (_DENIED, "image_denied", "mend_denied"),
    (_OTHER_PLATFORM, "image_other_platform", "mend_image_platform"),
    (_NO_ROOM, "image_no_room", "mend_image_room"),
    (_SILENT, "image_registry_silent", "mend_registry"),
    (_ABSENT, "image_absent", "mend_image_push"),
)
_UNKNOWN = ["image_not_pulled", "mend_image_push"]


class NotStartedError(LabError):
    """A pod that will not start; `reason` is its container's, `told` what was said of it."""

    def __init__(self, said: Message, pod: Object, reason: str, told: str) -> None:
        self.pod, self.reason, self.told = pod, reason, told
        super().__init__(said)


class ImageError(LabError):
    """A node cannot start a pod because of its image; `mend` is the fix."""

    code = "image"

    def __init__(self, what: Message, mend: Message) -> None:
        self.what, self.mend = what, mend
        super().__init__(say("refusal_and_mend", what=what, mend=mend))


@dataclass(frozen=True, slots=True)
class _ImageSource:
    """Which image is pulled from where."""

    node: str
    namespace: str
    image: BenchImage


def explained(client: KubeClient, image: BenchImage, error: NotStartedError) -> LabError:
    """The error itself, or what it says of the image. Events are asked for, where they may be."""
    metadata = error.pod["metadata"]
    place = _ImageSource(error.pod["spec"].get("nodeName") or "", metadata["namespace"], image)
    if _ANOTHER_FORMAT in error.told:
        return _fault("image_other_platform", "mend_image_platform", place, error.told)
    if error.reason not in REASONS:
        return error
    if error.reason == "ErrImageNeverPull":
        return _fault("image_never_pulled", "mend_image_import", place, error.told)
    if error.reason == "InvalidImageName":
        return _fault("image_name_invalid", "mend_image_name", place, error.told)
    reason = error.told
    events: list[Object] = []
    if image.pull_secret is not None or _holds_back(reason):
        events = _noted(client, metadata["namespace"], metadata["uid"])
    if _holds_back(reason):
        reason = max([reason, *(str(one.get("message") or "") for one in _failed(events))], key=len)
    # The image's own name may have any of the signs in it.
    text = reason.replace(image.reference, "")
    meant = (codes for signs, *codes in _SIGNS if any(sign in text for sign in signs))
    what, mend = next(meant, _UNKNOWN)
    return _secret_missing(_fault(what, mend, place, reason), place, events)


def still_pulling(
    client: KubeClient, image: BenchImage, namespace: str, uids: Collection[str], seconds: float
) -> ImageError | None:
    """That a node has not pulled the image yet, where events tell that it is at it."""
    for uid in sorted(uids):
        events = _events(client, namespace, uid) or []
        at_it = _last(events)
        if at_it is not None and at_it["reason"] == "Pulling":
            node = str((at_it.get("source") or {}).get("host") or "")
            what = say("image_still_pulling", node=node, image=image.reference, seconds=seconds)
            return ImageError(what, say("mend_image_slow", registry=image.registry))
    return None


def _fault(what: str, mend: str, place: _ImageSource, text: str) -> ImageError:
    known = {
        "node": place.node,
        "image": place.image.reference,
        "registry": place.image.registry,
        "namespace": place.namespace,
        "secret": place.image.pull_secret,
        "said": text or say("no_further_word"),
    }
    if mend == "mend_denied":
        mend = "mend_pull_secret" if place.image.pull_secret is None else "mend_credentials"
    return ImageError(_said(what, known), _said(mend, known))


def _said(code: str, known: Mapping[str, object]) -> Message:
    return say(code, **{name: known[name] for name in placeholders(code)})


def _secret_missing(fault: ImageError, place: _ImageSource, events: list[Object]) -> ImageError:
    """The fault, with its cause where the node did not find the pull secret."""
    secret = place.image.pull_secret
    if secret is None or not any(event.get("reason") == _NO_SECRET for event in events):
        return fault
    what = say("pull_secret_missing", what=fault.what, secret=secret, namespace=place.namespace)
    mend = say("mend_secret_missing", secret=secret, namespace=place.namespace)
    return ImageError(what, mend)


def _holds_back(reason: str) -> bool:
    """Whether a kubelet says no more than that it tries again later, as before 1.31."""
    return not reason or (reason.startswith("Back-off pulling image") and reason.endswith('"'))


def _failed(events: list[Object]) -> list[Object]:
    return [one for one in events if one.get("reason") == "Failed"]


def _noted(client: KubeClient, namespace: str, uid: str) -> list[Object]:
    """What a kubelet noted of a pod up to its failure, which it may tell a little later."""
    until = time.monotonic() + NOTED_SECONDS
    while True:
        events = _events(client, namespace, uid)
        if events is None or _failed(events) or time.monotonic() > until:
            return events or []
        time.sleep(_PAUSE_SECONDS)


def _events(client: KubeClient, namespace: str, uid: str) -> list[Object] | None:
    """What kubelets noted of a pod, the oldest first; None where that may not be seen."""
    try:
        events = client.list_all(EVENTS.path(namespace), fields=f"involvedObject.uid={uid}").items
    except PodmeterError:
        return None
    return sorted(events, key=_moment)


def _moment(event: Object) -> str:
    return str(event.get("lastTimestamp") or event.get("eventTime") or "")


def _last(events: list[Object]) -> Object | None:
    """The last that is of a pull."""
    pulls = [one for one in events if one.get("reason") in ("Pulling", "Pulled", "Failed")]
    return pulls[-1] if pulls else None
