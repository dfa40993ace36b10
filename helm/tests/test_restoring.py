"""The pod in which docs/how-to/back-up.md restores a backup."""

import json
import re
import shutil
import subprocess

import pytest
from core.tests.kubernetes_yaml import Object
from helm.tests.chart import Chart, backup_commands, named


@pytest.fixture
def pod(chart: Chart) -> Object:
    """What the page's filter makes of the API's Deployment."""
    if shutil.which("jq") is None:
        pytest.skip("jq is missing: install the package jq")
    (program,) = re.findall(r"jq '(.*?)'", backup_commands()[1], re.DOTALL)
    deployment = json.dumps(named(chart.objects(), "Deployment", "podmeter-api"))
    made = subprocess.run(
        ["jq", program], input=deployment, capture_output=True, text=True, check=True
    )
    found: Object = json.loads(made.stdout)
    return found


def test_it_is_the_apis_pod_but_serves_nothing(chart: Chart, pod: Object) -> None:
    """A server of the API would hold connections, and the database would not be replaced."""
    template = named(chart.objects(), "Deployment", "podmeter-api")["spec"]["template"]
    (container,), (served,) = pod["spec"]["containers"], template["spec"]["containers"]
    assert container["command"] == ["sleep", "infinity"]
    left_out = {"ports", "startupProbe", "livenessProbe", "readinessProbe", "lifecycle"}
    assert {k: v for k, v in served.items() if k not in left_out} == {
        k: v for k, v in container.items() if k != "command"
    }
    # They wait for the schema of this version, which the database may not have.
    assert "initContainers" not in pod["spec"]
    assert pod["spec"]["serviceAccountName"] == template["spec"]["serviceAccountName"]


def test_it_has_room_for_the_backup(pod: Object) -> None:
    volumes = {one["name"]: one for one in pod["spec"]["volumes"]}
    assert volumes["tmp"] == {"name": "tmp", "emptyDir": {}}
    assert "projected" in volumes["secrets"]


@pytest.mark.parametrize("part", ["postgres", "redis"])
def test_it_reaches_the_databases(chart: Chart, pod: Object, part: str) -> None:
    policy = named(chart.objects(), "NetworkPolicy", f"podmeter-{part}")["spec"]
    source = policy["ingress"][0]["from"][0]["podSelector"]
    labels = pod["metadata"]["labels"]
    assert source["matchLabels"].items() <= labels.items()
    (component,) = source["matchExpressions"]
    assert labels[component["key"]] in component["values"]


def test_every_part_that_the_chart_starts_is_stopped_and_started(chart: Chart) -> None:
    parts = {
        one["metadata"]["name"]: one["spec"]["replicas"]
        for one in chart.objects()
        if one["kind"] == "Deployment"
    }
    scaled = re.findall(r"k scale deployment (.*?) --replicas (\d)", backup_commands()[1])
    stopped = {name for names, count in scaled if count == "0" for name in names.split()}
    started = {name: int(n) for names, n in scaled if n != "0" for name in names.split()}
    assert stopped == set(parts)
    assert started == parts
