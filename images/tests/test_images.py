"""The images as they are built by `make images`: small, without secrets, run by anybody."""

import io
import json
import re
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from images.tests.compose import Compose, docker

from podmeter.drivers import program
from podmeter.kinds.registry import tools
from podmeter.version import VERSION

pytestmark = [pytest.mark.compose, pytest.mark.timeout(1800)]

IMAGES = ("api", "worker", "bench")
#: What must never be built in, wherever it lies in a clone that has been used.
CANARY = "canary-6d1f5b0c9b7e4c55"
PLANTED = (
    ".env",
    ".secrets/encryption_keys",
    ".podmeter/secrets.env",
    ".testbed/kubeconfig",
    "frontend/.env.local",
    "frontend/src/.env",
    "core/src/podmeter/.env",
    "images/requirements/.env",
    "images/bench/.env",
)
ELF = b"\x7fELF"
PRIVATE_KEY = re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY-----\s+[A-Za-z0-9+/=]{32,}")


def reference(image: str) -> str:
    return f"docker.io/podmeter/{image}:{VERSION}"


@pytest.fixture(scope="module")
def said(compose: Compose, clone: Path) -> str:
    """What `make images` printed, in a clone full of secrets."""
    for name in PLANTED:
        path = clone / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_text(CANARY)
    made = subprocess.run(
        ["make", "images"],
        cwd=clone,
        env=compose.environment | {"CERTIFICATES": compose.certificates},
        check=True,
        capture_output=True,
        text=True,
    )
    for name in PLANTED:
        if (clone / name).read_text() == CANARY:
            (clone / name).unlink()
    return made.stdout


def files(image: str) -> Iterator[tuple[str, bytes]]:
    """Name and content of every file in every layer, of the configuration and of the history."""
    saved = subprocess.run(["docker", "save", reference(image)], check=True, capture_output=True)
    with tarfile.open(fileobj=io.BytesIO(saved.stdout)) as archive:
        for entry in archive:
            opened = archive.extractfile(entry) if entry.isfile() else None
            if opened is None:
                continue
            content = opened.read()
            if not entry.name.endswith(".tar"):
                yield entry.name, content
                continue
            with tarfile.open(fileobj=io.BytesIO(content)) as layer:
                for member in layer:
                    inner = layer.extractfile(member) if member.isfile() else None
                    if inner is not None:
                        yield member.name, inner.read()


def test_sizes_are_printed(said: str) -> None:
    for image in IMAGES:
        found = re.search(rf"^{re.escape(reference(image))} +(\d+) MB$", said, re.MULTILINE)
        assert found is not None
        print(found[0])


@pytest.mark.parametrize("image", IMAGES)
def test_no_layer_has_a_secret(said: str, compose: Compose, image: str) -> None:
    certificates = Path(compose.certificates).read_bytes()
    looked = 0
    for name, content in files(image):
        looked += 1
        assert CANARY.encode() not in content, name
        assert not certificates or content != certificates, name
        assert Path(name).name not in (".env", ".secrets", "secrets.env", "kubeconfig"), name
        # GnuTLS has keys in its program, with which it tests itself.
        assert content.startswith(ELF) or not PRIVATE_KEY.search(content), name
    assert looked > 1000


@pytest.mark.parametrize("image", IMAGES)
def test_what_an_image_says_of_itself(said: str, image: str) -> None:
    inspected = json.loads(docker("image", "inspect", reference(image)))[0]["Config"]
    user, _, group = inspected["User"].partition(":")
    assert int(user) > 0
    assert int(group) > 0
    labels = {
        name.removeprefix("org.opencontainers.image."): text
        for name, text in inspected["Labels"].items()
    }
    assert labels["title"] == f"podmeter/{image}"
    assert labels["version"] == VERSION
    assert re.fullmatch(r"[0-9a-f]{40}", labels["revision"])
    assert labels["description"]
    assert ("Healthcheck" in inspected) == (image != "bench")


RANDOM_UID = ("--user", "54321:0", "--read-only", "--cap-drop", "ALL", "--network", "none")


def run_restricted(image: str, *argv: str) -> str:
    tmp = ("--tmpfs", "/tmp:mode=1777", "--security-opt", "no-new-privileges:true")
    return docker("run", "--rm", *RANDOM_UID, *tmp, reference(image), *argv)


def test_the_api_starts_as_anybody_with_a_read_only_root(said: str) -> None:
    """As far as it goes without a database: everything is imported, and the reason is clear."""
    assert "migrate" in run_restricted("api", "podmeter-admin", "--help")
    answer = run_restricted(
        "api", "python", "-c", "from podmeter_api.app import create_app; create_app(); print('ok')"
    )
    assert answer.strip() == "ok"


@pytest.mark.parametrize("part", ["runs", "upkeep", "beat"])
def test_the_worker_starts_as_anybody_with_a_read_only_root(said: str, part: str) -> None:
    assert part in run_restricted("worker", "python", "-m", "podmeter_worker", "--help")


def test_the_measuring_image_has_its_tools_for_anybody(said: str) -> None:
    for argv in (*(tool.version_argv for tool in tools()), program.VERSION_ARGV):
        run_restricted("bench", *argv)
