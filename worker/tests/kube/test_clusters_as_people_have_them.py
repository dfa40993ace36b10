"""Clusters as people have them: preflight, plan and the start of a run say the same of each."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from bench.scripted.api import merged
from core.tests.sampling import sampled

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.db.base import now
from podmeter.db.models import Cluster
from podmeter.db.repositories.runs import RunRepository
from podmeter.domain.axes import MODE_AXES
from podmeter.domain.bench_image import BenchImage
from podmeter.domain.cluster_report import PREFLIGHT_REPORT, AxisReport, ClusterReport
from podmeter.domain.feasibility import Feasibility, Level
from podmeter.domain.fingerprint import Fingerprint
from podmeter.domain.ports import CommandOutput
from podmeter.services.errors import ObstacleError
from podmeter.services.execution.preflights import PreflightRequest
from podmeter.services.experiments import library
from podmeter.services.experiments.on_cluster import plan_at
from podmeter.services.runs.start import start
from podmeter.services.work import work_with
from podmeter_worker import cluster_preflight
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.facts.fingerprint import fingerprint_of
from podmeter_worker.kube.facts.identity import Identity
from podmeter_worker.kube.facts.kube_proxy import read_setup
from podmeter_worker.kube.resources import CONFIG_MAPS, DAEMON_SETS, NAMESPACES, NODES
from podmeter_worker.modes.switcher import SwitchContext

from ..bench import Bench
from ..labs import IMAGE
from .api_server import Answer
from .api_server import Asked as Request
from .object_server import Objects, served

pytestmark = pytest.mark.services

CASES = yaml.safe_load(
    (Path(__file__).parents[3] / "core/tests/fixtures/clusters.yaml").read_text()
)
POLICY = AddressPolicy.of(["127.0.0.0/8"])
SPEC: dict[str, Any] = {
    "name": "paths",
    "kind": "throughput",
    "axes": {"protocol": ["tcp"], "streams": [1]},
}
PROXY = """apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: iptables
"""


class Elsewhere(Objects):
    """An API server whose admission refuses pods, or changes them."""

    case: Mapping[str, Any]

    def _answer(self, asked: Request) -> Answer:
        path, _, query = asked.path.partition("?")
        if asked.method == "POST" and path.endswith("/pods") and "dryRun=All" in query:
            namespace = path.split("/")[-2]
            for one in self.case.get("refuses", []):
                if one["namespace"] in ("any", namespace):
                    said = (
                        one["message"].format(pod="pm-refusals")
                        if "{pod}" in one["message"]
                        else one["message"]
                    )
                    return Answer(one["status"], {"reason": one["reason"], "message": said})
            made = super()._answer(asked)
            changed = self.case.get("pods_become")
            if changed is None:
                return made
            (own,) = made.document["spec"]["containers"]
            containers = [
                {**own, **one, "name": own["name"]} if one["name"] == "measure" else one
                for one in changed["containers"]
            ]
            if containers[0]["image"].startswith("registry.example/"):
                containers[0]["image"] = own["image"]
            made.document["spec"]["containers"] = containers
            return made
        return super()._answer(asked)


class Shell:
    """A node whose kernel has every module, and nothing else to tell."""

    def __init__(self, node: str) -> None:
        self.node, self.address, self.pods = node, "192.168.0.1", None

    def run(self, argv: object, limit_seconds: float = 30.0) -> CommandOutput:
        return CommandOutput("", "", 0, 0.0)


def plain(objects: Objects) -> None:
    """Two nodes, flannel and kube-proxy as kubeadm sets it up."""
    for number, name in enumerate(("node-1", "node-2"), 1):
        objects.put(
            NODES.path(name=name),
            {
                "spec": {"podCIDR": f"10.244.{number}.0/24"},
                "status": {
                    "nodeInfo": {
                        "operatingSystem": "linux",
                        "architecture": "amd64",
                        "bootID": f"boot-{number}",
                        "kernelVersion": "6.1.0",
                        "osImage": "Debian 12",
                    },
                    "capacity": {"cpu": "4", "memory": "16Gi"},
                    "conditions": [{"type": "Ready", "status": "True"}],
                    "addresses": [{"type": "InternalIP", "address": f"192.168.0.{number}"}],
                },
            },
        )
    objects.put(NAMESPACES.path(name="kube-system"), {"metadata": {"uid": str(uuid.uuid4())}})
    for namespace, name, image in (
        ("kube-flannel", "kube-flannel-ds", "docker.io/flannel/flannel:v0.25.5"),
        ("kube-system", "kube-proxy", "registry.k8s.io/kube-proxy:v1.34.4"),
    ):
        container = {"name": name, "image": image}
        spec = {"template": {"spec": {"containers": [container]}}}
        objects.put(DAEMON_SETS.path(namespace, name), {"spec": spec})
    objects.put(CONFIG_MAPS.path("kube-system", "kube-proxy"), {"data": {"config.conf": PROXY}})
    backend = {"net-conf.json": '{"Network": "10.244.0.0/16", "Backend": {"Type": "vxlan"}}'}
    objects.put(CONFIG_MAPS.path("kube-flannel", "kube-flannel-cfg"), {"data": backend})


def changed(objects: Objects, case: Mapping[str, Any]) -> None:
    """What the case differs by."""
    objects.store.release = case.get("version", objects.store.release)
    for version, plurals in case.get("resources", {}).items():
        objects.serve(version, *plurals)
    for path in case.get("remove", []):
        del objects.at[path]
    for path, body in case.get("put", {}).items():
        objects.put(path, body)
    for name, body in case.get("nodes", {}).items():
        path = NODES.path(name=name)
        objects.put(path, merged(objects.at[path], _removed(body)))


def _removed(body: Any) -> Any:
    if isinstance(body, dict):
        return {name: _removed(value) for name, value in body.items()}
    return None if body == "(removed)" else body


@contextmanager
def server_of(case: Mapping[str, Any], folder: Path) -> Iterator[Objects]:
    with served(Elsewhere, folder) as objects:
        objects.case = case
        plain(objects)
        changed(objects, case)
        yield objects


def inside(
    look: cluster_preflight._PodChecks, image: BenchImage, *, host: bool
) -> tuple[Fingerprint, dict[str, AxisReport]]:
    """What pods would tell, of nodes that tell nothing but that their kernels lack no module."""
    client = look.client
    names = [node["metadata"]["name"] for node in client.list_all(NODES.path()).items]
    shells: Any = {name: Shell(name) for name in names}
    site = SwitchContext(client, shells, check=lambda: None, progress=lambda step: None)
    fingerprint = fingerprint_of(client, read_setup(client), None)
    return fingerprint, {axis: cluster_preflight._axis(site, axis) for axis in MODE_AXES}


def looked_at(objects: Objects) -> ClusterReport:
    @contextmanager
    def opened(_: object, __: object, identity: Identity) -> Iterator[KubeClient]:
        with KubeClient(ClusterAccess(objects.kept, POLICY, examine=identity.examine)) as client:
            yield client

    here: Any = SimpleNamespace(connector=SimpleNamespace(client=opened, image=IMAGE.reference))
    asked = PreflightRequest(uuid.uuid4(), now(), None, None)
    _, report, _ = cluster_preflight._look(here, uuid.uuid4(), asked)
    return report


def plan_and_start(
    bench: Bench, report: ClusterReport, axes: Mapping[str, Any]
) -> tuple[Feasibility, tuple[str, ...], set[str]]:
    """The plan's judgement, what a run is refused for by code, and the paths that it measures."""
    document = {**SPEC, "axes": {**SPEC["axes"], **axes}}
    cluster_id = bench.add_cluster(f"c-{uuid.uuid4()}")
    with work_with(bench.sessions, bench.queue) as work:
        row = work.session.get_one(Cluster, cluster_id)
        row.capabilities = PREFLIGHT_REPORT.stamp(report.model_dump(mode="json"))
        work.session.flush()
        planned = plan_at(work, bench.owner, document, cluster_id)
        experiment = library.create(work, bench.owner, document)
        cases = {str(case.get("path")) for block in planned.blocks for case in block.cases}
        try:
            run = start(work, bench.owner, experiment.id, cluster_id)
        except ObstacleError as error:
            return planned.feasibility, tuple(one.code for one in error.obstacles), cases
        kept = RunRepository(work.session, bench.owner.organization_id).all_cases(run.id)
        assert {str(case.point.get("path")) for case in kept} == cases
        assert list(run.warnings) == [one.said for one in planned.feasibility.left_out]
        return planned.feasibility, (), cases


