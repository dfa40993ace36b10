"""`podmeter export`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from podmeter_cli.context import is_id, run_named, with_client
from podmeter_cli.exits import CommandError, UsageError
from podmeter_cli.output import tell

if TYPE_CHECKING:
    from podmeter_cli.client import Client

_ROWS = "rows-"
_FORMATS = ("json", "csv", "markdown", f"{_ROWS}csv", f"{_ROWS}parquet")


@click.command()
@click.argument("run", required=False)
@click.option("--comparison", metavar="ID", help="A comparison instead of a run.")
@click.option(
    "-f",
    "--format",
    "format_",
    type=click.Choice(_FORMATS),
    default="json",
    show_default=True,
    help="rows-csv and rows-parquet have every measurement.",
)
@click.option(
    "-O", "--to", "file_name", metavar="FILE", help="Where to write it; else standard output."
)
@with_client
def export(
    client: Client, run: str | None, comparison: str | None, format_: str, file_name: str | None
) -> None:
    """Write results into a file.

    RUN is a run's id, or `latest`.
    """
    if (run is None) == (comparison is None):
        raise UsageError("Name a run, or --comparison ID.")
    if comparison is not None and not is_id(comparison):
        raise UsageError(f"{comparison} is not the id of a comparison.")
    subject = (
        f"/comparisons/{comparison}" if run is None else f"/runs/{run_named(client, run)['id']}"
    )
    path = f"{subject}/rows" if format_.startswith(_ROWS) else f"{subject}/export"
    pieces = client.download(path, {"format": format_.removeprefix(_ROWS)})
    if file_name is None:
        if format_ == "rows-parquet" and sys.stdout.isatty():
            raise UsageError("Parquet is not for a terminal: name a file with --to FILE.")
        for piece in pieces:
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
        return
    try:
        with Path(file_name).open("wb") as file:
            for piece in pieces:
                file.write(piece)
    except OSError as error:
        raise CommandError(f"{file_name} cannot be written: {error}") from None
    tell(f"Written to {file_name}.")
