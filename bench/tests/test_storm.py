"""The hostile API servers are there, and are hostile."""

import base64
import json
import ssl
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from bench.storm.__main__ import hostile_servers

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.credentials.kubeconfig import sanitize

POLICY = AddressPolicy.of(["127.0.0.0/8"])


@pytest.fixture(scope="module")
def kubeconfigs() -> Iterator[dict[str, str]]:
    with hostile_servers() as found:
        yield found


def asked(kubeconfig: str, path: str, timeout: float = 60) -> Any:
    """A request as any client would make it, its answer not read yet."""
    (cluster,) = json.loads(kubeconfig)["clusters"]
    authority = base64.b64decode(cluster["cluster"]["certificate-authority-data"]).decode()
    context = ssl.create_default_context(cadata=authority)
    url = cluster["cluster"]["server"] + path
    return urllib.request.urlopen(url, timeout=timeout, context=context)


def test_there_are_twenty_and_each_can_be_registered(kubeconfigs: dict[str, str]) -> None:
    assert len(kubeconfigs) >= 20
    servers = {
        sanitize(one.encode(), now=datetime.now(UTC), policy=POLICY).kept_fields()["server"]
        for one in kubeconfigs.values()
    }
    assert len(servers) == len(kubeconfigs)


def test_some_answer_what_they_should_not(kubeconfigs: dict[str, str]) -> None:
    path = "/api/v1/namespaces/kube-system"
    first, second = (
        json.load(asked(kubeconfigs["WrongUid"], path))["metadata"]["uid"] for _ in range(2)
    )
    assert first != second
    with asked(kubeconfigs["GzipBomb"], path) as answer:
        assert answer.headers["Content-Encoding"] == "gzip"
        assert 200_000 < int(answer.headers["Content-Length"]) < 400_000
    with asked(kubeconfigs["Endless"], path) as answer:
        assert len(answer.read(10 << 20)) == 10 << 20
    page = json.load(asked(kubeconfigs["EndlessPages"], "/api/v1/nodes"))
    assert len(page["items"]) == 500
    assert page["metadata"]["continue"]


@pytest.mark.parametrize("name", ["Resetting", "Silent", "TooBusy", "Html", "WrongLength"])
def test_others_give_no_answer(kubeconfigs: dict[str, str], name: str) -> None:
    with pytest.raises((OSError, ValueError, KeyError)):
        json.load(asked(kubeconfigs[name], "/version", timeout=5))["gitVersion"]
