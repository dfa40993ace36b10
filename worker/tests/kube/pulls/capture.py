"""Captures what a kubelet and containerd say of images that cannot be pulled or run. Needs root.

    .venv/bin/podmeter-testbed up && .venv/bin/python worker/tests/kube/pulls/capture.py

A registry of our own runs on node-1 of the testbed, once open and once asking for a login. Each
case becomes NAME.json beside this file: the pod's status and its events, of which names and times
are left as they were.
"""

import hashlib
import io
import json
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

import httpx

from podmeter.domain.bench_image import BenchImage
from podmeter.domain.ports import Access, PodRequest
from podmeter_testbed import builds
from podmeter_testbed.layout import INSIDE_CACHE, INSIDE_STATE, Layout
from podmeter_worker.kube import manifests

HERE = Path(__file__).parent
BIN = Path(sys.executable).parent
NODE = "node-1"
LAYOUT = Layout.from_environment()
ADDRESS = LAYOUT.address(NODE)
SECONDS = 150
TYPES = "application/vnd.docker.distribution.manifest.v2+json"
INDEX = "application/vnd.docker.distribution.manifest.list.v2+json"
# Of user and password `x`, which nobody is asked for here.
HTPASSWD = "x:$2y$05$Sjs3p5SBXB1d4CfNXzSoCeRfWwO8mVzyPZmMwXzuGeuLqGo8yf1nK\n"

CASES = {
    "absent": {"image": "localhost:5000/team/nothing:1"},
    "denied": {"image": "localhost:5001/team/bench:1"},
    "denied_without_secret": {"image": "localhost:5001/team/bench:1", "pull_secret": "nowhere"},
    "refused": {"image": "localhost:5999/team/bench:1"},
    "unreached": {"image": "192.0.2.1/team/bench:1"},
    "no_route": {"image": f"{LAYOUT.subnet.network_address + 99}/team/bench:1"},
    "unresolved": {"image": "registry.invalid/team/bench:1"},
    "plain_http": {"image": f"{ADDRESS}:5000/team/bench:1"},
    "other_platform": {"image": "localhost:5000/team/foreign:1"},
    "other_format": {"image": "localhost:5000/team/mislabelled:1"},
    "malformed": {"image": "localhost:5000/Team/Bench:1"},
    "never": {"image": "localhost:5000/team/nothing:1", "policy": "Never"},
}


def kubectl(*words, stdin=None):
    argv = [BIN / "podmeter-testbed", "kubectl", *words]
    ended = subprocess.run(argv, input=stdin, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise RuntimeError(ended.stderr)
    return ended.stdout


def inside(*words):
    return subprocess.Popen([BIN / "podmeter-testbed", "exec", NODE, "--", *words])


def seen(path):
    """As the node sees a file of the testbed's state."""
    return INSIDE_STATE / path.relative_to(LAYOUT.state)


def registry(folder, port, auth=None):
    """A registry on the node, as it sees the files."""
    settings = {
        "version": 0.1,
        "storage": {"filesystem": {"rootdirectory": f"/tmp/registry-{port}"}},
        "http": {"addr": f"0.0.0.0:{port}"},
    }
    if auth:
        settings["auth"] = {"htpasswd": {"realm": "team", "path": str(seen(auth))}}
    config = folder / f"{port}.json"
    config.write_text(json.dumps(settings))
    program = builds.build(LAYOUT.cache, builds.REGISTRY) / "registry"
    where = INSIDE_CACHE / program.relative_to(LAYOUT.cache)
    return inside(str(where), "serve", str(seen(config)))


def blob(client, name, content):
    digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
    where = client.post(f"/v2/{name}/blobs/uploads/").headers["location"]
    sign = "&" if "?" in where else "?"
    client.put(f"{where}{sign}digest={digest}", content=content).raise_for_status()
    return {"digest": digest, "size": len(content)}


def push(client, name, architecture, listed):
    """An image whose `sleep` is a program of arm64, labelled as of an architecture."""
    program = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00\xb7\x00\x01\x00\x00\x00" + bytes(40)
    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w") as archive:
        entry = tarfile.TarInfo("bin/sleep")
        entry.size, entry.mode = len(program), 0o755
        archive.addfile(entry, io.BytesIO(program))
    content = layer.getvalue()
    config = {
        "architecture": architecture,
        "os": "linux",
        "config": {"Env": ["PATH=/bin"]},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(content).hexdigest()}"]},
    }
    manifest = {
        "schemaVersion": 2,
        "mediaType": TYPES,
        "config": {
            "mediaType": "application/vnd.docker.container.image.v1+json",
            **blob(client, name, json.dumps(config).encode()),
        },
        "layers": [
            {
                "mediaType": "application/vnd.docker.image.rootfs.diff.tar",
                **blob(client, name, content),
            }
        ],
    }
    text = json.dumps(manifest).encode()
    tag = "of-it" if listed else "1"
    put(client, name, tag, TYPES, text)
    if listed:
        index = {
            "schemaVersion": 2,
            "mediaType": INDEX,
            "manifests": [
                {
                    "mediaType": TYPES,
                    "digest": f"sha256:{hashlib.sha256(text).hexdigest()}",
                    "size": len(text),
                    "platform": {"architecture": architecture, "os": "linux"},
                }
            ],
        }
        put(client, name, "1", INDEX, json.dumps(index).encode())


