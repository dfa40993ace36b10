"""`podmeter share`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from podmeter_cli.context import is_id, run_named, with_client
from podmeter_cli.exits import UsageError
from podmeter_cli.output import Format, output_option, print_document, print_text, tell

if TYPE_CHECKING:
    from podmeter_cli.client import Client


@click.command()
@click.argument("run", required=False)
@click.option("--comparison", metavar="ID", help="A comparison instead of a run.")
@click.option("--title", metavar="TEXT", help="The page's title.  [default: the run's name]")
@click.option(
    "--keep",
    multiple=True,
    metavar="WHAT",
    help="Do not replace these: cluster, node, namespace, account, host, address, url, notes. "
    "Repeatable.",
)
@click.option(
    "--expires",
    type=click.IntRange(1, 3650),
    default=90,
    show_default=True,
    metavar="DAYS",
    help="How long the link works.",
)
@output_option(Format.TABLE, Format.JSON, Format.YAML)
@with_client
def share(
    client: Client,
    run: str | None,
    comparison: str | None,
    title: str | None,
    keep: tuple[str, ...],
    expires: int,
    output: Format,
) -> None:
    """Share results behind a link.

    RUN is a run's id, or `latest`. Anyone with the link sees a frozen copy, in which names and
    addresses are replaced. Revoke it in the web UI (Snapshots).
    """
    if (run is None) == (comparison is None):
        raise UsageError("Name a run, or --comparison ID.")
    if comparison is not None:
        if not is_id(comparison):
            raise UsageError(f"{comparison} is not the id of a comparison.")
        subject, name = {"comparison_id": comparison}, "Comparison"
    else:
        found = run_named(client, run or "")
        subject, name = {"run_id": found["id"]}, found["name"]
    body: dict[str, Any] = {
        **subject,
        "title": title or name,
        "expires_in_days": expires,
        "keep": list(keep),
    }
    made = client.post("/snapshots", body)
    if output is not Format.TABLE:
        print_document(output, made)
        return
    print_text(made["url"])
    tell(f"Anyone with the link sees it until {made['expires_at'][:10]}.")
