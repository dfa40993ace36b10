"""Paths: a name is one part of one, or none."""

import pytest

from podmeter_worker.kube.resources import DAEMON_SETS, NODES, PODS


def test_paths_are_those_of_the_api() -> None:
    assert NODES.path() == "/api/v1/nodes"
    assert PODS.path("ns", "a", "exec") == "/api/v1/namespaces/ns/pods/a/exec"
    assert DAEMON_SETS.path("ns") == "/apis/apps/v1/namespaces/ns/daemonsets"


def test_what_means_something_in_a_url_is_quoted() -> None:
    assert PODS.path("ns", "a?b#c d@e") == "/api/v1/namespaces/ns/pods/a%3Fb%23c%20d%40e"


@pytest.mark.parametrize("name", ["a/../../b", "..", ".", "", "/", "%2e%2e", "a%2Fb"])
def test_a_name_cannot_lead_elsewhere(name: str) -> None:
    with pytest.raises(ValueError, match="no name of an object"):
        PODS.path("ns", name)
    with pytest.raises(ValueError, match="no name of an object"):
        PODS.path(name)
