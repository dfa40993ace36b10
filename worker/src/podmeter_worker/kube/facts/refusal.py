"""Why a cluster rejects or changes measuring pods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.cluster_report import RefusalReport
from podmeter.domain.messages import Message, say

if TYPE_CHECKING:
    from podmeter.domain.ports import Access


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why the cluster rejects or changes measuring pods, and how its owner can fix that.

    `access` is that of the pods it is about, None for all of them; `subject` the object that stands
    against them. An `uncertain` one is what a dry run cannot tell: pods are tried all the same.
    """

    what: Message
    mend: Message
    access: Access | None = None
    subject: str | None = None
    uncertain: bool = False

    @property
    def said(self) -> Message:
        """Both in one sentence."""
        return say("refusal_and_mend", what=self.what, mend=self.mend)

    @property
    def report(self) -> RefusalReport:
        """As a preflight keeps it."""
        return RefusalReport(
            what=self.what,
            mend=self.mend,
            access=self.access,
            subject=self.subject,
            uncertain=self.uncertain,
        )
