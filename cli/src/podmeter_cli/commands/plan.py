"""`podmeter plan`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from podmeter_cli import planned, spec_file
from podmeter_cli.context import cluster_named, with_client
from podmeter_cli.exits import ExitCode
from podmeter_cli.options import LONGEST_HELP
from podmeter_cli.output import LIST_FORMATS, Format, output_option, print_text, show

if TYPE_CHECKING:
    from podmeter_cli.client import Client


@click.command()
@click.argument("spec", type=click.Path(allow_dash=True))
@click.option("-c", "--cluster", metavar="NAME", help="The cluster that it would run on.")
@click.option(
    "--until-decided",
    metavar="PERCENT",
    help="Plan to measure until each difference is clear or below this size, such as 10%.",
)
@click.option("--max", "longest", metavar="TIME", help=LONGEST_HELP)
@output_option(*LIST_FORMATS)
@with_client
def plan(
    client: Client,
    spec: str,
    cluster: str | None,
    until_decided: str | None,
    longest: str | None,
    output: Format,
) -> int:
    """Show what an experiment would do.

    SPEC is a YAML file, or - for standard input. Nothing is stored and nothing runs. Exits with 3
    if a run on the cluster would be refused, and shows why and what helps.
    """
    document = spec_file.with_options(spec_file.read(spec), until_decided, longest)
    query = {"cluster_id": cluster_named(client, cluster)["id"]} if cluster else {}
    found = client.post("/experiments/plan", document, query)
    if output in (Format.TABLE, Format.MARKDOWN):
        for line in (*planned.lines(found, document), *planned.obstacle_lines(found), ""):
            print_text(line)
    show(output, found, planned.table(found))
    return ExitCode.FAILED if planned.obstacles(found, "refused") else ExitCode.FINE
