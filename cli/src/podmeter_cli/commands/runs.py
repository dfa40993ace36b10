"""`podmeter runs`: list, show, watch, cancel, retry, resume, delete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from podmeter_cli.commands.run import watched
from podmeter_cli.context import cluster_named, run_named, with_client
from podmeter_cli.exits import ExitCode
from podmeter_cli.following import Interruption
from podmeter_cli.options import interruption_option
from podmeter_cli.output import (
    LIST_FORMATS,
    Format,
    Table,
    moment,
    output_option,
    print_document,
    print_text,
    show,
    tell,
)
from podmeter_cli.reports import ANSWER_FORMATS, print_answer
from podmeter_cli.verdicts import answer_of_run

if TYPE_CHECKING:
    from podmeter_cli.client import Client

_RUN_HELP = "RUN is a run's id, or `latest` for the newest one."


@click.group()
def runs() -> None:
    """List, watch, cancel, retry and resume runs."""


@runs.command("list")
@click.option("-c", "--cluster", metavar="NAME", help="On this cluster.")
@click.option(
    "--state", multiple=True, metavar="STATE", help="In this state, as running; repeatable."
)
@click.option(
    "--outcome", multiple=True, metavar="OUTCOME", help="With this outcome, as failed; repeatable."
)
@click.option("--kind", metavar="KIND", help="Of this kind of experiment.")
@click.option("--tag", multiple=True, metavar="TAG", help="With this tag; repeatable.")
@click.option("--label", multiple=True, metavar="KEY=VALUE", help="With this label; repeatable.")
@click.option(
    "-q", "--search", metavar="WORDS", help="With these words in name, tags, modes or notes."
)
@click.option(
    "-n", "--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="How many."
)
@output_option(*LIST_FORMATS)
@with_client
def list_runs(
    client: Client,
    cluster: str | None,
    state: tuple[str, ...],
    outcome: tuple[str, ...],
    kind: str | None,
    tag: tuple[str, ...],
    label: tuple[str, ...],
    search: str | None,
    limit: int,
    output: Format,
) -> None:
    """List runs, newest first."""
    query = {
        "cluster_id": cluster_named(client, cluster)["id"] if cluster else None,
        "state": list(state),
        "outcome": list(outcome),
        "kind": kind,
        "tag": list(tag),
        "label": list(label),
        "q": search,
    }
    runs = list(client.pages("/runs", query, most=limit))
    rows = [
        (
            one["id"],
            one["name"],
            ", ".join(cluster["name"] for cluster in one["clusters"]),
            one["outcome"] or _state(one),
            moment(one["created_at"]),
        )
        for one in runs
    ]
    show(output, runs, Table(("run", "name", "cluster", "state", "created (UTC)"), rows))


@runs.command("show", epilog=_RUN_HELP)
@click.argument("run")
@output_option(*ANSWER_FORMATS)
@with_client
def show_run(client: Client, run: str, output: Format) -> int:
    """Show a run's results, or how far it has got.

    Exits as `podmeter run --wait` does; with 2 while the run is in progress.
    """
    run_document = run_named(client, run)
    if run_document["state"] == "finished":
        answer = answer_of_run(client, run_document)
        print_answer(output, answer)
        return answer.code
    if output in (Format.JSON, Format.YAML):
        print_document(output, run_document)
        return ExitCode.UNDECIDED
    counts = ", ".join(
        f"{count} {name}" for name, count in run_document["progress"].items() if count
    )
    address = f"{client.url}/runs/{run_document['id']}"
    print_text(f"{run_document['name']}: {_state(run_document)}. Cases: {counts}. {address}")
    return ExitCode.UNDECIDED


@runs.command("watch", epilog=_RUN_HELP)
@click.argument("run")
@interruption_option
@output_option(*ANSWER_FORMATS)
@with_client
def watch_run(client: Client, run: str, interruption: Interruption, output: Format) -> int:
    """Follow a run to its end and show its results. Exits as `podmeter run --wait` does."""
    return watched(client, run_named(client, run), interruption, output)


@runs.command("log", epilog=_RUN_HELP)
@click.argument("run")
@output_option(*LIST_FORMATS)
@with_client
def show_log(client: Client, run: str, output: Format) -> None:
    """Show a run's log, oldest line first."""
    lines = list(client.pages(f"/runs/{run_named(client, run)['id']}/log"))
    rows = [
        (moment(one["created_at"], seconds=True), one["level"], one["message"]["text"])
        for one in lines
    ]
    show(output, lines, Table(("time (UTC)", "level", "message"), rows))


@runs.command("cancel", epilog=_RUN_HELP)
@click.argument("run")
@with_client
def cancel(client: Client, run: str) -> None:
    """Cancel a run: it cleans up and restores what it switched."""
    run_document = run_named(client, run)
    client.post(f"/runs/{run_document['id']}/cancel")
    print_text(f"Cancelled {run_document['name']} ({run_document['id']}).")


@runs.command("conclude", epilog=_RUN_HELP)
@click.argument("run")
@with_client
def conclude(client: Client, run: str) -> None:
    """End a run until decided after its current round.

    The verdicts are those that the results support. It measures six rounds at least.
    """
    run_document = run_named(client, run)
    client.post(f"/runs/{run_document['id']}/conclude")
    print_text(f"Concluding {run_document['name']} ({run_document['id']}) after its current round.")


@runs.command("retry", epilog=_RUN_HELP)
@click.argument("run")
@with_client
def retry(client: Client, run: str) -> None:
    """Measure the failed cases of a run again; what succeeded stays."""
    run_document = run_named(client, run)
    client.post(f"/runs/{run_document['id']}/retry")
    _queued(run_document)


@runs.command("resume", epilog=_RUN_HELP)
@click.argument("run")
@with_client
def resume(client: Client, run: str) -> None:
    """Continue a run that was interrupted or cancelled."""
    run_document = run_named(client, run)
    client.post(f"/runs/{run_document['id']}/resume")
    _queued(run_document)


@runs.command("delete", epilog=_RUN_HELP)
@click.argument("run")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@with_client
def delete(client: Client, run: str, yes: bool) -> None:
    """Delete a finished run with all that it measured."""
    run_document = run_named(client, run)
    if not yes:
        click.confirm(
            f"Delete {run_document['name']} ({run_document['id']}) with all its results?",
            abort=True,
            err=True,
        )
    client.delete(f"/runs/{run_document['id']}")
    print_text(f"Deleted {run_document['id']}.")


def _queued(run_document: dict[str, Any]) -> None:
    print_text(run_document["id"])
    tell(f"Queued. Follow it with: podmeter runs watch {run_document['id']}")


def _state(run: dict[str, Any]) -> str:
    place = run["queue_position"]
    return f"{run['state']} ({place})" if place else str(run["state"])
