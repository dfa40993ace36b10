import json
import uuid
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, UniqueConstraint, inspect, text

from podmeter.db import models  # noqa: F401 (completes the metadata)
from podmeter.db.base import Base
from podmeter.db.migrate import alembic_config, migrate
from podmeter.db.revisions import expected_revision, present_revision
from podmeter.domain.experiment import Repetition, ResolvedSpec
from podmeter.settings import MissingSettingError, Settings

from .conftest import EmptyAt

pytestmark = pytest.mark.services
_OLD_TEXTS = ("why", "odd", "a line")
MIGRATIONS = Settings(_env_file=None).migrations_dir


def url(engine: Engine) -> str:
    return engine.url.render_as_string(hide_password=False)


def test_the_migrations_make_what_the_models_say(engine: Engine) -> None:
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "compare_server_default": True}
        )
        assert compare_metadata(context, Base.metadata) == []


def test_checks_and_sequences_agree_too(engine: Engine, empty: Engine) -> None:
    """Alembic's comparison leaves these out, so the database made by the models is asked."""
    Base.metadata.create_all(empty)
    checks = text(
        "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint "
        "WHERE contype = 'c' AND connamespace = 'public'::regnamespace ORDER BY 1, 2"
    )
    indexes = text(
        "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' "
        "AND tablename <> 'alembic_version' ORDER BY 1"
    )
    sequences = text("SELECT sequencename FROM pg_sequences ORDER BY 1")
    # Those of the audit log are its migration's alone.
    functions = text(
        "SELECT pg_get_functiondef(oid) FROM pg_proc "
        "WHERE pronamespace = 'public'::regnamespace AND proname = 'sought_words'"
    )
    computed = text(
        "SELECT table_name, column_name, generation_expression FROM information_schema.columns "
        "WHERE is_generated = 'ALWAYS' ORDER BY 1, 2"
    )
    with engine.connect() as migrated, empty.connect() as modelled:
        for question in (checks, indexes, sequences, functions, computed):
            answer = migrated.execute(question).all()
            assert answer
            assert answer == modelled.execute(question).all()


def test_every_migration_can_be_undone_and_done_again(empty: Engine) -> None:
    migrate(MIGRATIONS, url(empty))
    config = alembic_config(MIGRATIONS, url(empty))
    command.downgrade(config, "base")
    left = set(inspect(empty).get_table_names())
    assert left == {"alembic_version"}
    with empty.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM pg_sequences")).scalar_one() == 0
    migrate(MIGRATIONS, url(empty))
    assert set(inspect(empty).get_table_names()) == {*Base.metadata.tables, "alembic_version"}


def _old_run(connection: Connection, spec: dict[str, Any], points: list[dict[str, Any]]) -> Any:
    """A run as revision 0006 stored it, in two rounds."""
    ids = {"organization_id": uuid.uuid4(), "run_id": uuid.uuid4()}
    insert = (
        "INSERT INTO organizations (id, name, created_at) VALUES (:organization_id, :name, now())"
    )
    connection.execute(text(insert), {**ids, "name": str(ids["organization_id"])})
    connection.execute(
        text(
            "INSERT INTO runs (id, organization_id, name, kind, spec, state, reason, attempt, "
            "last_event, warnings, created_at, queued_at) VALUES (:run_id, :organization_id, 'r', "
            ":kind, CAST(:spec AS jsonb), 'queued', '', 1, 0, '[]', now(), now())"
        ),
        {**ids, "kind": spec["kind"], "spec": json.dumps(spec)},
    )
    for position in (0, 1):
        connection.execute(
            text(
                "INSERT INTO blocks (organization_id, run_id, position, round, modes, status, "
                "reason) VALUES (:organization_id, :run_id, :position, :round, '{}', 'pending', '')"
            ),
            {**ids, "position": position, "round": position + 1},
        )
    for position, point in enumerate(points):
        connection.execute(
            text(
                "INSERT INTO cases (organization_id, run_id, position, key, point, once, status, "
                "reason) VALUES (:organization_id, :run_id, :position, :key, "
                "CAST(:point AS jsonb), false, 'pending', '')"
            ),
            {**ids, "position": position, "key": str(position), "point": json.dumps(point)},
        )
    return ids["run_id"]


