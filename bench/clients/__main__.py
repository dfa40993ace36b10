"""Generate API clients, compile them, and run one experiment to its result with each.

    python -m bench.clients [--folder .clients]

Go by oapi-codegen, TypeScript by openapi-typescript, Python by openapi-python-client; from the
document that the API serves. Redocly lints both versions of it first. A stack of its own measures a
scripted cluster (`bench/scripted`). Needs the network, Go 1.26 and Node. Exits with 1 where a
client does not compile, or does not read the result that the API has.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bench.row import BenchError
from bench.scripted.cluster import ScriptedCluster
from bench.scripted.loop import Loop
from bench.stack import OwnStack, end_on_sigterm
from podmeter.demo import cluster as registration
from podmeter.version import BENCH_IMAGE

SOURCES = Path(__file__).parent
MODULES = SOURCES.parents[1] / "frontend" / "node_modules"
REDOCLY = "@redocly/cli@2.77.0"
OAPI_CODEGEN = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"
OPENAPI_PYTHON_CLIENT = "openapi-python-client==0.29.1"
SPEC = {
    "kind": "throughput",
    "axes": {"path": ["node-node", "pod-pod"], "protocol": ["tcp"], "streams": [1]},
    "repetition": {"trials": 2, "seconds": 1, "warmup": 0, "rounds": 2},
}
#: Runs a client's program in the environment that it reads.
Run = Callable[[Mapping[str, str]], str]


def main() -> int:
    """0 where every client reads its run's result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--folder", type=Path, default=Path(".clients"))
    folder: Path = parser.parse_args().folder.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    end_on_sigterm()
    settings = {
        "BENCH_IMAGE": BENCH_IMAGE,
        "PODMETER_ALLOWED_CLUSTER_NETWORKS": "127.0.0.0/8",
        "PODMETER_API_PROCESSES": "1",
    }
    with tempfile.TemporaryDirectory(prefix="podmeter-clients-") as name, Loop() as loop:
        cluster = ScriptedCluster("clients", measuring_seconds=0.1)
        loop.wait(cluster.start())
        with OwnStack(Path(name), settings) as stack:
            documents = _documents(stack, folder)
            programs = {
                "go": _go(folder / "go", documents["3.0"]),
                "typescript": _typescript(folder / "typescript", documents["3.1"]),
                "python": _python(folder / "python", documents["3.1"]),
            }
            kubeconfig = cluster.server.kubeconfig("clients")
            registered = registration.register(
                stack.api, "clients", kubeconfig, allow_mode_switch=False
            )
            token = stack.api.post("/tokens", {"name": "clients", "role": "operator"})["token"]
            for language, run in programs.items():
                given = {
                    "PODMETER_URL": stack.environment["PODMETER_PUBLIC_URL"],
                    "PODMETER_TOKEN": token,
                    "CLUSTER_ID": registered["id"],
                    "SPEC": json.dumps({"name": f"by {language}", **SPEC}),
                }
                _check(stack, language, json.loads(run(given)))
        loop.wait(cluster.stop())
    return 0


def _documents(stack: OwnStack, folder: Path) -> dict[str, Path]:
    """The document by its version, as the API serves it; linted."""
    files = {}
    for version in ("3.1", "3.0"):
        document = stack.api.get("/openapi.json", version=version)
        files[version] = folder / f"openapi-{version}.json"
        files[version].write_text(json.dumps(document, indent=1))
        # It ends with 0 where it has only warnings.
        lint = ["npx", "--yes", REDOCLY, "lint", "--format", "json", str(files[version])]
        found = json.loads(_call(lint, folder))
        if found["problems"]:
            raise BenchError(f"OpenAPI {version}: {json.dumps(found['problems'], indent=1)[:4000]}")
        print(f"OpenAPI {version}: no errors, no warnings", flush=True)
    return files


def _go(folder: Path, document: Path) -> Run:
    shutil.copytree(SOURCES / "go", folder)
    (folder / "podmeter").mkdir()
    generated = ["go", "run", OAPI_CODEGEN, "-generate", "types,client", "-package", "podmeter"]
    # Outside of the module, whose requirements the generator's are not.
    client = _call([*generated, str(document)], folder.parent)
    (folder / "podmeter" / "client.go").write_text(client)
    _call(["go", "build", "-o", "run_one", "."], folder)
    return lambda given: _call([str(folder / "run_one")], folder, given)


def _typescript(folder: Path, document: Path) -> Run:
    shutil.copytree(SOURCES / "typescript", folder)
    (folder / "node_modules").symlink_to(MODULES)
    commands = folder / "node_modules" / ".bin"
    # Else what has a default is required in requests too.
    own = ["--default-non-nullable", "false", "--output", "schema.d.ts"]
    _call([str(commands / "openapi-typescript"), str(document), *own], folder)
    _call([str(commands / "tsc")], folder)
    return lambda given: _call(["node", "built/run_one.js"], folder, given)


def _python(folder: Path, document: Path) -> Run:
    shutil.copytree(SOURCES / "python", folder)
    _call([sys.executable, "-m", "venv", "venv"], folder)
    pip = ["venv/bin/pip", "install", "--quiet", "--disable-pip-version-check"]
    _call([*pip, OPENAPI_PYTHON_CLIENT], folder)
    generate = ["venv/bin/openapi-python-client", "generate", "--fail-on-warning"]
    paths = ["--path", str(document), "--output-path", "client", "--config", "config.yaml"]
    # It formats what it made with the ruff beside it.
    own = {"PATH": f"{folder / 'venv/bin'}:{os.environ['PATH']}"}
    _call([*generate, *paths], folder, own)
    _call([*pip, "./client"], folder)
    _call(["venv/bin/python", "-m", "compileall", "-q", "client"], folder)
    return lambda given: _call(["venv/bin/python", "run_one.py"], folder, given)


def _call(command: list[str], folder: Path, more: Mapping[str, str] | None = None) -> str:
    """What it printed. Raises BenchError with all that it said where it fails."""
    ended = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **(more or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode != 0:
        said = (ended.stdout + ended.stderr)[-4000:]
        raise BenchError(f"{' '.join(command)} ended with {ended.returncode}:\n{said}")
    return ended.stdout


def _check(stack: OwnStack, language: str, read: dict[str, Any]) -> None:
    """Raises BenchError where a client read something else than the API has."""
    run = stack.api.get(f"/runs/{read['run']}")
    (first, *_) = stack.api.get(f"/runs/{read['run']}/summaries")["summaries"]
    expected = {"metric": first["key"]["metric"], "value": first["value"]}
    found = {"metric": read["metric"], "value": read["value"]}
    if run["outcome"] != "succeeded" or found != expected:
        raise BenchError(f"{language}: {found}, not {expected}, of a run that {run['outcome']}")
    print(f"{language}: compiled; its run's {found['metric']} is {found['value']:g}", flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BenchError as error:
        sys.exit(str(error))
