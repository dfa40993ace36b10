"""An optional ingress controller: a testbed starts without it.

EasyHAProxy, with HAProxy from Debian: Traefik takes longer to build than all of the testbed, and
others cannot be had as Go modules.
"""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

from podmeter_testbed import addons, debian, image_tools, loading, stages
from podmeter_testbed.kubectl import Kubectl
from podmeter_testbed.layout import PROJECT, Layout
from podmeter_testbed.progress import step
from podmeter_testbed.shell import run, wait_for
from podmeter_testbed.stages import Cost, Stage

NAME = "easyhaproxy"
_FOLDER = PROJECT / "testbed" / "images" / NAME
_WORKLOAD = (NAME, f"deployment/{NAME}")


def reference() -> str:
    """The image; its tag is the version that requirements.txt asks for."""
    first = (_FOLDER / "requirements.txt").read_text().split()[0]
    return f"podmeter.testbed/{NAME}:{first.partition('==')[2]}"


def output(cache: Path) -> Path:
    """The archive of the image."""
    digest = hashlib.sha256(debian.RECIPE)
    for path in sorted(_FOLDER.iterdir()):
        digest.update(path.read_bytes())
    return cache / "images" / f"{NAME}-{digest.hexdigest()[:12]}.tar"


def build(cache: Path) -> Path:
    """Make `output` unless it is there."""
    cost = Cost(cpu_seconds=30, seconds=30, cache=1.0, kept=0.1)
    made = Stage(NAME, reference(), cost, output(cache).exists, lambda: _build(cache))
    if not made.is_built():
        stages.run(cache, [debian.stage(cache), made])
    return output(cache)


def _build(cache: Path) -> None:
    archive = output(cache)
    with tempfile.TemporaryDirectory(dir=archive.parent, prefix=".building-") as temporary:
        work = Path(temporary)
        with step(f"building {reference()}"), image_tools.buildah(work) as buildah:
            image_tools.import_base(buildah, debian.output(cache))
            image_tools.build(buildah, reference(), _FOLDER / "Dockerfile")
            run(*buildah, "push", reference(), f"oci-archive:{work}/image.tar:{reference()}")
        (work / "image.tar").rename(archive)


def start(layout: Layout, seconds: float = 120.0) -> None:
    """Start the controller on a testbed that is up, and wait until it has its address."""
    kubectl = Kubectl(layout)
    archive = build(layout.cache)
    if not _is_there(kubectl):
        loading.load(layout, archive)
    with step(f"starting {NAME}"):
        text = (addons.MANIFESTS / f"{NAME}.yaml").read_text()
        kubectl.apply(text.replace("${EASYHAPROXY_IMAGE}", reference()))
        addons.wait_until_rolled_out(kubectl, (_WORKLOAD,), seconds)
        wait_for(f"the address of {NAME}", lambda: address(kubectl) is not None, seconds)


def remove(layout: Layout) -> None:
    """Take the controller away, with its class."""
    with step(f"removing {NAME}"):
        Kubectl(layout).run(
            *("delete", "--ignore-not-found", "--timeout", "60s"),
            *(f"namespace/{NAME}", f"ingressclass/{NAME}"),
            *(f"clusterrole/{NAME}", f"clusterrolebinding/{NAME}"),
            timeout=90,
        )


def address(kubectl: Kubectl) -> str | None:
    """Where MetalLB has the controller asked; None while that is not settled."""
    found = kubectl.get("service", NAME, "--namespace", NAME)["status"]["loadBalancer"]
    given = found.get("ingress") or [{}]
    told: str | None = given[0].get("ip")
    return told


def _is_there(kubectl: Kubectl) -> bool:
    found = kubectl.get("deployments", "--namespace", NAME)["items"]
    return any(item["status"].get("availableReplicas") for item in found)