def test_old_runs_are_given_what_they_were_started_with(empty_at: EmptyAt) -> None:
    empty = empty_at("0006")
    config = alembic_config(MIGRATIONS, url(empty))
    repetition = {"profile": "reference", "trials": 6, "seconds": None, "rounds": None}
    open_spec = {
        "name": "old",
        "kind": "throughput",
        "description": "d",
        "parameters": {"port": "6000", "client_node": "n1"},
        "axes": {"path": ["pod-pod"]},
        "repetition": repetition,
    }
    # Its rows show two streams and no udp: that is what stood when it was started.
    points = [{"path": "pod-pod", "protocol": "tcp", "streams": n} for n in (2, 1)]
    scale = {"name": "old", "kind": "service_scale", "axes": {"services": [1000, 10]}}
    rungs = [{"services": n, "probe": "climb", "service_type": "NodePort"} for n in (10, 1000)]
    with empty.begin() as connection:
        first = _old_run(connection, open_spec, points)
        second = _old_run(connection, scale, rungs)
        bare = _old_run(connection, {"name": "bare", "kind": "throughput"}, [])
    command.upgrade(config, "0007")
    with empty.connect() as connection:
        rows = connection.execute(text("SELECT id, spec, written FROM runs")).all()
    specs = {row[0]: ResolvedSpec.model_validate(row[1]) for row in rows}
    assert {row[0]: row[2] for row in rows}[first] == open_spec
    assert specs[first].kind_version == 1
    assert specs[first].matrix == {"path": ("pod-pod",), "protocol": ("tcp",), "streams": (2, 1)}
    assert specs[first].parameters == {
        "client_node": "n1",
        "server_node": None,
        "udp_bits_per_second": 1_000_000_000,
        "datagram_bytes": 1400,
        "port": 6000,
    }
    assert specs[first].repetition == Repetition(
        trials=6, seconds=30, rounds=2, warmup=1, void_replacements=3, seed=1
    )
    assert specs[second].matrix == {
        "service_type": ("NodePort",),
        "services": (10, 1000),
        "client": ("other-node",),
        "target": ("first", "last"),
        "probe": ("climb",),
    }
    assert [axis.name for axis in specs[second].axes if axis.ladder] == ["services"]
    assert [axis.name for axis in specs[second].axes if axis.staged] == ["service_type"]
    assert specs[bare].matrix["streams"] == (1, 8)
    command.downgrade(config, "0006")
    with empty.connect() as connection:
        stored = connection.execute(text("SELECT spec FROM runs WHERE id = :id"), {"id": first})
        assert stored.scalar_one() == open_spec


def test_a_waiting_run_is_given_why_it_ended_early(empty_at: EmptyAt) -> None:
    empty = empty_at("0006")
    config = alembic_config(MIGRATIONS, url(empty))
    spec = {"name": "old", "kind": "throughput"}
    reasons = {"early": ("rung_over", "stopped_conntrack"), "on": ("rung_over", "rung_over")}
    with empty.begin() as connection:
        runs = {name: _old_run(connection, spec, []) for name in reasons}
    command.upgrade(config, "0049")
    with empty.begin() as connection:
        connection.execute(text("UPDATE runs SET state = 'waiting'"))
        for name, why in reasons.items():
            for position, code in enumerate(why):
                connection.execute(
                    text(
                        "UPDATE blocks SET status = 'skipped', reason = CAST(:reason AS jsonb) "
                        "WHERE run_id = :run_id AND position = :position"
                    ),
                    {
                        "run_id": runs[name],
                        "position": position,
                        "reason": json.dumps({"code": code, "values": {}}),
                    },
                )
    command.upgrade(config, "0050")
    with empty.connect() as connection:
        rows = connection.execute(text("SELECT id, ended_early ->> 'code' FROM runs")).all()
    assert {row[0]: row[1] for row in rows} == {
        runs["early"]: "stopped_conntrack",
        runs["on"]: None,
    }


