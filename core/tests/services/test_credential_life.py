"""A run starts only with credentials that outlive it."""

from datetime import UTC, datetime, timedelta

import pytest

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.credentials.kubeconfig import sanitize
from podmeter.db.base import now
from podmeter.db.models import Trial
from podmeter.db.repositories.runs import RunRepository
from podmeter.domain.run import CaseStatus
from podmeter.domain.trial import TrialStatus
from podmeter.services.accounts.principal import Principal
from podmeter.services.errors import ConflictError, ObstacleError
from podmeter.services.experiments import library
from podmeter.services.experiments.plan import plan_document
from podmeter.services.runs.credential_life import credentials_too_short
from podmeter.services.runs.start import start
from podmeter.services.work import Work

from .builders import AXES, SPEC, jwt, kubeconfig, make_cluster

pytestmark = pytest.mark.services
#: 2 modes and 2 paths, 4 trials of 60 s each, 2 switches and one back: some 19 min.
SWITCHING = {
    **SPEC,
    "axes": {**AXES, "kube_proxy_mode": ["iptables", "nftables"]},
    "repetition": {"trials": 3, "warmup": 1, "seconds": 60, "rounds": 1},
}


def test_credentials_that_expire_under_way_refuse_the_run(work: Work, owner: Principal) -> None:
    experiment = library.create(work, owner, SWITCHING)
    expires = now() + timedelta(seconds=90)
    cluster = make_cluster(
        work.session, owner, "u", allow_mode_switch=True, credential_expires_at=expires, name="c"
    )
    with pytest.raises(ObstacleError) as refused:
        start(work, owner, experiment.id, cluster.id)
    (obstacle,) = refused.value.obstacles
    assert obstacle.code == "credential_too_short"
    said = obstacle.cause
    assert said.params["cluster"] == "c"
    assert said.params["expires"] == f"{expires:%Y-%m-%d %H:%M}"
    assert (said.params["left"], said.params["margin"]) == (1, 10)
    planned = said.params["planned"]
    assert isinstance(planned, int)
    assert 19 <= planned <= 25
    # The plan alone is not enough, the plan and the margin are.
    cluster.credential_expires_at = now() + timedelta(minutes=planned + 5)
    with pytest.raises(ConflictError, match="needs 10 min more"):
        start(work, owner, experiment.id, cluster.id)
    cluster.credential_expires_at = now() + timedelta(minutes=planned + 11)
    assert start(work, owner, experiment.id, cluster.id)


def test_a_long_run_wants_a_longer_margin(work: Work, owner: Principal) -> None:
    spec = {**SWITCHING, "repetition": {**SWITCHING["repetition"], "seconds": 3600}}  # type: ignore[dict-item]
    experiment = library.create(work, owner, spec)
    cluster = make_cluster(work.session, owner, "u", allow_mode_switch=True)
    cluster.credential_expires_at = now() + timedelta(hours=16, minutes=40)
    with pytest.raises(ObstacleError, match="credentials") as refused:
        start(work, owner, experiment.id, cluster.id)
    margin = refused.value.obstacles[0].cause.params["margin"]
    assert isinstance(margin, int)
    assert margin > 120
    cluster.credential_expires_at = now() + timedelta(hours=24)
    assert start(work, owner, experiment.id, cluster.id)


def test_credentials_that_do_not_say_are_taken_to_last(work: Work, owner: Principal) -> None:
    experiment = library.create(work, owner, SPEC)
    cluster = make_cluster(work.session, owner, "u", credential_expires_at=None)
    assert start(work, owner, experiment.id, cluster.id)


def test_when_a_token_expires_is_read_from_it() -> None:
    moment = datetime.now(UTC).replace(microsecond=0)
    expires = moment + timedelta(minutes=20)
    raw = kubeconfig("https://203.0.113.1", jwt(exp=expires.timestamp()))
    kept = sanitize(raw, now=moment, policy=AddressPolicy.of([]))
    assert (kept.expires_at, kept.expires_what) == (expires, "token")


def test_what_is_left_of_a_run_decides(work: Work, owner: Principal) -> None:
    spec = {**SPEC, "repetition": {"trials": 2, "warmup": 1, "seconds": 600, "rounds": 1}}
    experiment = library.create(work, owner, spec)
    cluster = make_cluster(work.session, owner, "u")
    run = start(work, owner, experiment.id, cluster.id)
    # An hour of two cases; then half an hour of one.
    cluster.credential_expires_at = now() + timedelta(minutes=50)
    (why,) = credentials_too_short(work, run, plan_document(spec))
    assert "takes about 6" in why
    runs = RunRepository(work.session, owner.organization_id)
    block, case = runs.blocks(run.id)[0], runs.all_cases(run.id)[0]
    for number in (1, 2):
        work.session.add(
            Trial(
                organization_id=owner.organization_id,
                run_id=run.id,
                case_id=case.id,
                block_id=block.id,
                round=1,
                number=number,
                warmup=False,
                attempt=1,
                status=TrialStatus.COUNTED,
                seconds=600.0,
                tool_seconds=600.0,
                started_at=now(),
            )
        )
    work.session.flush()
    assert credentials_too_short(work, run, plan_document(spec)) == []


def test_a_slow_cluster_wants_credentials_that_last_longer(work: Work, owner: Principal) -> None:
    spec = {**SPEC, "repetition": {"trials": 1, "warmup": 0, "seconds": 60, "rounds": 3}}
    experiment = library.create(work, owner, spec)
    cluster = make_cluster(work.session, owner, "u")
    cluster.credential_expires_at = now() + timedelta(minutes=60)
    run = start(work, owner, experiment.id, cluster.id)
    run.started_at = now()
    for block in RunRepository(work.session, owner.organization_id).blocks(run.id):
        block.status, block.started_at = CaseStatus.SUCCEEDED, now()
        block.ended_at = now() + timedelta(hours=1)
    work.session.flush()
    with pytest.raises(ConflictError, match="credentials"):
        start(work, owner, experiment.id, cluster.id)
    assert len(credentials_too_short(work, run, plan_document(spec))) == 1
    cluster.credential_expires_at = now() + timedelta(hours=4)
    assert start(work, owner, experiment.id, cluster.id)
