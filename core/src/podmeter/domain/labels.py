"""How everything that Podmeter puts into a cluster can be recognised, and removed again."""

from __future__ import annotations

import re

#: What the hosts of its Ingresses are under; admission policies hold them to it.
OWN_DOMAIN = "podmeter.internal"
MANAGED_BY = {"app.kubernetes.io/managed-by": "podmeter"}
RUN = "podmeter.io/run"
#: On each measuring pod, its own name: what selects pods selects this one alone by it.
POD = "podmeter.io/pod"
#: On the pods of Podmeter's own services where those run in a cluster; its value is which one.
SERVICE = "podmeter.io/service"
#: The annotation of an object that sets a mode which is switched: what stood before.
UNRESTORED_SWITCH = "podmeter.io/stood-before"
#: No node has this label: while a DaemonSet asks for it, it has no pods.
PAUSED = "podmeter.io/paused"
#: No node has this name: it marks what keeps a DaemonSet's pods off single nodes.
KEEPS_OFF = "podmeter.io"
#: The annotation of a ConfigMap of Podmeter's own: the nodes that were set by it.
SWITCHED_NODES = "podmeter.io/nodes"
#: What begins the labels of those that work on a cluster without being a run.
LOOK, RESTORE = "look-", "restore-"
_LABEL = re.compile(r"[a-z0-9-]{1,20}")


def is_label(text: str) -> bool:
    """Whether a run, or one of those others, may have it."""
    return _LABEL.fullmatch(text) is not None


def of_run(run_label: str) -> dict[str, str]:
    """The labels of an object that a run made."""
    return {**MANAGED_BY, RUN: run_label}


def selector(run_label: str) -> str:
    """Selects everything that a run made."""
    return f"{RUN}={run_label}"
