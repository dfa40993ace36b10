"""Which migration a database is at, and which one this version needs.

What serves and what works ask only this. Alembic, which migrates, would stay in the memory of each
with all that it imports.
"""

import ast
from functools import lru_cache
from pathlib import Path

from sqlalchemy import Engine, inspect, text

from podmeter.settings import MissingSettingError


def ini_of(folder: Path) -> Path:
    """Alembic's own file in the folder of the migrations.

    Raises:
        MissingSettingError: there are no migrations in `folder`.
    """
    file = folder / "alembic.ini"
    if not file.exists():
        raise MissingSettingError(
            f"no migrations in {folder}: set PODMETER_MIGRATIONS_DIR to the folder with alembic.ini"
        )
    return file


@lru_cache(maxsize=8)
def expected_revision(folder: Path) -> str | None:
    """The newest migration in `folder`: no other follows it. Raises as `ini_of`."""
    ini_of(folder)
    told = [_told(file) for file in sorted((folder / "versions").glob("*.py"))]
    followed = {one["down_revision"] for one in told}
    [newest] = [one["revision"] for one in told if one["revision"] not in followed] or [None]
    return newest


def present_revision(engine: Engine) -> str | None:
    """The migration a database is at; None for one never migrated."""
    with engine.connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _told(file: Path) -> dict[str, str | None]:
    """What a migration says of itself: `revision = "0019"`, `down_revision: str | None = …`."""
    found: dict[str, str | None] = {}
    for statement in ast.parse(file.read_text()).body:
        match statement:
            case ast.Assign([ast.Name(name)], ast.Constant(str() | None as value)) | ast.AnnAssign(
                ast.Name(name), _, ast.Constant(str() | None as value)
            ):
                found[name] = value
    return found
