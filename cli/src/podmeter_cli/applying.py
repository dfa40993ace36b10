"""Experiments on the server as files say them: found by the slug of their names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from podmeter_cli import spec_file
from podmeter_cli.exits import CommandError, UsageError
from podmeter_cli.slugs import slug_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from podmeter_cli.client import Client


@dataclass(frozen=True)
class Applied:
    """An experiment as it is kept now, and what that took: created, updated or unchanged."""

    experiment: dict[str, Any]
    change: str


def read_files(paths: Iterable[str]) -> list[tuple[str, str, dict[str, Any]]]:
    """(slug, file, document) of each experiment. Raises UsageError for two of one slug."""
    files: dict[str, str] = {}
    found = []
    for file, document in spec_file.read_all(paths):
        name = document.get("name")
        if not isinstance(name, str) or not name:
            raise UsageError(f"{file} has no `name`: an experiment is known by it")
        slug = slug_of(name)
        if slug in files:
            raise UsageError(f"{file} and {files[slug]} are both experiment {slug}")
        files[slug] = file
        found.append((slug, file, document))
    return found


def experiment_at(client: Client, slug: str) -> dict[str, Any] | None:
    """The experiment with the slug; None where there is none."""
    from podmeter_cli.client import ApiError

    try:
        found: dict[str, Any] = client.get(f"/experiments/{slug}")
    except ApiError as error:
        if error.status == 404:
            return None
        raise
    return found


def apply_document(client: Client, document: dict[str, Any]) -> Applied:
    """Create the experiment, or update it to what the document says.

    Raises CommandError where somebody else changes it at the same time.
    """
    from podmeter_cli.client import ApiError

    slug = slug_of(str(document.get("name")))
    known = experiment_at(client, slug)
    condition = {"If-None-Match": "*"} if known is None else {"If-Match": f'"{known["version"]}"'}
    try:
        kept = client.put(f"/experiments/{slug}", document, condition)
    except ApiError as error:
        if error.status == 412:
            raise CommandError(f"Experiment {slug} was changed meanwhile. Try again.") from None
        raise
    if known is None:
        return Applied(kept, "created")
    return Applied(kept, "unchanged" if kept["version"] == known["version"] else "updated")
