"""The doctor's checks, and their output."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from urllib.parse import unquote, urlsplit

from pydantic import SecretStr

from podmeter.logs import printable
from podmeter.settings import Settings
from podmeter.stack.doctor import configuration, servers, stored
from podmeter.stack.doctor.finding import Check, Finding, Level, looked

_UNUSABLE = "the settings are unusable"
_AWAY = {"database": "the database does not answer", "broker": "Redis does not answer"}


def doctor(reading: Callable[[], Settings], *, clusters: bool, as_json: bool) -> int:
    """Look at everything, whatever of it is down, and print it; 1 where something is wrong."""
    settings, found = configuration.read(reading)
    if settings is not None:
        found += _examined(settings, look=clusters)
        found = [_without_secrets(one, secrets_of(settings)) for one in found]
    else:
        found.append(Finding("all else", Level.UNKNOWN, f"not looked at: {_UNUSABLE}"))
    sys.stdout.write(_as_json(found) if as_json else _as_text(found))
    return 1 if any(one.level is Level.FAULT for one in found) else 0


def _examined(settings: Settings, *, look: bool) -> list[Finding]:
    """First the two servers, then what can be asked of those that answer."""
    first = looked(
        [
            Check(
                "database",
                partial(servers.database, settings),
                "see that PostgreSQL runs, is reached from here and takes more connections "
                "(max_connections); correct DATABASE_URL",
            ),
            Check(
                "broker",
                partial(servers.broker, settings),
                "check that Redis runs and can be reached from here; correct REDIS_URL",
            ),
        ]
    )
    away = {one.check for one in first if one.level is Level.FAULT}
    waits = stored.LOOKING_S + 10 if look else 10.0
    asked = {
        "database": [
            Check("migrations", partial(servers.migrations, settings)),
            Check("keys", partial(stored.keys, settings), deadline_s=30.0),
            Check("clock", partial(servers.database_clock, settings)),
            Check("resources", partial(servers.database_resources, settings)),
            Check("runs", partial(stored.runs, settings)),
            Check("clusters", partial(stored.clusters, settings, look=look), deadline_s=waits),
        ],
        "broker": [
            Check("clock", partial(servers.broker_clock, settings)),
            Check("parts", partial(servers.parts, settings)),
            Check("resources", partial(servers.broker_resources, settings)),
        ],
    }
    here = Check("resources", partial(servers.own_resources, settings))
    reached = [one for server, checks in asked.items() if server not in away for one in checks]
    then = looked([here, *reached])
    unknown = [
        Finding(one.name, Level.UNKNOWN, f"not looked at: {_AWAY[server]}")
        for server, checks in asked.items()
        if server in away
        for one in checks
    ]
    return [*first, *then, *unknown]


def secrets_of(settings: Settings) -> list[str]:
    """All that must never be printed: secret settings, and the passwords in URLs."""
    found: set[str] = set()
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        if isinstance(value, SecretStr):
            text = value.get_secret_value()
            found |= {text, *text.split(",")}
            password = urlsplit(text).password if "://" in text else None
            found |= {password or "", unquote(password or "")}
    return sorted((one for one in found if len(one) > 3), key=len, reverse=True)


def _without_secrets(finding: Finding, secrets: Sequence[str]) -> Finding:
    if not secrets:
        return finding
    hidden = re.compile("|".join(map(re.escape, secrets)))
    said, mend = (hidden.sub("***", text) for text in (finding.said, finding.mend))
    return replace(finding, said=said, mend=mend)


def _as_json(found: Sequence[Finding]) -> str:
    healthy = not any(one.level is Level.FAULT for one in found)
    document = {"healthy": healthy, "findings": [asdict(one) for one in found]}
    return json.dumps(document, indent=2) + "\n"


def _as_text(found: Sequence[Finding]) -> str:
    lines = []
    for one in found:
        lines.append(f"{one.level:8} {one.check:10}  {printable(one.said)}")
        if one.mend and one.level is not Level.OK:
            lines.append(f"{'':21}→ {printable(one.mend)}")
    return "\n".join(lines) + "\n"
