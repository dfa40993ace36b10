"""Whatever a cluster says is stored: a message with a NUL in it is no reason to lose it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.orm import Session

from podmeter.db.models import Organization, PreflightState
from podmeter.db.repositories.clusters import ClusterRepository
from podmeter.db.session import Sessions
from podmeter.db.storable import storable, storable_json
from podmeter.domain.cluster_report import ClusterReport
from podmeter.domain.messages import Message
from podmeter.domain.real_cluster import RealCluster
from podmeter.services.execution import preflights
from podmeter.services.work import Work

from .builders import add_cluster, add_organization

ODD = 'a\x00b \ud800 \udcff ü 𝄞 "\\u0000'
STORED = 'a\ufffdb \ufffd \ufffd ü 𝄞 "\\u0000'
any_text = st.text(st.characters())  # half surrogate pairs and NUL among them
documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text,
    lambda inner: st.lists(inner) | st.dictionaries(any_text, inner),
)


def test_what_cannot_be_stored_is_replaced() -> None:
    assert storable(ODD) == STORED
    assert storable("plain") == "plain"


@given(any_text)
def test_any_text_becomes_storable(text: str) -> None:
    found = storable(text)
    assert "\x00" not in found
    found.encode()
    assert storable(found) == found


@given(documents)
def test_any_document_becomes_storable(document: Any) -> None:
    written = storable_json(document)
    written.encode()
    read = json.loads(written, parse_constant=pytest.fail)
    assert storable_json(read) == written


@pytest.mark.services
def test_a_preflight_ends_whatever_the_cluster_says(sessions: Sessions) -> None:
    with sessions() as session:
        organization = add_organization(session, "odd")
        cluster = add_cluster(session, organization)
        session.commit()
        work = Work(session)
        cluster.preflight_state = PreflightState.QUEUED
        asked = preflights.begin(work, organization.id, cluster.id)
        assert asked is not None
        session.commit()
        preflights.fail(work, organization.id, asked, ODD)
        session.commit()
        session.refresh(cluster)
        assert cluster.preflight_state is PreflightState.FAILED
        assert cluster.preflight_error == STORED
        report = ClusterReport(kubernetes_version=ODD, nodes=[], rights={}, not_looked_at=ODD)
        preflights.succeed(work, organization.id, asked, RealCluster("uid"), report, None)
        session.commit()
        session.refresh(cluster)
        assert cluster.preflight_state is PreflightState.SUCCEEDED
        assert cluster.capabilities is not None
        assert cluster.capabilities["kubernetes_version"] == STORED
        assert Message.read(cluster.capabilities["not_looked_at"]) == STORED


@pytest.mark.services
def test_needs_restore_is_set_whatever_the_reason(
    session: Session, organization: Organization
) -> None:
    cluster = add_cluster(session, organization, cluster_uid="odd-uid")
    clusters = ClusterRepository(session, organization.id)
    clusters.flag_restore(cluster.id, ODD)
    session.refresh(cluster)
    assert cluster.needs_restore
    assert cluster.needs_restore_reason == STORED
