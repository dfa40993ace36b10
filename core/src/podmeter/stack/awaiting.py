"""`podmeter-admin await`: until the database answers, or is at this version's schema.

For what starts beside its database, in no order: it waits here and says for what, rather than end
and be started again.
"""

import sys
import time
from collections.abc import Callable

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from podmeter.db.revisions import expected_revision, present_revision
from podmeter.db.session import make_engine
from podmeter.settings import Settings

_PAUSE_SECONDS = 1.0


def await_database(settings: Settings) -> None:
    """Return once the database answers. Raises MissingSettingError."""
    _await(settings, lambda found: "")


def await_migration(settings: Settings) -> None:
    """Return once the schema is this version's. Raises MissingSettingError."""
    expected = expected_revision(settings.migrations_dir)
    _await(
        settings,
        lambda found: "" if found == expected else f"the database is at {found}, not at {expected}",
    )


def _await(settings: Settings, why_not: Callable[[str | None], str]) -> None:
    """Ask for the database's migration until it is right; each reason why not is said once."""
    engine = make_engine(settings.require_database_url(), pool_size=1)
    told = ""
    try:
        while why := _why_not(engine, why_not):
            if why != told:
                sys.stderr.write(f"podmeter: waiting: {why}\n")
            told = why
            time.sleep(_PAUSE_SECONDS)
    finally:
        engine.dispose()


def _why_not(engine: Engine, why_not: Callable[[str | None], str]) -> str:
    try:
        return why_not(present_revision(engine))
    except SQLAlchemyError as error:
        # The driver's words without what SQLAlchemy adds, which is a link.
        said = str(getattr(error, "orig", None) or error).strip().splitlines()
        return f"the database cannot be reached: {said[0] if said else type(error).__name__}"
