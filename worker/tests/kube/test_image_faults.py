"""What is said of an image that a node cannot pull or run, by what kubelets say of it.

`pulls/*.json` were captured from a kubelet 1.34 with containerd 1.6 (`pulls/capture.py`).
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.domain.bench_image import BenchImage
from podmeter.domain.errors import LabError
from podmeter.domain.messages import say
from podmeter.domain.ports import Access, PodRequest
from podmeter_worker.kube import image_faults, pods
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.image_faults import ImageError, NotStartedError
from podmeter_worker.kube.resources import EVENTS, PODS

from .api_server import Answer, Asked
from .object_server import Objects

PULLS = Path(__file__).parent / "pulls"
POLICY = AddressPolicy.of(["127.0.0.0/8"])
CAPTURED = {
    "absent": ("image_absent", "mend_image_push"),
    "denied": ("image_denied", "mend_pull_secret"),
    "denied_without_secret": ("pull_secret_missing", "mend_secret_missing"),
    "refused": ("image_registry_silent", "mend_registry"),
    "unreached": ("image_registry_silent", "mend_registry"),
    "no_route": ("image_registry_silent", "mend_registry"),
    "unresolved": ("image_registry_unresolved", "mend_registry"),
    "plain_http": ("image_registry_untrusted", "mend_registry_trust"),
    "other_platform": ("image_other_platform", "mend_image_platform"),
    "other_format": ("image_other_platform", "mend_image_platform"),
    "malformed": ("image_name_invalid", "mend_image_name"),
    "never": ("image_never_pulled", "mend_image_import"),
}


def captured(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((PULLS / f"{name}.json").read_text())
    return found


def start(objects: Objects, image: BenchImage) -> None:
    """Start a pod, which is not there any more where that fails."""
    request = PodRequest("pm-x", "node-1", Access.POD, ("sleep", "infinity"))
    with KubeClient(ClusterAccess(objects.kept, POLICY), 0.0) as client:
        pods.start(client, [request], image=image, run_label="r1", start_seconds=5)


def kubelet(objects: Objects, status: dict[str, Any], events: list[dict[str, Any]]) -> None:
    """Have each pod be of that status as soon as it is made, with these events."""
    answer: Callable[[Asked], Answer] = objects._answer

    def answered(asked: Asked) -> Answer:
        made = answer(asked)
        if asked.method == "POST" and asked.path.endswith("/pods"):
            metadata = made.document["metadata"]
            objects.state(PODS.path(metadata["namespace"], metadata["name"]), **status)
            for number, event in enumerate(events):
                path = EVENTS.path(metadata["namespace"], f"e{number}")
                about = {**event["involvedObject"], "uid": metadata["uid"]}
                objects.put(path, {**event, "metadata": {}, "involvedObject": about})
        return made

    objects._answer = answered  # type: ignore[method-assign]


@pytest.mark.parametrize("name", CAPTURED)
def test_what_a_kubelet_said_is_told_with_its_mend(objects: Objects, name: str) -> None:
    found = captured(name)
    image = BenchImage(found["image"], found["pull_secret"])
    kubelet(objects, found["status"], found["events"])
    with pytest.raises(ImageError) as caught:
        start(objects, image)
    assert (caught.value.what.code, caught.value.mend.code) == CAPTURED[name]
    assert caught.value.said.code == "refusal_and_mend"
    assert not [path for path in objects.at if "/pods/" in path]


NAME = "registry.example/team/bench:1"
DENIED = (
    f'failed to pull and unpack image "{NAME}": failed to resolve reference "{NAME}": pull access '
    "denied, repository does not exist or may require authorization: authorization failed: no "
    "basic auth credentials"
)


def waiting(reason: str, message: str) -> dict[str, Any]:
    """The status of a pod whose container waits."""
    return {"containerStatuses": [{"state": {"waiting": {"reason": reason, "message": message}}}]}


def event(reason: str, message: str) -> dict[str, Any]:
    return {"reason": reason, "message": message, "involvedObject": {}}


def test_a_pull_secret_that_is_not_there_is_named(objects: Objects) -> None:
    told = "Unable to retrieve some image pull secrets (registry); attempting to pull the image"
    noted = [event("FailedToRetrieveImagePullSecret", told), event("Failed", DENIED)]
    kubelet(objects, waiting("ErrImagePull", DENIED), noted)
    with pytest.raises(ImageError) as caught:
        start(objects, BenchImage(NAME, "registry"))
    assert caught.value.what.code == "pull_secret_missing"
    assert "missing in namespace podmeter" in caught.value.what
    assert "create secret docker-registry registry" in caught.value.mend


def test_an_image_that_is_no_program_of_the_nodes_says_so_in_its_log(objects: Objects) -> None:
    ended = {
        "reason": "Error",
        "exitCode": 255,
        "message": "exec /usr/bin/sleep: exec format error",
    }
    status = {"phase": "Failed", "containerStatuses": [{"state": {"terminated": ended}}]}
    kubelet(objects, status, [])
    with pytest.raises(ImageError) as caught:
        start(objects, BenchImage(NAME))
    assert (caught.value.what.code, caught.value.mend.code) == (
        "image_other_platform",
        "mend_image_platform",
    )


@pytest.mark.parametrize(
    ("reason", "code"),
    [
        ("ErrImageNeverPull", "image_never_pulled"),
        ("InvalidImageName", "image_name_invalid"),
        ("RegistryUnavailable", "image_not_pulled"),
    ],
)
def test_some_reasons_say_it_all(objects: Objects, reason: str, code: str) -> None:
    kubelet(objects, waiting(reason, "so it is"), [])
    with pytest.raises(ImageError) as caught:
        start(objects, BenchImage(NAME))
    assert caught.value.what.code == code


#: What runtimes say, as their sources and those who asked about it have it, and what registries
#: answer through them.
ELSEWHERE = {
    # containerd
    DENIED: "image_denied",
    f'failed to pull and unpack image "{NAME}": failed to resolve reference "{NAME}": {NAME}: not '
    "found": "image_absent",
    'failed to do request: Head "https://registry.example/v2/team/bench/manifests/1": dial tcp: '
    "lookup registry.example on 10.0.0.10:53: no such host": "image_registry_unresolved",
    'failed to do request: Head "https://registry.example/v2/team/bench/manifests/1": dial tcp '
    "203.0.113.9:443: connect: connection refused": "image_registry_silent",
    'failed to do request: Head "https://registry.example/v2/team/bench/manifests/1": http: server '
    "gave HTTP response to HTTPS client": "image_registry_untrusted",
    f'rpc error: code = Canceled desc = failed to pull and unpack image "{NAME}": context '
    "canceled": "image_registry_silent",
    f'failed to pull and unpack image "{NAME}": no match for platform in manifest: not '
    "found": "image_other_platform",
    # CRI-O
    "reading manifest 1 in registry.example/team/bench: manifest unknown": "image_absent",
    "unable to retrieve auth token: invalid username/password: unauthorized": "image_denied",
    'choosing an image from manifest list: no image found in image index for architecture "arm64"'
    ', variant "v8", OS "linux"': "image_other_platform",
    "pinging container registry registry.example: Get https://registry.example/v2/: dial tcp "
    "203.0.113.9:443: i/o timeout": "image_registry_silent",
    # cri-dockerd
    "Error response from daemon: no matching manifest for linux/arm64/v8 in the manifest list "
    "entries": "image_other_platform",
    "Error response from daemon: pull access denied for bench, repository does not exist or may "
    "require 'docker login': denied: requested access to the resource is denied": "image_denied",
    # Registries
    "unexpected status from HEAD request to https://registry.example/v2/team/bench/manifests/1: "
    "403 Forbidden": "image_denied",
    "toomanyrequests: You have reached your unauthenticated pull rate limit.": "image_rate_limited",
    "tls: failed to verify certificate: x509: certificate signed by unknown "
    "authority": "image_registry_untrusted",
    "failed to extract layer: write /usr/bin/x: no space left on device": "image_no_room",
    "something that nobody has heard of": "image_not_pulled",
}


@pytest.mark.parametrize("told", ELSEWHERE)
def test_what_runtimes_say_is_understood(objects: Objects, told: str) -> None:
    kubelet(objects, waiting("ErrImagePull", told), [])
    with pytest.raises(ImageError) as caught:
        start(objects, BenchImage("registry.example/team/bench:1"))
    assert caught.value.what.code == ELSEWHERE[told]
    assert told in caught.value.what


def test_the_images_own_name_means_nothing(objects: Objects) -> None:
    """It may have any sign in it."""
    name = "registry.example/denied:not-found"
    told = f'failed to pull "{name}": connection refused'
    kubelet(objects, waiting("ErrImagePull", told), [])
    with pytest.raises(ImageError) as caught:
        start(objects, BenchImage(name))
    assert caught.value.what.code == "image_registry_silent"


def test_with_a_pull_secret_that_is_there_its_credentials_are_looked_at(objects: Objects) -> None:
    kubelet(objects, waiting("ErrImagePull", DENIED), [event("Failed", DENIED)])
    with pytest.raises(ImageError) as caught:
        start(objects, BenchImage(NAME, "registry"))
    assert caught.value.mend.code == "mend_credentials"
    assert "registry" in caught.value.mend


def test_a_kubelet_that_holds_back_has_told_its_events_why(objects: Objects) -> None:
    """Before 1.31 the status of one that tries again later does not say why."""
    held_back = waiting("ImagePullBackOff", f'Back-off pulling image "{NAME}"')
    kubelet(objects, held_back, [event("Failed", DENIED), event("Failed", "Error: ErrImagePull")])
    with pytest.raises(ImageError) as caught:
        start(objects, BenchImage(NAME))
    assert caught.value.what.code == "image_denied"


def test_without_a_right_to_see_events_the_status_has_to_do(objects: Objects) -> None:
    kubelet(objects, waiting("ErrImagePull", DENIED), [])
    answer: Callable[[Asked], Answer] = objects._answer

    def forbidden(asked: Asked) -> Answer:
        if "/events" in asked.path:
            return Answer(403, {"kind": "Status", "reason": "Forbidden", "message": "no"})
        return answer(asked)

    objects._answer = forbidden  # type: ignore[method-assign]
    with pytest.raises(ImageError) as caught:
        start(objects, BenchImage(NAME, "registry"))
    assert caught.value.what.code == "image_denied"


def test_a_pod_that_ends_for_another_reason_is_no_images_fault(objects: Objects) -> None:
    ended = {"reason": "OOMKilled", "exitCode": 137}
    status = {"phase": "Failed", "containerStatuses": [{"state": {"terminated": ended}}]}
    kubelet(objects, status, [])
    with pytest.raises(LabError, match="OOMKilled") as caught:
        start(objects, BenchImage("bench"))
    assert not isinstance(caught.value, ImageError)


def test_a_pull_that_takes_too_long_is_said_to_be_one(objects: Objects) -> None:
    pulling = {
        "reason": "Pulling",
        "lastTimestamp": "2026-11-22T00:00:02Z",
        "source": {"host": "node-1"},
        "involvedObject": {"uid": "uid-1"},
    }
    objects.put(EVENTS.path("podmeter", "one"), pulling)
    with KubeClient(ClusterAccess(objects.kept, POLICY), 0.0) as client:
        image = BenchImage("registry.example/bench")
        found = image_faults.still_pulling(client, image, "podmeter", {"uid-1"}, 120)
        assert found is not None
        assert found.what == say(
            "image_still_pulling", node="node-1", image="registry.example/bench", seconds=120
        )
        pulled = {**pulling, "reason": "Pulled", "lastTimestamp": "2026-11-22T00:00:09Z"}
        objects.put(EVENTS.path("podmeter", "two"), pulled)
        assert image_faults.still_pulling(client, image, "podmeter", {"uid-1"}, 120) is None


def test_what_is_not_started_is_a_labs_fault() -> None:
    """Code that waits for pods need not know about images."""
    assert issubclass(NotStartedError, LabError)
    assert issubclass(ImageError, LabError)