def test_what_was_said_before_is_kept_as_text(empty_at: EmptyAt) -> None:
    empty = empty_at("0006")
    config = alembic_config(MIGRATIONS, url(empty))
    with empty.begin() as connection:
        run_id = _old_run(connection, {"name": "old", "kind": "throughput"}, [{}])
        of = {"run_id": run_id}
        connection.execute(
            text(
                "UPDATE runs SET reason = 'why', warnings = '[\"odd\"]', last_event = 2 "
                "WHERE id = :run_id"
            ),
            of,
        )
        for number, content in ((1, {"reason": ""}), (2, {"message": "a line"})):
            connection.execute(
                text(
                    "INSERT INTO run_events (organization_id, run_id, number, type, content, "
                    "created_at) SELECT organization_id, id, :number, 'log', "
                    "CAST(:content AS jsonb), now() FROM runs WHERE id = :run_id"
                ),
                {**of, "number": number, "content": json.dumps(content)},
            )
    command.upgrade(config, "head")
    why, odd, line = ({"code": "text", "params": {"text": t}, "text": t} for t in _OLD_TEXTS)
    with empty.connect() as connection:
        (run,) = connection.execute(text("SELECT reason, warnings FROM runs")).all()
        assert tuple(run) == (why, [odd])
        assert connection.execute(text("SELECT reason FROM cases")).scalar_one() is None
        events = connection.execute(text("SELECT content FROM run_events ORDER BY number"))
        assert [row[0] for row in events] == [{"reason": None}, {"message": line}]
    command.downgrade(config, "0006")
    with empty.connect() as connection:
        (run,) = connection.execute(text("SELECT reason, warnings FROM runs")).all()
        assert tuple(run) == ("why", ["odd"])
        assert connection.execute(text("SELECT reason FROM cases")).scalar_one() == ""
        events = connection.execute(text("SELECT content FROM run_events ORDER BY number"))
        assert [row[0] for row in events] == [{"reason": ""}, {"message": "a line"}]


def test_old_registrations_of_one_uid_are_told_apart(empty_at: EmptyAt) -> None:
    empty = empty_at("0006")
    config = alembic_config(MIGRATIONS, url(empty))
    with empty.begin() as connection:
        runs = [_old_run(connection, {"name": "r", "kind": "throughput"}, []) for _ in range(2)]
    command.upgrade(config, "0009")
    insert = (
        "INSERT INTO clusters (id, organization_id, name, description, server, kubeconfig, "
        "cluster_uid, preflight_state, allow_mode_switch, needs_restore, needs_restore_reason, "
        "restore_attempts, version) SELECT :run_id, organization_id, 'c', '', 'https://k', '', "
        "'uid', 'succeeded', true, true, CAST(:why AS jsonb), 0, 1 FROM runs WHERE id = :run_id"
    )
    why = json.dumps({"code": "text", "params": {"text": "w"}, "text": "w"})
    with empty.begin() as connection:
        for run_id in runs:
            connection.execute(text(insert), {"run_id": run_id, "why": why})
            connection.execute(
                text(
                    "INSERT INTO run_clusters (organization_id, run_id, name, cluster_id, "
                    "cluster_uid) SELECT organization_id, id, 'c', id, 'uid' FROM runs "
                    "WHERE id = :run_id"
                ),
                {"run_id": run_id},
            )
        for statement in (
            (
                "INSERT INTO cluster_claims (cluster_uid, organization_id, run_id, claimed_at) "
                "SELECT 'uid', organization_id, id, now() FROM runs WHERE id = :run_id"
            ),
            (
                "INSERT INTO saved_modes (id, organization_id, cluster_id, cluster_uid, run_id, "
                "axis, content, created_at) SELECT id, organization_id, id, 'uid', id, 'a', "
                "'{}', now() FROM runs WHERE id = :run_id"
            ),
        ):
            connection.execute(text(statement), {"run_id": runs[0]})
    command.upgrade(config, "head")
    with empty.connect() as connection:
        marked = connection.execute(
            text("SELECT id, authority, needs_restore, needs_restore_reason FROM clusters")
        ).all()
        claims = connection.execute(text("SELECT run_id, authority FROM cluster_claims")).all()
    assert {row[0]: row[1:3] for row in marked} == {
        run_id: (str(run_id), run_id == runs[0]) for run_id in runs
    }
    # What the other organization's registration was marked for is not its own to know.
    assert {row[0]: row[3] is None for row in marked} == {runs[0]: False, runs[1]: True}
    assert claims == [(runs[0], str(runs[0]))]
    command.downgrade(config, "0009")
    with empty.connect() as connection:
        assert connection.execute(text("SELECT cluster_uid FROM cluster_claims")).all() == [
            ("uid",)
        ]


