"""`podmeter compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from podmeter_cli.context import is_id, run_named, with_client
from podmeter_cli.exits import UsageError
from podmeter_cli.output import Format, output_option
from podmeter_cli.reports import ANSWER_FORMATS, print_answer
from podmeter_cli.spec_file import share
from podmeter_cli.verdicts import answer_of_comparison, answer_of_run
from podmeter_cli.verdicts import compare as compared

if TYPE_CHECKING:
    from podmeter_cli.client import Client

_EPILOG = """\b
Examples:
  podmeter compare RUN                        the modes of one run
  podmeter compare RUN1 RUN2                  RUN2 against RUN1
  podmeter compare RUN:kube_proxy_mode=iptables RUN:kube_proxy_mode=nftables
  podmeter compare RUN:services=10 RUN:services=100     two rungs of one run
  podmeter compare reference:REFERENCE RUN    against published figures
"""


#: What a run's own modes are judged by, too.
_NOISE = "3%"


@click.command(epilog=_EPILOG)
@click.argument("baseline")
@click.argument("contenders", nargs=-1)
@click.option(
    "--noise",
    metavar="PERCENT",
    default=_NOISE,
    show_default=True,
    help="Differences up to this size are the same.",
)
@click.option(
    "--all-metrics",
    is_flag=True,
    help="Compare all metrics, not only the main ones, which alone decide the exit code.",
)
@output_option(*ANSWER_FORMATS)
@with_client
def compare(
    client: Client,
    baseline: str,
    contenders: tuple[str, ...],
    noise: str,
    all_metrics: bool,
    output: Format,
) -> int:
    """Compare runs, or the modes of one run.

    A side is a run's id or `latest`. Add :AXIS=VALUE to take only the cases with this value. Exits
    with 1 if a contender is worse than the baseline, 2 if that is undecided or cases are
    incomplete.
    """
    if not contenders:
        if all_metrics or share(noise) != share(_NOISE):
            raise UsageError(
                "--noise and --all-metrics need two sides: RUN:AXIS=VALUE RUN:AXIS=VALUE"
            )
        run = run_named(client, baseline)
        if run["state"] != "finished":
            raise UsageError(
                f"The run {run['id']} is still {run['state']}: podmeter runs watch {run['id']}"
            )
        answer = answer_of_run(client, run)
        if not answer.parts and not answer.failed:
            raise UsageError(
                "The run measured one mode. Name two parts of it, or another run to compare with. "
                + answer.hint
            )
    else:
        more = {"metrics": "all" if all_metrics else "main", "noise_threshold": share(noise)}
        sides = [side(client, one) for one in (baseline, *contenders)]
        made = compared(client, sides[0], sides[1:], **more)
        answer = answer_of_comparison(client, made)
    print_answer(output, answer)
    return answer.code


def side(client: Client, text: str) -> dict[str, Any]:
    """A side of a comparison as the API takes it. Raises UsageError."""
    name, *places = text.split(":")
    if name == "reference" and places:
        return {"reference_id": places[0], "where": _where(places[1:])}
    found = name if is_id(name) else run_named(client, name)["id"]
    return {"run_id": found, "where": _where(places)}


def _where(places: list[str]) -> dict[str, str | int]:
    where: dict[str, str | int] = {}
    for place in places:
        axis, sign, value = place.partition("=")
        if not sign:
            raise UsageError(f"{place} is not a place on an axis: write AXIS=VALUE")
        where[axis] = int(value) if value.isdecimal() else value
    return where
