"""What was computed once of finished runs, as text: read where it still holds, kept where not."""

import uuid
from collections.abc import Collection, Sequence
from typing import NamedTuple

from sqlalchemy import ARRAY, BindParameter, String, all_, any_, bindparam, case, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from podmeter.db.base import among
from podmeter.db.models import Run, RunDigest
from podmeter.db.repositories.base import OrganizationRepository
from podmeter.domain.run import RunState

#: Held while digests are written: one transaction at a time does it, and no other waits for it.
_LOCK = 0x64696765
#: Held by the transaction that makes a digest nobody asked for yet.
_AHEAD = 0x61686561
_ORGANIZATION: BindParameter[uuid.UUID] = bindparam("organization_id")
# Put together once, which takes longer than reading the rows.
_BLOCKS = select(RunDigest.run_id, Run.kind, RunDigest.blocks).where(
    (Run.organization_id == RunDigest.organization_id) & (Run.id == RunDigest.run_id),
    Run.state == RunState.FINISHED,
    Run.last_event == RunDigest.last_event,
    RunDigest.version == any_(bindparam("versions", type_=ARRAY(String))),
    RunDigest.organization_id == _ORGANIZATION,
    among(RunDigest.run_id, "run_ids"),
)
# The latest first: they are what is checked next.
_WITHOUT = (
    select(Run.organization_id, Run.id)
    .outerjoin(
        RunDigest,
        (Run.organization_id == RunDigest.organization_id)
        & (Run.id == RunDigest.run_id)
        & (Run.last_event == RunDigest.last_event)
        & (RunDigest.version == any_(bindparam("versions", type_=ARRAY(String)))),
    )
    .where(
        Run.state == RunState.FINISHED,
        # A comparison that needed a digest at once made it without the answer.
        RunDigest.answer.is_(None),
        Run.kind == any_(bindparam("kinds", type_=ARRAY(String))),
        Run.id != all_(bindparam("but", type_=ARRAY(Run.id.type))),
    )
    .order_by(func.coalesce(Run.started_at, Run.created_at).desc(), Run.id)
    .limit(1)
)
_KEEP = insert(RunDigest)
_KEEP = _KEEP.on_conflict_do_update(
    index_elements=[RunDigest.organization_id, RunDigest.run_id],
    set_={
        name: _KEEP.excluded[name]
        for name in ("last_event", "version", "samples", "losses", "blocks")
    }
    # A comparison that makes a digest makes no answer, and loses none that holds.
    | {
        "answer": func.coalesce(
            _KEEP.excluded.answer,
            case(
                (
                    (RunDigest.last_event == _KEEP.excluded.last_event)
                    & (RunDigest.version == _KEEP.excluded.version),
                    RunDigest.answer,
                )
            ),
        )
    },
)


class Digest(NamedTuple):
    """A run's, of the state that it had at `last_event`."""

    run_id: uuid.UUID
    last_event: int
    version: str
    samples: str
    losses: str
    blocks: str
    answer: str | None


class Undigested(NamedTuple):
    """A finished run that has no digest with an answer that holds."""

    organization_id: uuid.UUID
    run_id: uuid.UUID


def latest_without(
    session: Session,
    kinds: Collection[str],
    versions: Collection[str],
    but: Collection[uuid.UUID],
) -> Undigested | None:
    """The latest such run of all organizations, of these kinds and none of those; None: no more.

    Also None while another transaction asks for it: one at a time makes digests ahead.
    """
    if not session.scalar(select(func.pg_try_advisory_xact_lock(_AHEAD))):
        return None
    asked = {"kinds": list(kinds), "versions": list(versions), "but": list(but)}
    found = session.execute(_WITHOUT, asked).one_or_none()
    return None if found is None else Undigested(*found)


class DigestRepository(OrganizationRepository):
    """The digests of one organization's runs."""

    def blocks(
        self, run_ids: Collection[uuid.UUID], versions: Collection[str]
    ) -> dict[uuid.UUID, tuple[str, str]]:
        """(kind, what noise floors take) of those runs whose digests hold."""
        asked = {
            "organization_id": self.organization_id,
            "run_ids": list(run_ids),
            "versions": list(versions),
        }
        rows = self.session.execute(_BLOCKS, asked)
        return {run_id: (kind, blocks) for run_id, kind, blocks in rows}

    def keep(self, digests: Sequence[Digest]) -> None:
        """Keep them for the next time, unless another transaction keeps some at the moment."""
        free = select(func.pg_try_advisory_xact_lock(_LOCK))
        if not digests or not self.session.scalar(free):
            return
        values = [{"organization_id": self.organization_id, **one._asdict()} for one in digests]
        try:
            with self.session.begin_nested():
                self.session.execute(_KEEP, values)
        except IntegrityError:  # one of the runs was deleted meanwhile
            return
