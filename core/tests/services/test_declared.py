"""A cluster that an installation declares, at each of its upgrades."""

from datetime import timedelta

import pytest

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.credentials.key_ring import KeyRing, generate_key
from podmeter.db.base import now
from podmeter.db.models import Membership, PreflightState, Role, User
from podmeter.services.accounts.first_admin import first_admin
from podmeter.services.accounts.principal import Principal
from podmeter.services.clusters import kubeconfigs
from podmeter.services.clusters.declared import declare
from podmeter.services.clusters.kubeconfigs import Vault
from podmeter.services.clusters.registry import Registration
from podmeter.services.errors import ConflictError
from podmeter.services.execution import claiming
from podmeter.services.experiments import library
from podmeter.services.runs.start import start
from podmeter.services.work import Work

from .builders import SPEC, kubeconfig, make_principal

pytestmark = pytest.mark.services

SERVER = "https://203.0.113.7:6443"


@pytest.fixture
def vault() -> Vault:
    return Vault(KeyRing.parse(generate_key()), AddressPolicy())


def registration(
    token: str = "t" * 40, *, switch: bool = False, secret: str | None = None
) -> Registration:
    return Registration(
        "this-cluster",
        kubeconfig(SERVER, token),
        allow_mode_switch=switch,
        image_pull_secret=secret,
    )


def test_it_is_registered_once(work: Work, owner: Principal, vault: Vault) -> None:
    made, changed = declare(work, owner, vault, registration())
    assert changed
    assert made.server == SERVER
    made.preflight_state = PreflightState.SUCCEEDED
    again, changed = declare(work, owner, vault, registration())
    assert (again.id, changed) == (made.id, False)
    assert again.preflight_state is PreflightState.SUCCEEDED


def test_another_credential_replaces_it(work: Work, owner: Principal, vault: Vault) -> None:
    made, _ = declare(work, owner, vault, registration())
    again, changed = declare(work, owner, vault, registration("u" * 40))
    assert (again.id, changed) == (made.id, True)
    found = kubeconfigs.stored_kubeconfig(work, owner.organization_id, made.id, vault.keys)
    assert found.fields["token"] == "u" * 40


def test_what_may_be_switched_follows_what_is_said(
    work: Work, owner: Principal, vault: Vault
) -> None:
    made, _ = declare(work, owner, vault, registration())
    assert not made.allow_mode_switch
    again, changed = declare(work, owner, vault, registration(switch=True))
    assert (again.allow_mode_switch, changed) == (True, True)


def test_a_pull_secret_follows_what_is_said_and_stays_where_none_is(
    work: Work, owner: Principal, vault: Vault
) -> None:
    made, _ = declare(work, owner, vault, registration())
    assert made.image_pull_secret is None
    again, changed = declare(work, owner, vault, registration(secret="registry-login"))
    assert (again.image_pull_secret, changed) == ("registry-login", True)
    again, changed = declare(work, owner, vault, registration())
    assert (again.image_pull_secret, changed) == ("registry-login", False)


def test_a_key_that_is_lost_is_mended(work: Work, owner: Principal, vault: Vault) -> None:
    made, _ = declare(work, owner, vault, registration())
    other = Vault(KeyRing.parse(generate_key()), vault.policy)
    again, changed = declare(work, owner, other, registration())
    assert (again.id, changed) == (made.id, True)
    assert kubeconfigs.stored_kubeconfig(work, owner.organization_id, made.id, other.keys).fields


def test_under_a_run_the_same_is_no_obstacle_and_another_is(
    work: Work, owner: Principal, vault: Vault
) -> None:
    made, _ = declare(work, owner, vault, registration())
    made.cluster_uid, made.preflighted_at = "u", now()
    experiment = library.create(work, owner, SPEC)
    run = start(work, owner, experiment.id, made.id)
    assert claiming.claim(work, owner.organization_id, run.id, "a worker", timedelta(minutes=1))
    assert declare(work, owner, vault, registration()) == (made, False)
    with pytest.raises(ConflictError):
        declare(work, owner, vault, registration("u" * 40))


def test_it_is_done_for_the_oldest_administrator_who_may_log_in(
    work: Work, owner: Principal
) -> None:
    make_principal(work.session, "theirs", Role.VIEWER)
    later = make_principal(work.session, "others")
    # A transaction has one moment for all that is made in it.
    member = work.session.get_one(Membership, (later.organization_id, later.user_id))
    member.created_at = now() + timedelta(days=1)
    work.session.flush()
    assert first_admin(work) == owner
    work.session.get_one(User, owner.user_id).disabled_at = now() - timedelta(days=1)
    assert first_admin(work) == later
    work.session.get_one(User, later.user_id).disabled_at = now()
    assert first_admin(work) is None
