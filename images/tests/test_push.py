"""The measuring image on its way to a cluster's nodes: by a registry, and by a file."""

import json
import re
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from images.tests.compose import Compose, docker

from podmeter.domain.bench_image import image_reference
from podmeter.stack.redis import free_port
from podmeter.version import BENCH_IMAGE, VERSION
from podmeter_testbed import builds
from podmeter_testbed.layout import Layout
from podmeter_testbed.shell import wait_for

pytestmark = [pytest.mark.compose, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def registry() -> Iterator[str]:
    """A registry of our own, as teams run one; its address."""
    program = builds.build(Layout.from_environment().cache, builds.REGISTRY) / "registry"
    address = f"127.0.0.1:{free_port()}"
    with tempfile.TemporaryDirectory(prefix="podmeter-registry-") as folder:
        settings = {
            "version": 0.1,
            "storage": {"filesystem": {"rootdirectory": f"{folder}/images"}},
            "http": {"addr": address},
        }
        config = Path(folder, "config.yml")
        config.write_text(json.dumps(settings))
        process = subprocess.Popen([program, "serve", config], stderr=subprocess.DEVNULL)
        try:
            wait_for("the registry", lambda: answers(address), 30)
            yield address
        finally:
            process.kill()
            process.wait()


def answers(address: str) -> bool:
    try:
        return httpx.get(f"http://{address}/v2/").is_success
    except httpx.TransportError:
        return False


def make(compose: Compose, *words: str) -> str:
    """The one line that a target of the Makefile prints on standard output."""
    ended = subprocess.run(
        ["make", "--no-print-directory", *words],
        cwd=compose.clone,
        env=compose.environment | {"CERTIFICATES": compose.certificates},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    (line,) = ended.stdout.splitlines()
    return line


def test_without_a_registry_it_asks_for_one(compose: Compose) -> None:
    ended = subprocess.run(
        ["make", "push-bench"], cwd=compose.clone, capture_output=True, text=True, check=False
    )
    assert ended.returncode != 0
    assert "REGISTRY=registry.example/team" in ended.stderr


def test_what_was_pushed_is_pulled_by_what_was_printed(compose: Compose, registry: str) -> None:
    printed = make(compose, "push-bench", f"REGISTRY={registry}/team")
    assert image_reference(printed) == printed
    assert re.fullmatch(rf"{re.escape(registry)}/team/bench:0\.1\.0@sha256:[0-9a-f]{{64}}", printed)
    digest = printed.partition("@")[2]
    manifest = httpx.head(
        f"http://{registry}/v2/team/bench/manifests/{digest}",
        headers={"Accept": "application/vnd.docker.distribution.manifest.v2+json"},
    )
    assert manifest.headers["docker-content-digest"] == digest
    docker("image", "rm", f"{registry}/team/bench:{VERSION}")
    docker("pull", printed)
    said = docker("run", "--rm", "--network", "none", printed, "iperf3", "--version")
    assert said.startswith("iperf 3")
    # Again it is the same, and nothing is rebuilt.
    assert make(compose, "push-bench", f"REGISTRY={registry}/team") == printed


def test_a_file_for_nodes_that_reach_no_registry(compose: Compose, tmp_path: Path) -> None:
    file = tmp_path / "bench.tar"
    printed = make(compose, "save-bench", f"FILE={file}")
    assert printed == BENCH_IMAGE
    with tarfile.open(file) as archive:
        content = archive.extractfile("manifest.json")
        assert content is not None
        (image,) = json.load(content)
    assert image["RepoTags"] == [f"podmeter/bench:{VERSION}"]
