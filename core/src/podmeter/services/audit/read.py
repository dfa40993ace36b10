"""Reading the audit log: pages for people, files for what keeps it elsewhere."""

import json
from collections.abc import Iterator
from enum import StrEnum
from typing import Any

from podmeter.db.models import AuditEntry, Role
from podmeter.db.paging import Page, PageRequest
from podmeter.db.repositories.audit import AuditFilter, AuditRepository
from podmeter.db.session import Sessions
from podmeter.services.accounts.principal import Principal
from podmeter.services.exports import csv_text, json_text
from podmeter.services.exports.table import Cell
from podmeter.services.work import Work


class LogFormat(StrEnum):
    """What the log can be exported as."""

    CSV = "csv"
    JSON_LINES = "jsonl"


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


def lines(
    sessions: Sessions, principal: Principal, wanted: AuditFilter, format_: LogFormat
) -> Iterator[str]:
    """The lines of a file of all entries, newest first, read while they are sent.

    Raises RoleError before the first line.
    """
    principal.require(Role.ADMIN)
    return _lines(sessions, principal, wanted, format_)


def _lines(
    sessions: Sessions, principal: Principal, wanted: AuditFilter, format_: LogFormat
) -> Iterator[str]:
    if format_ is LogFormat.CSV:
        yield csv_text.lines([_COLUMNS])
    # The request's own unit of work has ended by then.
    with sessions() as session:
        for entry in AuditRepository(session, principal.organization_id).each(wanted):
            plain = _plain(entry)
            if format_ is LogFormat.CSV:
                yield csv_text.lines([[_cell(plain[name]) for name in _COLUMNS]])
            else:
                yield json_text.line(plain)


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