def test_what_was_kept_before_methods_had_versions_is_of_the_first(empty_at: EmptyAt) -> None:
    empty = empty_at("0009")
    config = alembic_config(MIGRATIONS, url(empty))
    owner = {"id": uuid.uuid4()}
    old = {"effects": [{"verdict": "worse"}]}
    contents = {
        "run": {"run": {"findings": []}, "comparison": None, "method": {"statistics": "old"}},
        "comparison": {"run": None, "comparison": old, "method": {"statistics": "old"}},
        "revoked": {},
    }
    with empty.begin() as connection:
        insert = "INSERT INTO organizations (id, name, created_at) VALUES (:id, 'o', now())"
        connection.execute(text(insert), owner)
        connection.execute(
            text(
                "INSERT INTO comparisons (id, organization_id, request, content, created_at) "
                "VALUES (gen_random_uuid(), :id, '{}', CAST(:content AS jsonb), now())"
            ),
            {**owner, "content": json.dumps(old)},
        )
        for title, content in contents.items():
            connection.execute(
                text(
                    "INSERT INTO snapshots (id, organization_id, title, token_hash, request, "
                    "content, created_at) VALUES (gen_random_uuid(), :id, :title, :title, '{}', "
                    "CAST(:content AS jsonb), now())"
                ),
                {**owner, "title": title, "content": json.dumps(content)},
            )
    kept = text("SELECT title, content FROM snapshots")
    command.upgrade(config, "head")
    with empty.connect() as connection:
        compared = connection.execute(text("SELECT content FROM comparisons")).scalar_one()
        shared = {row[0]: row[1] for row in connection.execute(kept)}
    assert compared == {**old, "method_version": 1}
    assert shared["run"]["method"] == {"statistics": "old", "version": 1}
    assert shared["comparison"]["comparison"] == {**old, "method_version": 1}
    assert shared["comparison"]["method"]["version"] == 1
    assert shared["revoked"] == {}
    command.downgrade(config, "0009")
    with empty.connect() as connection:
        assert connection.execute(text("SELECT content FROM comparisons")).scalar_one() == old
        assert {row[0]: row[1] for row in connection.execute(kept)} == contents


def test_comparisons_are_listed_and_found_as_before_they_had_outlines(empty_at: EmptyAt) -> None:
    empty = empty_at("0027")
    config = alembic_config(MIGRATIONS, url(empty))
    owner = {"id": uuid.uuid4()}
    sides = [{"label": "a run", "clusters": ["Ein Haus"]}, {"label": "another　run"}]
    gates = [{"verdict": "confounded"}, {"verdict": "refused"}]
    contenders = [{"side": side, "gate": gate} for side, gate in zip(sides, gates, strict=True)]
    content = {"baseline": sides[0], "contenders": contenders, "alpha": 0.05}
    with empty.begin() as connection:
        insert = "INSERT INTO organizations (id, name, version) VALUES (:id, 'o', 1)"
        connection.execute(text(insert), owner)
        connection.execute(
            text(
                "INSERT INTO comparisons (id, organization_id, name, kind, request, content, "
                "created_at) VALUES (gen_random_uuid(), :id, 'A run / another　run', 'throughput', "
                "'{}', CAST(:content AS jsonb), now())"
            ),
            {**owner, "content": json.dumps(content)},
        )
    kept = text("SELECT sought::text, content FROM comparisons")
    with empty.connect() as connection:
        before = connection.execute(kept).one()
    assert "'onfounded'" in before[0]
    command.upgrade(config, "0028")
    with empty.connect() as connection:
        assert connection.execute(kept).one() == before
        outline = connection.execute(text("SELECT outline FROM comparisons")).scalar_one()
    assert outline == {
        "baseline": sides[0],
        "contenders": sides,
        "gates": ["confounded", "refused"],
    }
    command.downgrade(config, "0027")
    with empty.connect() as connection:
        assert connection.execute(kept).one() == before


