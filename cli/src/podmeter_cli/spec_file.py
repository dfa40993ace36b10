"""An experiment's specification in a file, and what options change of it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from podmeter_cli.exits import UsageError

_SUFFIXES = (".yaml", ".yml", ".json")
_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?:in)?)?")


def read(path: str) -> dict[str, Any]:
    """The specification in YAML or JSON; - is standard input. Raises UsageError."""
    import yaml

    from podmeter_cli.core_yaml import CoreLoader

    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text()
        found = yaml.load(text, Loader=CoreLoader)  # noqa: S506 (a safe loader)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from None
    except yaml.YAMLError as error:
        raise UsageError(f"{path} is not YAML: {error}") from None
    if not isinstance(found, dict):
        raise UsageError(
            f"{path} has no specification: it must be a mapping with `name` and `kind`"
        )
    return found


def read_all(paths: Iterable[str]) -> list[tuple[str, dict[str, Any]]]:
    """Each specification with its file, of files and of the YAML and JSON files in folders.

    Raises UsageError for a folder without any, and for what `read` does not take.
    """
    found = []
    for path in paths:
        folder = Path(path)
        files = [path]
        if folder.is_dir():
            files = sorted(str(one) for one in folder.iterdir() if one.suffix in _SUFFIXES)
        if not files:
            raise UsageError(f"{path} has no file that ends with {', '.join(_SUFFIXES)}")
        found += [(file, read(file)) for file in files]
    return found


def with_until_decided(
    spec: dict[str, Any], difference: float | None, minutes: int | None
) -> dict[str, Any]:
    """The specification, measured until a difference of that size is decided, or time is up."""
    if difference is None and minutes is None:
        return spec
    repetition = dict(spec.get("repetition") or {})
    until = dict(repetition.get("until_decided") or {})
    if difference is not None:
        until["difference"] = difference
    if minutes is not None:
        until["most_minutes"] = minutes
    # Rounds are what a run has that does not look whether it is decided.
    repetition.pop("rounds", None)
    return {**spec, "repetition": {**repetition, "until_decided": until}}


def share(text: str) -> float:
    """Read "10%" or "0.1" as a share. Raises UsageError."""
    number, percent = text.removesuffix("%").strip(), text.endswith("%")
    try:
        found = float(number) / (100 if percent else 1)
    except ValueError:
        found = 0.0
    if not 0 < found < 1:
        raise UsageError(f"{text} is not a difference: write it as 10% or 0.1")
    return found


def minutes(text: str) -> int:
    """Read "30m", "2h" or "1h30m" in minutes. Raises UsageError."""
    match = _DURATION.fullmatch(text)
    found = match and 60 * int(match[1] or 0) + int(match[2] or 0)
    if not found:
        raise UsageError(f"{text} is not a time: write it as 30m, 2h or 1h30m")
    return found


def with_options(
    spec: dict[str, Any], until_decided: str | None, longest: str | None
) -> dict[str, Any]:
    """The specification as `--until-decided` and `--max` change it."""
    difference = None if until_decided is None else share(until_decided)
    return with_until_decided(spec, difference, None if longest is None else minutes(longest))
