"""What the part `upkeep` does: its messages only name the work, without data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from podmeter.settings import Settings
from podmeter_worker.worker_pool import WorkerPool

#: Looking at clusters: most of the time is spent waiting for them.
_PREFLIGHTS, _PREFLIGHTS_EACH = 8, 2
#: Ending abandoned runs, restoring clusters. More than hostile ones alone would fill.
_RECOVERIES, _RECOVERIES_EACH = 24, 16


@dataclass(frozen=True)
class Upkeep:
    """Two crews, since clusters that are slow to be looked at must not hold up any recovery.

    Limits are for one process, those for each owner by organization.
    """

    preflights: WorkerPool = field(
        default_factory=lambda: WorkerPool(_PREFLIGHTS, _PREFLIGHTS_EACH)
    )
    recoveries: WorkerPool = field(
        default_factory=lambda: WorkerPool(_RECOVERIES, _RECOVERIES_EACH)
    )

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """As the settings have it."""
        return cls(preflights=WorkerPool(_PREFLIGHTS, settings.quota_preflights))

    def close(self) -> None:
        """Begin nothing more."""
        self.preflights.close()
        self.recoveries.close()
