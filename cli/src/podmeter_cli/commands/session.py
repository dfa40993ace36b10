"""`podmeter login` and `podmeter logout`."""

from __future__ import annotations

import os
import sys

import click

from podmeter_cli import login_file
from podmeter_cli.exits import CommandError, UsageError
from podmeter_cli.output import print_text, tell


@click.command()
@click.argument("url")
@click.option(
    "--token",
    metavar="TOKEN",
    help="An API token; - reads it from standard input. Without it you paste one.",
)
@click.option("--no-browser", is_flag=True, help="Do not open the page that makes tokens.")
@click.option("--ci", is_flag=True, help="As a job of GitHub or GitLab, without a stored secret.")
@click.option(
    "--trust",
    envvar="PODMETER_TRUST",
    metavar="ID",
    help="With --ci: the id of the trust (Settings, CI); else PODMETER_TRUST.",
)
@click.option(
    "--audience", metavar="TEXT", help="With --ci: the trust's audience, if not the server."
)
def login(
    url: str,
    token: str | None,
    no_browser: bool,
    ci: bool,
    trust: str | None,
    audience: str | None,
) -> None:
    """Log in to a Podmeter server.

    Opens the page of the web UI that makes API tokens (Settings, API tokens), and keeps the token
    that you paste in a file that you alone can read. In CI, use --ci, or set PODMETER_URL and
    PODMETER_TOKEN instead.
    """
    from podmeter_cli.client import Client

    if ci and (trust is None or token is not None):
        raise UsageError("--ci takes --trust ID, and no --token.")
    address = login_file.normalized(url)
    if login_file.is_clear_text(address):
        tell(f"Warning: {address} is not encrypted; anyone on the way can read the token.")
    if ci:
        found = _job_login(address, str(trust), audience or address)
    else:
        found = login_file.Login(address, _token(address, token, browser=not no_browser))
    with Client(found, patience=0) as client:
        me = client.get("/me")
    file = login_file.keep(found)
    until = f", until {me['expires_at'][:10]}" if me["expires_at"] and not ci else ""
    who = "a CI job" if ci else me["email"]
    print_text(f"Logged in to {address} as {who} ({me['role']} of {me['organization']}{until}).")
    tell(f"The token is in {file}.")


@click.command()
def logout() -> None:
    """Forget the login.

    Deletes the file with the token. The token itself stays valid until it expires or you revoke it
    (Settings, API tokens).
    """
    print_text("Logged out." if login_file.forget() else "You are not logged in.")


def _job_login(address: str, trust: str, audience: str) -> login_file.Login:
    import httpx

    from podmeter_cli import ci_login

    try:
        return ci_login.exchange(address, trust, audience)
    except httpx.TransportError as error:
        raise CommandError(f"{address} or the CI does not answer: {error}") from None


def open_quietly(page: str) -> None:
    """Open a page in a browser, where there is one.

    Without one xdg-open complains into the terminal in which the user is asked for the token.
    """
    if sys.platform == "linux" and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        return
    click.launch(page)


def _token(address: str, given: str | None, *, browser: bool) -> str:
    if given == "-" or (given is None and not sys.stdin.isatty()):
        given = sys.stdin.readline()
    elif given is None:
        page = f"{address}/settings"
        tell(f"Create an API token at {page}, and paste it here.")
        if browser:
            open_quietly(page)
        given = click.prompt("Token", hide_input=True, err=True)
    secret = given.strip()
    if not secret.isascii() or not secret or any(one.isspace() for one in secret):
        raise UsageError("That is not an API token: it begins with podmeter_ and has no spaces.")
    return secret
