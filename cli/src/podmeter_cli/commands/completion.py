"""`podmeter completion`."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from podmeter_cli.output import print_text

_EPILOG = """\b
Bash:  echo 'eval "$(podmeter completion bash)"' >> ~/.bashrc
Zsh:   echo 'eval "$(podmeter completion zsh)"' >> ~/.zshrc
Fish:  podmeter completion fish > ~/.config/fish/completions/podmeter.fish
"""


@click.command(epilog=_EPILOG)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the shell completion script."""
    found = get_completion_class(shell)
    if found is None:
        raise click.UsageError(f"no completion for {shell}")
    made = found(context.find_root().command, {}, "podmeter", "_PODMETER_COMPLETE")
    print_text(made.source())
