"""Digests of runs that ended, before anybody compares them: one at a time, the latest first."""

import logging
import uuid
from collections import Counter

from sqlalchemy.exc import SQLAlchemyError

from podmeter.db.repositories.digests import DigestRepository, Undigested, latest_without
from podmeter.db.repositories.samples import SampleRepository
from podmeter.db.session import Sessions, unit_of_work
from podmeter.kinds.registry import KINDS
from podmeter.services.headlines.document import Headline
from podmeter.services.run_aggregates.content import versions
from podmeter.services.run_aggregates.read import keep
from podmeter.services.run_results.environments import ReadFingerprints
from podmeter.services.run_results.packets import Routes
from podmeter.services.run_results.runs import MeasuredRun, MetricChoice, load
from podmeter.services.summaries.report import main_report, read_environments
from podmeter.services.work import Work

logger = logging.getLogger(__name__)

#: How often a run is tried. One whose digest cannot be made, or that a process of another version
#: makes again each time, is left to anyone who compares it.
_TRIES = 3


class AggregatePrecompute:
    """Makes digests that nobody asked for yet; what cannot be made now is made when compared."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._tried: Counter[uuid.UUID] = Counter()

    def make_one(self) -> bool:
        """Make the next one; False where none is left, or another process is at it.

        Raises SQLAlchemyError where the database cannot be asked.
        """
        found: Undigested | None = None
        try:
            with unit_of_work(self._sessions) as session:
                found = latest_without(session, tuple(KINDS), versions(), self._given_up())
                if found is None:
                    return False
                self._tried[found.run_id] += 1
                of, run_id = found
                measured = load(Work(session), of, [run_id], MetricChoice.MAIN)
                samples = SampleRepository(session, of)
                read = read_environments(samples, measured.values())
                routes = samples.routes([run_id])
                headlines = {one.run.id: _headline(one, read, routes) for one in measured.values()}
                keep(DigestRepository(session, of), measured.values(), headlines)
        except SQLAlchemyError:
            raise
        except Exception:
            if found is None:
                raise
            # A comparison of the run reports why.
            logger.exception("no digest of run %s was made ahead", found.run_id)
        return True

    def _given_up(self) -> list[uuid.UUID]:
        return [run_id for run_id, tries in self._tried.items() if tries >= _TRIES]


def _headline(measured: MeasuredRun, read: ReadFingerprints, routes: Routes) -> Headline | None:
    """None where it cannot be made: the run has a digest all the same."""
    try:
        return main_report(measured, read, routes).headline
    except SQLAlchemyError:
        raise
    except Exception:
        logger.exception("no answer of run %s was made", measured.run.id)
        return None