@pytest.fixture(autouse=True)
def seen_without_pods(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_preflight._PodChecks, "inside", inside)
    monkeypatch.setattr(cluster_preflight, "ANSWER_SECONDS", 5.0)


@pytest.mark.parametrize("case", sampled(CASES, 12), ids=lambda case: case["name"])
def test_preflight_plan_and_run_say_the_same(
    case: Mapping[str, Any], tmp_path: Path, bench: Bench
) -> None:
    with server_of(case, tmp_path) as objects:
        report = looked_at(objects)
    expected = case["expect"]
    found, refused, paths = plan_and_start(bench, report, {})
    blocking = [one for one in found.obstacles if one.level is Level.REFUSED]
    assert {one.code for one in blocking} == set(expected.get("obstacles", {}))
    # What a run is refused for is what the plan says, and nothing else.
    assert refused == tuple(one.code for one in blocking)
    notes = [one for one in found.obstacles if one.level is Level.NOTE]
    for kind, obstacles in (("obstacles", blocking), ("notes", notes)):
        for code, texts in expected.get(kind, {}).items():
            causes = " ".join(one.cause for one in obstacles if one.code == code)
            for text in texts:
                assert text in causes
    left_out = {one.obstacle.code: one.values for one in found.left_out}
    assert left_out.keys() == expected.get("left_out", {}).keys()
    for code, values in expected.get("left_out", {}).items():
        assert set(left_out[code]) == set(values)
        assert not paths & set(values)
    said = [*found.obstacles, *(one.obstacle for one in found.left_out)]
    remedies = " ".join(one.remedy for one in said)
    for text in expected.get("remedies", []):
        assert text in remedies
    for text in expected.get("never", []):
        assert text not in remedies
    assert len({(one.cause, one.remedy) for one in said}) == len(said), "said twice"
    if "nodes" in expected:
        assert len(report.nodes) == expected["nodes"]
    if "cni" in expected and report.cni is not None:
        assert report.cni.name == expected["cni"]


