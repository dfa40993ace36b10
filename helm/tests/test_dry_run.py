"""What the chart makes of every file of values, as a real API server takes it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from core.tests.kubernetes_yaml import Object
from helm.tests.chart import CHART, NAMESPACE, VALUES, Chart

from podmeter_testbed import lifecycle
from podmeter_testbed.kubectl import Kubectl
from podmeter_testbed.shell import wait_for

pytestmark = pytest.mark.helm

#: Kinds of others, which the testbed lacks; their own schemas are not held to here.
KINDS = {
    "httproutes": ("gateway.networking.k8s.io", "HTTPRoute"),
    "servicemonitors": ("monitoring.coreos.com", "ServiceMonitor"),
}
CLUSTERS_OWN = {
    *("Namespace", "ClusterRole", "ClusterRoleBinding"),
    *("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"),
}


@pytest.fixture(scope="module")
def room(testbed_session: None, chart: Chart) -> Iterator[Kubectl]:
    """Namespaces that a dry run does not make, and kinds of others."""
    lifecycle.up(chart.helm.layout)
    kubectl = Kubectl(chart.helm.layout)
    namespaces = (NAMESPACE, "podmeter", "podmeter-host")
    made: list[dict[str, object]] = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": n}} for n in namespaces
    ]
    made += [definition(plural, group, kind) for plural, (group, kind) in KINDS.items()]
    # A pod alone is taken only where its account is.
    where = {"name": "podmeter", "namespace": NAMESPACE}
    made.append({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": where})
    kubectl.apply("\n---\n".join(map(json.dumps, made)))
    for plural, (group, _) in KINDS.items():
        name = f"crd/{plural}.{group}"
        kubectl.run("wait", "--for=condition=Established", "--timeout=60s", name, timeout=70)
    wait_for("the kinds to be served", lambda: served(kubectl), 60)
    yield kubectl
    kubectl.run("delete", "namespace", *namespaces, "--timeout=120s", timeout=130)
    kubectl.run("delete", "crd", *(f"{plural}.{group}" for plural, (group, _) in KINDS.items()))


def served(kubectl: Kubectl) -> bool:
    known = kubectl.run("api-resources", "--output=name").split()
    return all(f"{plural}.{group}" in known for plural, (group, _) in KINDS.items())


def definition(plural: str, group: str, kind: str) -> dict[str, object]:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": f"{plural}.{group}",
            "annotations": {"api-approved.kubernetes.io": "unapproved, of a test"},
        },
        "spec": {
            "group": group,
            "names": {"plural": plural, "kind": kind},
            "scope": "Namespaced",
            "versions": [version],
        },
    }


@pytest.mark.parametrize("values", VALUES, ids=lambda path: path.stem)
def test_a_real_api_server_takes_it(chart: Chart, room: Kubectl, values: Path) -> None:
    """Every object, every field: an unknown one is refused."""
    made = chart.objects("--values", str(values))
    text = "\n---\n".join(json.dumps(placed(one)) for one in made)
    words = ("apply", "--server-side", "--force-conflicts", "--dry-run=server", "--validate=strict")
    said = room.run(*words, "--filename", "-", stdin=text, timeout=120)
    assert "podmeter-api serverside-applied" in said
    assert len(said.splitlines()) == len(made)


def placed(one: Object) -> Object:
    """As helm places it: what says no namespace is in the release's."""
    if one["kind"] in CLUSTERS_OWN:
        return one
    return {**one, "metadata": {"namespace": NAMESPACE, **one["metadata"]}}


def test_secrets_are_made_where_the_cluster_is_seen(chart: Chart, room: Kubectl) -> None:
    where = ("--namespace", NAMESPACE)
    said = chart.helm.run("install", "other", str(CHART), *where, "--dry-run=server", timeout=120)
    assert "encryption-keys:" in said