def put(client, name, tag, kind, text):
    path = f"/v2/{name}/manifests/{tag}"
    client.put(path, content=text, headers={"Content-Type": kind}).raise_for_status()


def capture(name, image, pull_secret=None, policy=None):
    pod = f"pull-{name.replace('_', '-')}"
    request = PodRequest(pod, NODE, Access.POD, ("sleep", "infinity"))
    body = manifests.pod(request, BenchImage(image, pull_secret), "pulls")
    body["metadata"]["namespace"] = "default"
    if policy:
        body["spec"]["containers"][0]["imagePullPolicy"] = policy
    began = time.monotonic()
    kubectl("create", "--filename", "-", stdin=json.dumps(body))
    try:
        while True:
            status = json.loads(kubectl("get", "pod", pod, "--output", "json"))["status"]
            states = [one["state"] for one in status.get("containerStatuses", [])]
            waiting = [one["waiting"]["reason"] for one in states if "waiting" in one]
            ended = status["phase"] in ("Failed", "Succeeded")
            if ended or (waiting and waiting[0] != "ContainerCreating"):
                break
            if time.monotonic() - began > SECONDS:
                break
            time.sleep(0.2)
        selector = f"involvedObject.name={pod}"
        events = json.loads(
            kubectl("get", "events", "--field-selector", selector, "--output", "json")
        )["items"]
    finally:
        kubectl("delete", "pod", pod, "--grace-period", "0", "--force")
    for one in events:
        one["metadata"].pop("managedFields", None)
    seconds = round(time.monotonic() - began, 1)
    found = {"image": image, "pull_secret": pull_secret, "seconds": seconds}
    text = json.dumps({**found, "status": status, "events": events}, indent=1)
    (HERE / f"{name}.json").write_text(text + "\n")
    print(name, seconds, waiting or status["phase"], flush=True)


def main():
    with tempfile.TemporaryDirectory(dir=LAYOUT.state) as name:
        folder = Path(name)
        (folder / "htpasswd").write_text(HTPASSWD)
        programs = [registry(folder, 5000), registry(folder, 5001, folder / "htpasswd")]
        try:
            with httpx.Client(base_url=f"http://{ADDRESS}:5000") as client:
                for _ in range(100):
                    try:
                        client.get("/v2/")
                        break
                    except httpx.TransportError:
                        time.sleep(0.2)
                push(client, "team/foreign", "arm64", listed=True)
                push(client, "team/mislabelled", "amd64", listed=False)
            chosen = sys.argv[1:] or CASES
            for case in chosen:
                capture(case, **CASES[case])
        finally:
            for program in programs:
                program.kill()


if __name__ == "__main__":
    main()
