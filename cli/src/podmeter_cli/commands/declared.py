"""`podmeter apply` and `podmeter diff`: experiments as files say them."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

import click

from podmeter_cli.applying import apply_document, experiment_at, read_files
from podmeter_cli.context import with_client
from podmeter_cli.exits import CommandError, ExitCode
from podmeter_cli.output import LIST_FORMATS, Format, Table, output_option, print_text, show, tell

if TYPE_CHECKING:
    from podmeter_cli.client import Client

files_option = click.option(
    "-f",
    "--file",
    "files",
    multiple=True,
    required=True,
    metavar="PATH",
    help="A YAML or JSON file, - for standard input, or a folder of these files; repeatable.",
)


@click.command("apply")
@files_option
@output_option(*LIST_FORMATS)
@with_client
def apply_files(client: Client, files: tuple[str, ...], output: Format) -> int:
    """Create experiments, or update them to what files say.

    An experiment is known by the slug of its `name`. Runs keep what they ran with. A file that is
    refused does not stop the others; the exit code is that of the first one that was.
    """
    applied, code = [], ExitCode.FINE
    for _, file, document in read_files(files):
        try:
            applied.append(apply_document(client, document))
        except CommandError as error:
            tell(f"{file}: {error}")
            code = code or error.code
    rows = [(one.experiment["slug"], one.experiment["kind"], one.change) for one in applied]
    documents = [{**one.experiment, "change": one.change} for one in applied]
    show(output, documents, Table(("experiment", "kind", "change"), rows))
    return code


@click.command()
@files_option
@with_client
def diff(client: Client, files: tuple[str, ...]) -> int:
    """Show what `podmeter apply` would change.

    Exits with 0 where nothing differs, with 1 where something does, and as every command where it
    cannot tell.
    """
    differs = False
    for slug, file, document in read_files(files):
        wanted = client.post("/experiments/plan", document)["spec"]
        known = experiment_at(client, slug)
        before = [] if known is None else _lines(known["spec"])
        for line in difflib.unified_diff(before, _lines(wanted), slug, file, lineterm=""):
            differs = True
            print_text(line)
    return ExitCode.WORSE if differs else ExitCode.FINE


def _lines(spec: dict[str, Any]) -> list[str]:
    import yaml

    # The database keeps no order of keys.
    text: str = yaml.safe_dump(spec, allow_unicode=True)
    return text.splitlines()
