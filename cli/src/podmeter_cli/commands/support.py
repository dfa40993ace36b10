"""`podmeter support`: what helps others to see why a run went as it did."""

from __future__ import annotations

import io
import json
import platform
import sys
import tarfile
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from podmeter_cli.client import PING
from podmeter_cli.context import run_named, with_client
from podmeter_cli.exits import CommandError
from podmeter_cli.output import print_text, tell
from podmeter_cli.redaction import Redaction

if TYPE_CHECKING:
    from podmeter_cli.client import Client

#: Of so many failed trials there is all that their tools printed.
_FAILED_TRIALS = 20
_NODE_FIELDS = ("node", "client_node", "server_node")
_README = """\
What Podmeter knows of one run, made by `podmeter support`.

run.json        the run with its specification and environment
plan.json       what it planned
cases.json      how each case stands
trials.json     all trials; errors.json has what the failed ones printed
log.json        the run's log, oldest line first
events.json     what happened, in order (of a finished run)
clusters.json   each cluster as its latest preflight found it
versions.json   of Podmeter and of this machine

Secrets are removed. Names and addresses are replaced: the same name has the same stand-in in all
files. The run's own name, its labels and its notes are left as they are. Look through the files
before you send them.
"""


@click.command()
@click.argument("run")
@click.option("-O", "--to", "path", metavar="FILE", help="Where to write it.")
@with_client
def support(client: Client, run: str, path: str | None) -> None:
    """Write an archive that can be attached to an issue.

    RUN is a run's id, or `latest`. The archive has the run's specification, log, events, errors and
    preflight, and the versions of all parts. Secrets are removed, and the names and addresses of
    clusters, nodes and people are replaced.
    """
    found = run_named(client, run)
    documents = _documents(client, found)
    file = Path(path or f"podmeter-support-{found['id'][:8]}.tar.gz")
    try:
        _write(file, documents)
    except OSError as error:
        raise CommandError(f"{file} cannot be written: {error}") from None
    print_text(str(file))
    tell("Look through the files before you send them: tar xzf, then README.txt.")


def _documents(client: Client, run: dict[str, Any]) -> dict[str, Any]:
    """Every document by the name of its file, redacted."""
    subject = f"/runs/{run['id']}"
    clusters = [
        client.get(f"/clusters/{one['cluster_id']}")
        for one in run["clusters"]
        if one["cluster_id"] is not None
    ]
    trials = list(client.pages(f"{subject}/trials"))
    failed = [one for one in trials if one["status"] in ("failed", "void")][:_FAILED_TRIALS]
    documents = {
        "run": run,
        "plan": client.get(f"{subject}/plan"),
        "cases": list(client.pages(f"{subject}/cases")),
        "trials": trials,
        "errors": [client.get(f"{subject}/trials/{one['id']}") for one in failed],
        "log": list(client.pages(f"{subject}/log")),
        # The stream of an unfinished run does not end.
        "events": _events(client, run) if run["state"] == "finished" else [],
        "clusters": clusters,
    }
    redaction = Redaction()
    redaction.know("cluster", (one["name"] for one in (*run["clusters"], *clusters)))
    redaction.know("node", sorted(_node_names(documents)))
    redacted = {name: redaction.document(one) for name, one in documents.items()}
    return {**redacted, "versions": _versions(client)}


def _events(client: Client, run: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"type": kind, **content} for kind, content in client.events(run["id"]) if kind != PING]


def _versions(client: Client) -> dict[str, str]:
    return {
        "server": str(client.get("/openapi.json")["info"]["version"]),
        "podmeter-cli": version("podmeter-cli"),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "executable": Path(sys.executable).name,
    }


def _node_names(node: Any) -> set[str]:
    """What documents call nodes: in lists of nodes, and as the ends of a case."""
    found: set[str] = set()
    if isinstance(node, list):
        for one in node:
            found |= _node_names(one)
    elif isinstance(node, dict):
        for name, value in node.items():
            if name in _NODE_FIELDS and isinstance(value, str):
                found.add(value)
            elif name == "nodes" and isinstance(value, list):
                found |= {one["name"] for one in value if isinstance(one, dict) and "name" in one}
            found |= _node_names(value)
    return found


def _write(file: Path, documents: dict[str, Any]) -> None:
    folder = file.name.removesuffix(".gz").removesuffix(".tar").removesuffix(".tgz")
    with tarfile.open(file, "w:gz") as archive:
        _add(archive, f"{folder}/README.txt", _README)
        for name, document in documents.items():
            _add(archive, f"{folder}/{name}.json", json.dumps(document, indent=1))


def _add(archive: tarfile.TarFile, name: str, text: str) -> None:
    content = text.encode()
    member = tarfile.TarInfo(name)
    member.size, member.mode = len(content), 0o644
    archive.addfile(member, io.BytesIO(content))
