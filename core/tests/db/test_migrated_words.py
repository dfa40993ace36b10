"""Words of stored comparisons and snapshots that changed, in databases of before."""

import json
import uuid
from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from conftest import MIGRATIONS
from sqlalchemy import Engine, text

from podmeter.db.migrate import alembic_config

from .conftest import EmptyAt

pytestmark = pytest.mark.services

#: A user's own texts, which are the word, or have it in quotes.
NAMES = ["inconclusive", 'the "inconclusive', 'one "verdict": "inconclusive"', "mode_inconclusive"]


def config_of(engine: Engine) -> Config:
    return alembic_config(MIGRATIONS, engine.url.render_as_string(hide_password=False))


def store(engine: Engine, name: str, outline: Any, content: Any) -> None:
    """A comparison, and a snapshot of the same content."""
    values = {
        "id": uuid.uuid4(),
        "name": name,
        "outline": json.dumps(outline),
        # As the API writes it.
        "content": json.dumps(content, separators=(",", ":")),
    }
    with engine.begin() as connection:
        for statement in (
            "INSERT INTO organizations (id, name, version) VALUES (:id, :name, 1)",
            (
                "INSERT INTO comparisons (id, organization_id, name, kind, request, outline, "
                "content) VALUES (:id, :id, :name, 'throughput', '{}', "
                "CAST(:outline AS jsonb), CAST(:content AS json))"
            ),
            (
                "INSERT INTO snapshots (id, organization_id, title, token_hash, request, content) "
                "VALUES (:id, :id, 't', :name, '{}', CAST(:content AS jsonb))"
            ),
        ):
            connection.execute(text(statement), values)


def stored(engine: Engine, column: str, table: str = "comparisons") -> Any:
    with engine.connect() as connection:
        return connection.execute(text(f"SELECT {column} FROM {table}")).scalar_one()


def with_verdicts(word: str) -> dict[str, Any]:
    tally = {"better": 1, "worse": 0, "same": 2, word: 3}
    return {
        "baseline": {"name": NAMES[0], "label": NAMES[1], "where": {"variant": NAMES[0]}},
        "clusters": NAMES,
        "description": NAMES[2],
        "tally": tally,
        "tally_all": tally,
        "rows": [{"verdict": word, "code": "loss", "shape": word}],
        "findings": [{"code": f"mode_{word}", "point": {}}, {"code": f"curve_{word}"}],
        "claims": [{"comparison": word, "why_not": word}],
        "sentence": {"of": ["iptables", NAMES[3]], "counts": {"form": "verdicts", **tally}},
    }


def test_only_verdicts_are_renamed_never_texts_of_users(empty_at: EmptyAt) -> None:
    empty = empty_at("0040")
    config = config_of(empty)
    before, after = with_verdicts("inconclusive"), with_verdicts("undecided")
    outline = {"baseline": before["baseline"], "contenders": [], "gates": []}
    store(empty, "n", outline, before)
    command.upgrade(config, "0041")
    # The order of members is kept, too.
    assert json.dumps(stored(empty, "content")) == json.dumps(after)
    assert stored(empty, "content", "snapshots") == after
    assert stored(empty, "outline") == outline
    command.downgrade(config, "0040")
    assert stored(empty, "content") == stored(empty, "content", "snapshots") == before


def contender(gate: str, *comparabilities: str | None) -> dict[str, Any]:
    pairs = [{"comparability": one} for one in comparabilities]
    return {"side": {"label": "r"}, "gate": {"verdict": gate}, "pairs": pairs}


def test_a_gate_that_nothing_compared_is_unknown_in_lists(empty_at: EmptyAt) -> None:
    empty = empty_at("0047")
    config = config_of(empty)
    outline = {"contenders": [], "gates": ["comparable", "comparable", "confounded"]}
    contenders = [
        contender("comparable", None, "comparable"),
        contender("comparable", None),
        contender("confounded", None),
    ]
    store(empty, "n", outline, {"contenders": contenders})
    command.upgrade(config, "0048")
    gates = ["comparable", "unknown", "confounded"]
    assert stored(empty, "outline") == {**outline, "gates": gates}
    assert "'unknown'" in stored(empty, "sought::text")
    # The document itself is read by `results.older`.
    assert stored(empty, "content") == {"contenders": contenders}


def test_a_row_whose_gates_stay_is_not_written(empty_at: EmptyAt) -> None:
    empty = empty_at("0047")
    config = config_of(empty)
    contenders = [contender("comparable", "comparable"), contender("confounded", None)]
    outline = {"contenders": [], "gates": ["comparable", "confounded"]}
    store(empty, "n", outline, {"contenders": contenders})
    before = stored(empty, "xmin::text")
    command.upgrade(config, "0048")
    assert stored(empty, "xmin::text") == before


def test_a_published_baseline_is_called_by_its_title_in_lists(empty_at: EmptyAt) -> None:
    empty = empty_at("0048")
    config = config_of(empty)
    written = "A ladder (published)"
    baseline = {"name": written, "label": written, "reference_id": "ladder"}
    store(empty, f"{written} / r (published)", {"baseline": baseline, "gates": []}, {})
    command.upgrade(config, "0049")
    titled = {**baseline, "name": "A ladder", "label": "A ladder"}
    assert stored(empty, "outline") == {"baseline": titled, "gates": []}
    # A run may be called so by its user.
    assert stored(empty, "name") == "A ladder / r (published)"


@pytest.mark.parametrize(
    ("outline", "content"),
    [
        ({}, {}),
        ({"gates": ["comparable"]}, {}),
        ({"gates": ["comparable"]}, {"contenders": []}),
        ({"gates": ["comparable"], "baseline": None}, {"contenders": [{}]}),
        ({"gates": [], "baseline": {"name": "mine (published)", "reference_id": None}}, {}),
    ],
)
def test_no_stored_comparison_stops_a_migration(
    empty_at: EmptyAt, outline: Any, content: Any
) -> None:
    empty = empty_at("0047")
    config = config_of(empty)
    store(empty, "mine (published) / r", outline, content)
    command.upgrade(config, "0049")
    assert stored(empty, "name") == "mine (published) / r"
    assert set(stored(empty, "outline")) == set(outline)