WITH_MODES = [case for case in CASES if {"fixed", "modes"} & case["expect"].keys()]
SWITCHED = {"kube_proxy_mode": ("iptables", "ipvs"), "encapsulation": ("vxlan", "none")}


@pytest.mark.parametrize("case", sampled(WITH_MODES, 4), ids=lambda case: case["name"])
def test_modes_are_refused_with_what_decides_them(
    case: Mapping[str, Any], tmp_path: Path, bench: Bench
) -> None:
    with server_of(case, tmp_path) as objects:
        report = looked_at(objects)
    expected, remedies = case["expect"], ""
    for axis, texts in expected.get("fixed", {}).items():
        found, refused, _ = plan_and_start(bench, report, {axis: list(SWITCHED[axis])})
        (obstacle,) = (one for one in found.obstacles if one.axis == axis)
        assert obstacle.code == "mode_fixed"
        assert obstacle.code in refused
        for text in texts:
            assert text in obstacle.cause
        remedies += obstacle.remedy
    for text in expected.get("mode_remedies", []):
        assert text in remedies
    for axis, values in expected.get("modes", {}).items():
        found, refused, _ = plan_and_start(bench, report, {axis: values})
        against = [one for one in found.obstacles if one.axis == axis]
        # It is said which nodes feel it.
        assert {one.level for one in against} <= {Level.NOTE}
        assert refused == ()
