"""`podmeter run`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from podmeter_cli import planned, spec_file
from podmeter_cli.applying import apply_document
from podmeter_cli.context import cluster_named, with_client
from podmeter_cli.exits import ExitCode, UsageError
from podmeter_cli.following import InterruptedWatchError, Interruption, follow
from podmeter_cli.options import LONGEST_HELP, interruption_option
from podmeter_cli.output import Format, output_option, print_document, print_text, tell
from podmeter_cli.reports import ANSWER_FORMATS, print_answer
from podmeter_cli.verdicts import answer_of_comparison, answer_of_run, compare

if TYPE_CHECKING:
    from podmeter_cli.client import Client

#: Outcomes of runs that can be compared.
_WITH_RESULTS = frozenset({"succeeded", "partial"})


@click.command()
@click.argument("spec", type=click.Path(allow_dash=True))
@click.option(
    "-c", "--cluster", metavar="NAME", help="The cluster to run on, unless SPEC names clusters."
)
@click.option(
    "--until-decided",
    metavar="PERCENT",
    help="Measure until each difference is clear or below this size, such as 10%.",
)
@click.option("--max", "longest", metavar="TIME", help=LONGEST_HELP)
@click.option(
    "--wait",
    is_flag=True,
    help="Follow the run to its end, print the results, and return the verdict as exit code.",
)
@click.option(
    "--label",
    "labels",
    multiple=True,
    metavar="KEY=VALUE",
    help="A label of the run, such as commit=1a2b3c. It cannot be changed later. Repeatable.",
)
@click.option(
    "--against",
    metavar="KEY=VALUE",
    help="Compare with the last successful run of the experiment that has this label.",
)
@click.option("--force", is_flag=True, help="Run despite obstacles that are uncertain.")
@interruption_option
@output_option(*ANSWER_FORMATS)
@with_client
def run(
    client: Client,
    spec: str,
    cluster: str | None,
    until_decided: str | None,
    longest: str | None,
    wait: bool,
    labels: tuple[str, ...],
    against: str | None,
    force: bool,
    interruption: Interruption,
    output: Format,
) -> int:
    """Run an experiment on a cluster.

    SPEC is a YAML file, or - for standard input. The experiment is kept under its name; a file
    that says something else under the same name replaces it, and earlier runs keep what they ran
    with.
    """
    if against is not None and not wait:
        raise UsageError("--against compares results: it needs --wait")
    given = labelled(labels)
    if against is not None:
        labelled([against])
    document = spec_file.with_options(spec_file.read(spec), until_decided, longest)
    where = cluster_named(client, cluster)["id"] if cluster else None
    found = client.post("/experiments/plan", document, {"cluster_id": where})
    for line in planned.lines(found, document):
        tell(line)
    planned.check(found, force=force)
    experiment = apply_document(client, document).experiment
    body: dict[str, Any] = {"force": force}
    if given:
        body["labels"] = given
    if where is not None:
        body["cluster_id"] = where
    started = client.post(f"/experiments/{experiment['id']}/runs", body)
    tell(f"Run {started['id']}: {client.url}/runs/{started['id']}")
    if not wait:
        if output in (Format.JSON, Format.YAML):
            print_document(output, started)
        else:
            print_text(started["id"])
        return ExitCode.FINE
    return watched(client, started, interruption, output, against)


def watched(
    client: Client,
    started: dict[str, Any],
    interruption: Interruption,
    output: Format,
    against: str | None = None,
) -> int:
    """Follow a run and print what it answers; the exit code.

    `against` is the label of the run that it is compared with; where there is none yet, the run
    answers by itself.
    """
    try:
        finished = follow(client, started, interruption)
    except InterruptedWatchError:
        return ExitCode.INTERRUPTED
    earlier = None
    if against is not None and finished["outcome"] in _WITH_RESULTS:
        earlier = latest_with(client, against, finished)
        if earlier is None:
            tell(f"No earlier run of this experiment has the label {against}; none is compared.")
    if earlier is None:
        answer = answer_of_run(client, finished)
    else:
        made = compare(client, {"run_id": earlier["id"]}, [{"run_id": finished["id"]}])
        answer = answer_of_comparison(client, made, finished)
    print_answer(output, answer)
    return answer.code


def labelled(given: Iterable[str]) -> dict[str, str]:
    """Labels by key. Raises UsageError for what is not KEY=VALUE."""
    found = {}
    for one in given:
        key, sign, value = one.partition("=")
        if not sign or not key or not value:
            raise UsageError(f"{one} is not a label: write KEY=VALUE")
        found[key] = value
    return found


def latest_with(client: Client, label: str, run: dict[str, Any]) -> dict[str, Any] | None:
    """The last successful run with the label, of the same experiment, before this one."""
    query = {
        "label": [label],
        "outcome": ["succeeded"],
        "experiment_id": run["experiment_id"],
    }
    earlier = (one for one in client.pages("/runs", query, most=20) if one["id"] != run["id"])
    return next(earlier, None)
