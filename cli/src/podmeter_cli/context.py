"""What commands share: the API client of the logged-in user, and lookups by name."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import click

from podmeter_cli import login_file
from podmeter_cli.exits import UsageError

if TYPE_CHECKING:
    from podmeter_cli.client import Client

Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")


def with_client(
    command: Callable[Concatenate[Client, Parameters], Answer],
) -> Callable[Parameters, Answer]:
    """Give the command a client of the server that the user is logged in to."""

    @wraps(command)
    def called(*words: Parameters.args, **more: Parameters.kwargs) -> Answer:
        from podmeter_cli.client import Client

        context = click.get_current_context()
        with Client(login_file.read(context.find_root().obj)) as client:
            return command(client, *words, **more)

    return called


def is_id(text: str) -> bool:
    """Whether it is an id, not a name."""
    try:
        uuid.UUID(text)
    except ValueError:
        return False
    return True


def cluster_named(client: Client, name: str) -> dict[str, Any]:
    """The cluster of that name or id. Raises UsageError where there is none."""
    if is_id(name):
        found: dict[str, Any] = client.get(f"/clusters/{name}")
        return found
    every = list(client.pages("/clusters"))
    for cluster in every:
        if cluster["name"] == name:
            return dict(cluster)
    there = ", ".join(sorted(one["name"] for one in every)) or "none"
    raise UsageError(f"There is no cluster {name}. Registered: {there}.")


def run_named(client: Client, name: str) -> dict[str, Any]:
    """The run of that id, or the latest one for `latest`. Raises UsageError."""
    if name == "latest":
        newest = next(client.pages("/runs", most=1), None)
        if newest is None:
            raise UsageError("There is no run yet.")
        name = newest["id"]
    if not is_id(name):
        raise UsageError(
            f"{name} is not the id of a run. `podmeter runs list` shows them; `latest` is newest."
        )
    found: dict[str, Any] = client.get(f"/runs/{name}")
    return found
