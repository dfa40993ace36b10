"""What can be said of the settings without asking anybody."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pydantic import ValidationError

from podmeter.credentials.errors import KeyRingError
from podmeter.credentials.key_ring import KeyRing
from podmeter.settings import MissingSettingError, Settings, environment_names
from podmeter.stack.doctor.finding import Finding, Level
from podmeter.stack.errors import StackError
from podmeter.stack.up import running

_NAME = "settings"


def read(reading: Callable[[], Settings]) -> tuple[Settings | None, list[Finding]]:
    """The settings, with what a running stack made up for itself; None where they are unusable."""
    try:
        settings = reading()
    except MissingSettingError as error:
        return None, [Finding(_NAME, Level.FAULT, str(error))]
    except ValidationError as error:
        return None, [
            Finding(_NAME, Level.FAULT, f"{_variable(fault['loc'])}: {fault['msg']}", "correct it")
            for fault in error.errors(include_url=False, include_input=False)
        ]
    try:
        settings = running(settings)
    except StackError as error:
        mend = (
            "run this in the folder in which the stack was started, start it with "
            "`podmeter-admin up`, or set DATABASE_URL and REDIS_URL"
        )
        return settings, [Finding(_NAME, Level.FAULT, str(error), mend), *_of(settings)]
    return settings, list(_of(settings))


def _variable(path: tuple[str | int, ...]) -> str:
    """A setting as its environment variable, by the name that the fault has."""
    found = str(path[0]) if path else "?"
    names = {name.removeprefix("PODMETER_").lower(): name for name in environment_names()}
    return names.get(found.lower(), found)


def _of(settings: Settings) -> Iterable[Finding]:
    faults = 0
    for require in (
        settings.require_database_url,
        settings.require_redis_url,
        settings.require_encryption_keys,
    ):
        try:
            require()
        except MissingSettingError as error:
            faults += 1
            yield Finding(_NAME, Level.FAULT, str(error))
    if settings.encryption_keys is not None:
        try:
            KeyRing.parse(settings.encryption_keys.get_secret_value())
        except KeyRingError as error:
            faults += 1
            yield Finding(_NAME, Level.FAULT, str(error))
    if settings.bench_image is None:
        faults += 1
        mend = "set it to an image that your clusters can pull, made by `make images`"
        yield Finding(_NAME, Level.WARNING, "BENCH_IMAGE is not set: no run can start", mend)
    folder = settings.frontend_dir
    if folder is not None and not (folder / "index.html").exists():
        faults += 1
        yield Finding(
            _NAME,
            Level.WARNING,
            f"no web UI in {folder}",
            "build it with `make frontend`, or correct PODMETER_FRONTEND_DIR",
        )
    if not faults:
        yield Finding(_NAME, Level.OK, "complete")
