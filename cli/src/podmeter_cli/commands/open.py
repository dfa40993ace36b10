"""`podmeter open`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from podmeter_cli.context import cluster_named, is_id, run_named, with_client
from podmeter_cli.output import print_text

if TYPE_CHECKING:
    from podmeter_cli.client import Client


@click.command("open")
@click.argument("thing", required=False)
@click.option("--print", "only_print", is_flag=True, help="Print the address, and open nothing.")
@with_client
def open_page(client: Client, thing: str | None, only_print: bool) -> None:
    """Open a page of the web UI.

    THING is a run's id, `latest` for the newest run, or a cluster's name; without it the overview
    opens.
    """
    page = client.url
    if thing is not None and (thing == "latest" or is_id(thing)):
        page = f"{client.url}/runs/{run_named(client, thing)['id']}"
    elif thing is not None:
        page = f"{client.url}/clusters/{cluster_named(client, thing)['id']}"
    print_text(page)
    if not only_print:
        click.launch(page)
