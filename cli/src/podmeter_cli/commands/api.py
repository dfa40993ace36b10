"""`podmeter api`: what no other command does."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from podmeter_cli.context import with_client
from podmeter_cli.exits import UsageError
from podmeter_cli.output import Format, print_document, print_text

if TYPE_CHECKING:
    from podmeter_cli.client import Client

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


@click.command()
@click.argument("method", type=click.Choice(METHODS, case_sensitive=False))
@click.argument("path")
@click.option(
    "-q", "--query", multiple=True, metavar="NAME=VALUE", help="A query parameter. Repeatable."
)
@click.option(
    "-H",
    "--header",
    multiple=True,
    metavar="NAME=VALUE",
    help="A header of the request, such as If-Match. Repeatable.",
)
@click.option(
    "--input", "file", metavar="FILE", help="The body, JSON or YAML; - is standard input."
)
@with_client
def api(
    client: Client,
    method: str,
    path: str,
    query: tuple[str, ...],
    header: tuple[str, ...],
    file: str | None,
) -> None:
    """Call any operation of the REST API.

    PATH is the path below /api/v1, such as /runs. Prints the response. The server's own page lists
    all operations: /api/docs.
    """
    from podmeter_cli.client import printable

    body = None
    if file is not None:
        import yaml

        try:
            body = yaml.safe_load(sys.stdin.read() if file == "-" else Path(file).read_text())
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise UsageError(f"{file} cannot be read: {error}") from None
    words: dict[str, list[str]] = {}
    for name, value in map(_pair, query):
        words.setdefault(name, []).append(value)
    below = path.removeprefix("/api/v1")
    answer = client.send(method.upper(), below, body, dict(words), dict(map(_pair, header)))
    if not answer.content:
        return
    if "json" in answer.headers.get("content-type", ""):
        print_document(Format.JSON, printable(json.loads(answer.text)))
    else:
        print_text(answer.text.rstrip("\n"))


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise UsageError(f"{text} is not NAME=VALUE.")
    return name, value
