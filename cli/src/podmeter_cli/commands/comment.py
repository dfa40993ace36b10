"""`podmeter comment`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from podmeter_cli.exits import UsageError
from podmeter_cli.output import print_text

_EPILOG = """\b
Example:
  podmeter run paths.yaml --cluster ci --wait -o markdown > results.md
  podmeter comment results.md
"""


@click.command(epilog=_EPILOG)
@click.argument("file", type=click.Path(allow_dash=True))
@click.option(
    "--key",
    default="results",
    show_default=True,
    help="Which comment: one for each key is kept up to date.",
)
@click.option("--pull-request", "number", type=int, metavar="NUMBER", help="Else the job's own.")
def comment(file: str, key: str, number: int | None) -> None:
    """Keep one comment of a pull or merge request up to date.

    FILE holds Markdown, as --output markdown prints it; - is standard input. Reads GITHUB_TOKEN,
    GITHUB_REPOSITORY and GITHUB_EVENT_PATH, which GitHub Actions sets; on GitLab, set GITLAB_TOKEN.
    """
    from podmeter_cli import pull_request

    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read: {error}") from None
    if not text.strip():
        raise UsageError(f"{file} is empty.")
    print_text(pull_request.comment(pull_request.from_environment(number), key, text))
