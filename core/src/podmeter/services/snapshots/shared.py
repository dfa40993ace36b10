"""Experiments and clusters as their links show them: frozen, and short of what is their owners'."""

import uuid
from dataclasses import dataclass
from typing import Any

from podmeter.domain.axes import AxisValue
from podmeter.domain.messages import Reason
from podmeter.domain.moment import Moment
from podmeter.services.headlines.document import Headline
from podmeter.services.noise_floor.document import MeasuredFloor


@dataclass(frozen=True, slots=True)
class SharedRun:
    """A run in short: how it ended and the headline of its page, null where it found nothing.

    `shared_host` says that nodes it was measured on are one machine.
    """

    run_id: uuid.UUID
    name: str
    kind: str
    outcome: str | None
    finished_at: Moment | None
    clusters: list[str]
    shared_host: bool
    headline: Headline | None


@dataclass(frozen=True, slots=True)
class SharedPlan:
    """What the experiment does: its cases by their points, and how much of it there is.

    Seconds are expected ones. `switches` count those before blocks, whose modes are set up again,
    those that trials make, and those that restore the modes at the end.
    """

    cases: list[dict[str, AxisValue]]
    blocks: int
    trials: int
    switches: int
    expected_seconds: float


@dataclass(frozen=True, slots=True)
class SharedExperiment:
    """An experiment: its specification as data and as YAML, its plan, its latest runs that ended.

    `yaml` is written of `spec` as it is shown, so what is replaced in one is in the other.
    `notes` are its authors', where they were left in on purpose. Of more than
    `finished.MOST_RUNS` runs there are the latest, and `complete` is false.
    """

    name: str
    kind: str
    spec: dict[str, Any]
    yaml: str
    notes: str
    plan: SharedPlan
    runs: list[SharedRun]
    complete: bool


@dataclass(frozen=True, slots=True)
class SharedMode:
    """An axis of modes: what is in effect, or why that is unclear, and what can be switched to."""

    axis: str
    observed: str | None
    unclear: Reason
    switchable: list[str]


@dataclass(frozen=True, slots=True)
class SharedCluster:
    """A cluster: what its network is, how far it differs from itself, what was found there last.

    `fingerprint` is the latest one, without the cluster's own UID; null before the first preflight
    that told it. `runs` are the latest of each kind that measured this cluster alone. `notes` are
    its owners', where they were left in on purpose.
    """

    cluster: str
    notes: str
    kubernetes_version: str | None
    nodes: int
    shared_host: bool | None
    modes: list[SharedMode]
    fingerprint: dict[str, Any] | None
    seen_at: Moment | None
    runs_needed: int
    noise_floor: list[MeasuredFloor]
    runs: list[SharedRun]
