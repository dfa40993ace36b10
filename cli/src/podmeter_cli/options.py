"""Options that several commands have."""

import sys

import click

from podmeter_cli.following import Interruption

#: Of `--max`, which `plan` and `run` have.
LONGEST_HELP = (
    "Begin no round that would end after so much measuring, such as 30m or 2h. Six to eight "
    "rounds, as many as can find a difference, are always measured; preflight, restoring "
    "modes and cleaning up come on top."
)

interruption_option = click.option(
    "--if-interrupted",
    "interruption",
    type=click.Choice([one.value for one in Interruption]),
    help="What Ctrl-C or a stopped job does to the run: ask (in a terminal), cancel, continue.",
    callback=lambda _context, _parameter, value: _chosen(value),
)


def _chosen(value: str | None) -> Interruption:
    if value is not None:
        return Interruption(value)
    return Interruption.ASK if sys.stdin.isatty() else Interruption.CONTINUE
