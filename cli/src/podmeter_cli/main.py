"""The command `podmeter`: its groups, and how errors become exit codes.

Commands are imported when they run, so that `podmeter --help` starts fast.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from podmeter_cli import handover
from podmeter_cli.exits import CommandError, ExitCode

EPILOG = """\b
Exit codes:
  0  nothing is worse
  1  worse, or a cost exceeds its budget (--until-decided)
  2  undecided
  3  could not run
  4  wrong use
"""


class LazyGroup(click.Group):
    """A group whose commands are imported when they run; `module` has an attribute for each."""

    def __init__(self, *words: Any, commands_in: dict[str, tuple[str, str, str]], **more: Any):
        super().__init__(*words, **more)
        self._lazy = commands_in

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which people need them."""
        return list(self._lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command."""
        if cmd_name not in self._lazy:
            return None
        module, name, _ = self._lazy[cmd_name]
        command: click.Command = getattr(import_module(f"podmeter_cli.commands.{module}"), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List them without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, _, text) in self._lazy.items()])


#: Command → module, attribute, what it does. A test holds the last to each command's own help.
COMMANDS = {
    "login": ("session", "login", "Log in to a Podmeter server."),
    "logout": ("session", "logout", "Forget the login."),
    "clusters": ("clusters", "clusters", "Register clusters and see what can be measured."),
    "apply": ("declared", "apply_files", "Create experiments, or update them to what files say."),
    "diff": ("declared", "diff", "Show what `podmeter apply` would change."),
    "plan": ("plan", "plan", "Show what an experiment would do."),
    "run": ("run", "run", "Run an experiment on a cluster."),
    "runs": ("runs", "runs", "List, watch, cancel, retry and resume runs."),
    "compare": ("compare", "compare", "Compare runs, or the modes of one run."),
    "import": ("imports", "import_outputs", "Import what other tools printed."),
    "export": ("exports", "export", "Write results into a file."),
    "share": ("share", "share", "Share results behind a link."),
    "comment": (
        "comment",
        "comment",
        "Keep one comment of a pull or merge request up to date.",
    ),
    "support": ("support", "support", "Write an archive that can be attached to an issue."),
    "open": ("open", "open_page", "Open a page of the web UI."),
    "api": ("api", "api", "Call any operation of the REST API."),
    "completion": ("completion", "completion", "Print the shell completion script."),
}


@click.group(
    cls=LazyGroup,
    commands_in=COMMANDS,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--url", metavar="URL", help="The server; else PODMETER_URL, or the one logged in to."
)
@click.version_option(package_name="podmeter-cli", prog_name="podmeter")
@click.pass_context
def podmeter(context: click.Context, url: str | None) -> None:
    """Measure what a Kubernetes cluster's network costs."""
    context.obj = url


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    handover.to_admin(words)
    try:
        ended = podmeter.main(words, prog_name=_own_name(), standalone_mode=False)
    except click.UsageError as error:
        error.show()
        return ExitCode.USAGE
    except click.ClickException as error:
        error.show()
        return ExitCode.USAGE
    except CommandError as error:
        sys.stderr.write(f"podmeter: {error}\n")
        return error.code
    except (click.Abort, KeyboardInterrupt):
        sys.stderr.write("\n")
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        # The reader closed the pipe: flush nothing more into it at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.FINE
    return int(ended or 0)


def _own_name() -> str:
    """As which command it was started: as a plug-in it is `kubectl podmeter`."""
    return "kubectl podmeter" if Path(sys.argv[0]).name.startswith("kubectl-") else "podmeter"
