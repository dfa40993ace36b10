"""Reading the audit log: pages for people, files for what keeps it elsewhere."""

import json
from enum import StrEnum
from typing import Any

from podmeter.db.models import AuditEntry, Role
from podmeter.db.paging import Page, PageRequest
from podmeter.db.repositories.audit import AuditFilter, AuditRepository
from podmeter.services.accounts.principal import Principal
from podmeter.services.exports import csv_text, json_text
from podmeter.services.exports.table import Cell
from podmeter.services.work import Work


class LogFormat(StrEnum):
    """What the log can be exported as."""

    CSV = "csv"
    JSON_LINES = "jsonl"


#: Lines of a file, and the cursor of the lines that follow, None at the end.
Portion = tuple[str, str | None]
#: So many entries are read, and in memory, at once.
_PORTION = 500
_COLUMNS = (
    *("created_at", "who", "via", "token_name", "operation", "refused"),
    *("object_kind", "object_id", "object_name", "details", "address", "request_id"),
    *("id", "user_id", "token_id", "organization_id"),
)


def page(
    work: Work, principal: Principal, wanted: AuditFilter, request: PageRequest
) -> Page[AuditEntry]:
    """Entries of the principal's organization, newest first. Raises RoleError."""
    principal.require(Role.ADMIN)
    return AuditRepository(work.session, principal.organization_id).page(wanted, request)


def portion(
    work: Work,
    principal: Principal,
    wanted: AuditFilter,
    format_: LogFormat,
    cursor: str | None,
) -> Portion:
    """The next lines of a file of all entries, newest first. Raises RoleError.

    Without a cursor it is the file's beginning.
    """
    found = page(work, principal, wanted, PageRequest(_PORTION, cursor))
    entries = [_plain(entry) for entry in found.items]
    if format_ is LogFormat.JSON_LINES:
        return "".join(map(json_text.line, entries)), found.next_cursor
    header = [_COLUMNS] if cursor is None else []
    rows = [[_cell(plain[name]) for name in _COLUMNS] for plain in entries]
    return csv_text.lines([*header, *rows]), found.next_cursor


def _plain(entry: AuditEntry) -> dict[str, Any]:
    values = {name: getattr(entry, name) for name in _COLUMNS}
    values["created_at"] = entry.created_at.isoformat().replace("+00:00", "Z")
    for name in ("user_id", "token_id", "organization_id"):
        values[name] = None if values[name] is None else str(values[name])
    return values


def _cell(value: Any) -> Cell:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False) if value else None
    return value if isinstance(value, str | int) else None
