"""`podmeter import`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from podmeter_cli.commands.compare import _where
from podmeter_cli.context import with_client
from podmeter_cli.exits import ExitCode, UsageError
from podmeter_cli.output import LIST_FORMATS, Format, Table, output_option, print_text, show, tell
from podmeter_cli.quantities import quantity

if TYPE_CHECKING:
    from podmeter_cli.client import Client


@click.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path(allow_dash=True))
@click.option(
    "--name", metavar="NAME", help="What the results are called; else the first file's name."
)
@click.option(
    "--at", "places", multiple=True, metavar="AXIS=VALUE", help="Where it was measured; repeatable."
)
@click.option(
    "--environment",
    multiple=True,
    metavar="FIELD=TEXT",
    help="As cluster=prod, kernel=6.12; repeatable.",
)
@click.option("--dry-run", is_flag=True, help="Show what is recognized, and keep nothing.")
@output_option(*LIST_FORMATS)
@with_client
def import_outputs(
    client: Client,
    files: tuple[str, ...],
    name: str | None,
    places: tuple[str, ...],
    environment: tuple[str, ...],
    dry_run: bool,
    output: Format,
) -> int:
    """Import what other tools printed.

    FILES hold the output of iperf3, netperf, ab, wrk and others as they printed it; - is standard
    input. Each output becomes a trial of a finished run, which can be compared.
    """
    text = "\n".join(_read(one) for one in files)
    body: dict[str, Any] = {"text": text, "at": _where(list(places))}
    found = client.post("/imports/preview", body)
    rows = [
        (str(one["output"]), f"{one['tool']} {one['version']}".strip(), one["case"], _figures(one))
        for one in found["outputs"]
    ]
    recognized = Table(("output", "tool", "case", "figures"), rows)
    refused = found["refused"]
    if refused:
        tell(
            f"Line {refused['line']} cannot be read: {refused['why']['text']}\n  {refused['text']}"
        )
    if dry_run or refused:
        show(output, found, recognized)
        return ExitCode.USAGE if refused else ExitCode.FINE
    body["name"] = name or Path(files[0]).stem
    body["environment"] = _environment(environment)
    run = client.post("/imports", body)
    show(output, run, recognized)
    if output is Format.TABLE:
        print_text(f"Imported as run {run['id']}: {client.url}/runs/{run['id']}")
    return ExitCode.FINE


def _read(path: str) -> str:
    try:
        return sys.stdin.read() if path == "-" else Path(path).read_text(errors="replace")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error}") from None


def _figures(output: dict[str, Any]) -> str:
    return ", ".join(
        f"{one['metric']} {quantity(one['value'], one['unit'])}" for one in output["figures"]
    )


def _environment(given: tuple[str, ...]) -> dict[str, str]:
    fields = {}
    for one in given:
        field, sign, text = one.partition("=")
        if not sign:
            raise UsageError(f"{one} is not a field of the environment: write FIELD=TEXT")
        fields[field] = text
    return fields
