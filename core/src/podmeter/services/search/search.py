"""Looking for words in all that an organization has."""

import uuid
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Row

from podmeter.db.models import Cluster, ComparisonRecord, Experiment, Run, Snapshot
from podmeter.db.repositories.marks import FoundModel, ListFilter, MarkRepository, Model
from podmeter.domain.moment import Moment
from podmeter.domain.run import Outcome, RunState
from podmeter.services.accounts.principal import Principal
from podmeter.services.comparisons.document import ComparedRun
from podmeter.services.comparisons.outlines import read_outline
from podmeter.services.search.synonyms import stored_words
from podmeter.services.work import Work

ThingName = Literal["cluster", "experiment", "run", "comparison", "snapshot"]
_MODELS: dict[ThingName, FoundModel] = {
    "cluster": Cluster,
    "experiment": Experiment,
    "run": Run,
    "comparison": ComparisonRecord,
    "snapshot": Snapshot,
}
#: What can be a favourite.
_MARKED: dict[ThingName, Model] = {"cluster": Cluster, "experiment": Experiment, "run": Run}


@dataclass(frozen=True)
class FoundThing:
    """Something that was found.

    Clusters and snapshots are of no kind; only a run has a state and an outcome; only clusters,
    experiments and runs have tags or are favourites. A comparison has its sides as in lists of
    comparisons; it has none where its stored form cannot be read.
    """

    thing: ThingName
    id: uuid.UUID
    name: str
    kind: str | None
    state: RunState | None
    outcome: Outcome | None
    tags: list[str]
    favourite: bool
    created_at: Moment
    baseline: ComparedRun | None
    contenders: list[ComparedRun]


@dataclass(frozen=True)
class SearchAnswer:
    """What was found, of each sort the newest first; of the sorts in `more` there are others."""

    items: list[FoundThing]
    more: list[ThingName]


def search(work: Work, principal: Principal, words: str, limit: int) -> SearchAnswer:
    """What has all of the words in its name, its tags, its modes, its notes, or how it ended.

    Comparisons by their sides and by whether these may be compared, snapshots by their titles.

    At most `limit` of each sort. A word is found as a part of a word, but in notes from its
    beginning.
    """
    marks = MarkRepository(work.session, principal.organization_id)
    items: list[FoundThing] = []
    more: list[ThingName] = []
    if not words.split():
        return SearchAnswer(items, more)
    for thing, model in _MODELS.items():
        rows = marks.found(model, ListFilter(words=words, alike=stored_words()), limit + 1)
        if len(rows) > limit:
            more.append(thing)
        shown = rows[:limit]
        marked = _MARKED.get(thing)
        ids = [row.id for row in shown]
        starred = set() if marked is None else marks.favourites(principal.user_id, marked, ids)
        items += [_found(thing, row, row.id in starred) for row in shown]
    return SearchAnswer(items, more)


def _found(thing: ThingName, row: Row[Any], favourite: bool) -> FoundThing:
    sides = read_outline(row.outline) if thing == "comparison" else None
    return FoundThing(
        thing=thing,
        id=row.id,
        name=row.name,
        kind=row.kind,
        state=row.state,
        outcome=row.outcome,
        tags=row.tags or [],
        favourite=favourite,
        created_at=row.created_at,
        baseline=None if sides is None else sides.baseline,
        contenders=[] if sides is None else sides.contenders,
    )
