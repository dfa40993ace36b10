"""Every code with its English sentence; `{name}` is a parameter. A theme has a file of its own."""

from __future__ import annotations

from string import Formatter

from podmeter.domain.messages import (
    clusters,
    credentials,
    feasibility,
    imports,
    kube,
    modes,
    requests,
    runs,
    sign_on,
    tools,
)

#: Text that has no code: of an older version, or of what is not known here.
TEXT = "text"

CATALOG: dict[str, str] = {
    TEXT: "{text}",
    "several": "{several}",
    **runs.SENTENCES,
    **modes.SENTENCES,
    **clusters.SENTENCES,
    **feasibility.SENTENCES,
    **tools.SENTENCES,
    **imports.SENTENCES,
    **requests.SENTENCES,
    **sign_on.SENTENCES,
    **credentials.SENTENCES,
    **kube.SENTENCES,
}


def placeholders(code: str) -> frozenset[str]:
    """The names of a code's parameters. Raises KeyError for a code that is not known."""
    return frozenset(name for _, name, _, _ in Formatter().parse(CATALOG[code]) if name)