def test_accounts_that_were_shared_are_shut_out_and_the_first_administrator_is_proved(
    empty_at: EmptyAt,
) -> None:
    """Of accounts as 0028 has them: set up, invited, adopted by a sign-on, and made by one."""
    empty = empty_at("0028")
    config = alembic_config(MIGRATIONS, url(empty))
    names = ("first", "invited", "adopted", "made")
    ids = {name: uuid.uuid4() for name in names}
    owner = uuid.uuid4()
    with empty.begin() as connection:
        connection.execute(
            text("INSERT INTO organizations (id, name, version) VALUES (:id, 'o', 1)"),
            {"id": owner},
        )
        for name, user in ids.items():
            of_provider = name in ("adopted", "made")
            values = {
                "id": user,
                "email": f"{name}@o.example",
                "issuer": "https://provider" if of_provider else None,
                "subject": name if of_provider else None,
                "owner": owner,
                "hash": name,
                # The audit log dates its entries itself, as the account's row in one transaction.
                "made": "now()" if name == "made" else "now() - interval '1 day'",
            }
            for statement in (
                (
                    "INSERT INTO users (id, email, issuer, subject, created_at) VALUES "
                    f"(:id, :email, :issuer, :subject, {values['made']})"
                ),
                (
                    "INSERT INTO sessions (id, organization_id, user_id, token_hash, expires_at) "
                    "VALUES (gen_random_uuid(), :owner, :id, :hash, now() + interval '1 day')"
                ),
                (
                    "INSERT INTO api_tokens (id, organization_id, user_id, name, hint, token_hash, "
                    "role, expires_at) VALUES (gen_random_uuid(), :owner, :id, 't', 'h', :hash, "
                    "'admin', now() + interval '1 day')"
                ),
            ):
                connection.execute(text(statement), values)
            entry = {
                "first": ("podmeter migrate", "command", None),
                "invited": ("accept_invitation", "password", user),
            }.get(name, ("finish_sign_on", "provider", user))
            connection.execute(
                text(
                    "INSERT INTO audit_entries (organization_id, via, user_id, who, operation, "
                    "refused, object_kind, object_id, details) VALUES (:owner, :via, :user, :who, "
                    ":operation, false, 'member', :object, '{}')"
                ),
                {
                    "owner": owner,
                    "via": entry[1],
                    "user": entry[2],
                    "who": name,
                    "operation": entry[0],
                    "object": str(user),
                },
            )
    command.upgrade(config, "0032")

    def left(query: str) -> set[str]:
        with empty.connect() as connection:
            rows = connection.execute(text(query)).scalars().all()
        return {email.partition("@")[0] for email in rows}

    by_user = "SELECT email FROM users JOIN {} AS one ON one.user_id = users.id"
    assert left("SELECT email FROM users WHERE address_proof = 'setup'") == {"first"}
    assert left("SELECT email FROM users WHERE address_proof IS NULL") == set(names) - {"first"}
    assert left(by_user.format("sessions")) == {"first", "invited"}
    assert left(by_user.format("api_tokens")) == {"first", "invited", "made"}
    command.downgrade(config, "0028")


def test_experiments_that_name_no_rounds_keep_those_they_had(empty_at: EmptyAt) -> None:
    empty = empty_at("0036")
    config = alembic_config(MIGRATIONS, url(empty))
    repetitions: dict[str, Any] = {
        "bare": None,
        "quick": {"trials": 3},
        "reference": {"profile": "reference", "rounds": None},
        "named": {"rounds": 9},
    }
    organization = uuid.uuid4()
    with empty.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO organizations (id, name, version, created_at) "
                "VALUES (:id, 'o', 1, now())"
            ),
            {"id": organization},
        )
        for name, repetition in repetitions.items():
            spec: dict[str, Any] = {"name": name, "kind": "throughput"}
            if repetition is not None:
                spec["repetition"] = repetition
            _old_experiment(connection, organization, spec)
    command.upgrade(config, "0037")
    with empty.connect() as connection:
        rows = connection.execute(text("SELECT spec FROM experiments")).scalars()
        rounds = {spec["name"]: spec["repetition"]["rounds"] for spec in rows}
    assert rounds == {"bare": 6, "quick": 6, "reference": 12, "named": 9}


def _old_experiment(connection: Connection, organization: uuid.UUID, spec: dict[str, Any]) -> None:
    connection.execute(
        text(
            "INSERT INTO experiments (id, organization_id, name, kind, spec, version, updated_at) "
            "VALUES (:id, :organization, :name, 'throughput', CAST(:spec AS jsonb), 1, now())"
        ),
        {
            "id": uuid.uuid4(),
            "organization": organization,
            "name": spec["name"],
            "spec": json.dumps(spec),
        },
    )


def test_experiments_of_before_get_slugs(empty_at: EmptyAt) -> None:
    empty = empty_at("0041")
    config = alembic_config(MIGRATIONS, url(empty))
    organizations = [uuid.uuid4(), uuid.uuid4()]
    names = ["Two paths", "two paths", "节点间吞吐", "!!", "two-paths"]
    with empty.begin() as connection:
        for organization in organizations:
            connection.execute(
                text("INSERT INTO organizations (id, name, version) VALUES (:id, 'o', 1)"),
                {"id": organization},
            )
            for second, name in enumerate(names):
                connection.execute(
                    text(
                        "INSERT INTO experiments (id, organization_id, name, kind, spec, version, "
                        "created_at, updated_at, notes) VALUES (gen_random_uuid(), :organization, "
                        ":name, 'throughput', '{}', 1, now() + :second * interval '1 second', "
                        "now(), '')"
                    ),
                    {"organization": organization, "name": name, "second": second},
                )
    command.upgrade(config, "0042")
    query = text("SELECT slug FROM experiments WHERE organization_id = :id ORDER BY created_at")
    with empty.connect() as connection:
        found = [list(connection.scalars(query, {"id": one})) for one in organizations]
    assert found == [["two-paths", "two-paths-2", "节点间吞吐", "experiment", "two-paths-3"]] * 2
    command.downgrade(config, "0041")


def test_the_revisions_are_those_that_alembic_knows(empty: Engine) -> None:
    config = alembic_config(MIGRATIONS, url(empty))
    assert present_revision(empty) is None
    migrate(MIGRATIONS, url(empty), "0013")
    assert present_revision(empty) == "0013"
    newest = ScriptDirectory.from_config(config).get_current_head()
    assert expected_revision(MIGRATIONS) == newest
    migrate(MIGRATIONS, url(empty))
    assert present_revision(empty) == newest


def test_migrating_twice_changes_nothing(empty: Engine) -> None:
    migrate(MIGRATIONS, url(empty))
    migrate(MIGRATIONS, url(empty))


def test_a_missing_folder_is_said(tmp_path: object) -> None:
    with pytest.raises(MissingSettingError, match="PODMETER_MIGRATIONS_DIR"):
        alembic_config(MIGRATIONS / "nowhere", "postgresql+psycopg://")


def test_every_row_belongs_to_an_organization() -> None:
    through_a_trial = {"measurements", "series", "invocations"}
    without = {
        name
        for name, table in Base.metadata.tables.items()
        if "organization_id" not in table.columns
    }
    # A password is a user's, whatever organizations they belong to.
    of_users = {"users", "password_resets"}
    # How long the log is kept is the installation's.
    assert without == {"organizations", "audit_retention"} | of_users | through_a_trial


def test_every_foreign_key_is_indexed() -> None:
    """Else deleting the row it points to reads the whole table."""
    missing = []
    for table in Base.metadata.tables.values():
        leading = [tuple(column.name for column in table.primary_key.columns)]
        leading += [tuple(c.name for c in index.columns) for index in table.indexes]
        leading += [
            tuple(column.name for column in constraint.columns)
            for constraint in table.constraints
            if isinstance(constraint, UniqueConstraint)
        ]
        for constraint in table.foreign_key_constraints:
            columns = tuple(column.name for column in constraint.columns)
            if not any(index[: len(columns)] == columns for index in leading):
                missing.append((table.name, columns))
    # Organizations are not deleted in the course of business.
    assert [item for item in missing if item[1] != ("organization_id",)] == []
