"""Invitations, resets, sign-ons, links, tokens in any order: nobody gets what is another person's.

Known ways in are played each time, and others as the machine finds them (`identity_machine`).
"""

from dataclasses import replace
from typing import Any

import pytest
from core.tests.sampling import takes_all
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from podmeter.credentials.passwords import Passwords
from podmeter.db.session import Sessions
from podmeter.services.sign_on.configuration import configuration
from podmeter.settings import Settings
from podmeter_api.app import create_app
from podmeter_api.state import make_state

from .conftest import ORIGIN, RememberingQueue
from .identity_machine import OURS, PASSWORDS, THEIRS, People, PlayedSignOn

pytestmark = [pytest.mark.services, pytest.mark.timeout(1800)]


@pytest.fixture
def machine(
    settings: Settings, sessions: Sessions, queue: RememberingQueue, passwords: Passwords
) -> Any:
    """The machine's class, with an installation behind it."""
    made = make_state(settings.model_copy(update={"login_attempts": 1_000_000}), queue, passwords)
    configured = configuration(settings)
    assert configured is not None
    played: Any = PlayedSignOn(configured)
    state = replace(made, sign_on=played)
    with TestClient(create_app(state=state), base_url=ORIGIN) as api:
        yield type("Played", (People,), {"api": api, "state": state, "sign_on": played})
    state.redis.flushdb()
    state.close()


Step = tuple[Any, ...]
#: Who is who among the people of the machine.
ROOT, BOSS, ANN, EVE = range(4)
_SQUAT: list[Step] = [("invite", True, BOSS, "admin"), ("accept", -1, PASSWORDS[1])]
_SIGN_ON: Step = ("sign_in", BOSS, 0, False, BOSS)
_NEW_ACCOUNT: Step = ("sign_in", BOSS, 0, True, BOSS)
_EVERY_SWITCH: list[Step] = [("switch", number, OURS) for number in range(5)]
#: Ways in that were found, or might be: what is done, one after the other.
WAYS: dict[str, list[Step]] = {
    "an account of the address": [*_SQUAT, _SIGN_ON, *_EVERY_SWITCH],
    "set aside": [*_SQUAT, _NEW_ACCOUNT, *_EVERY_SWITCH, ("log_in", 1)],
    "confirmed by mistake": [*_SQUAT, ("confirm", 0), _SIGN_ON, *_EVERY_SWITCH],
    "a token, and a reset, of before": [
        *_SQUAT,
        ("make_token", 2),
        ("make_reset", True, 1, False),
        ("confirm", 0),
        _SIGN_ON,
        ("use_reset", 0, PASSWORDS[2]),
        *_EVERY_SWITCH,
    ],
    "a password that she told": [
        *_SQUAT,
        ("tell_password", 0),
        ("invite", False, BOSS, "viewer"),
        ("accept", -1, PASSWORDS[2]),
        *_EVERY_SWITCH,
        # The account stays in her organization too, which he may see.
        *[("switch", number, THEIRS) for number in range(5)],
        ("log_in", 1),
    ],
    "before he comes back": [
        *_SQUAT,
        ("confirm", 0),
        _SIGN_ON,
        ("change_groups", BOSS),
        _SIGN_ON,
        ("make_reset", True, 1, False),
        ("use_reset", 0, PASSWORDS[2]),
        ("change_groups", BOSS),
        _SIGN_ON,
        *_EVERY_SWITCH,
    ],
    "removed and invited again": [
        *_SQUAT,
        ("put_out", True, 1, True),
        ("invite", True, BOSS, "admin"),
        _NEW_ACCOUNT,
        ("accept", -1, PASSWORDS[1]),
        *_EVERY_SWITCH,
    ],
}


@pytest.mark.parametrize("way", WAYS)
def test_ways_in(machine: type[People], way: str) -> None:
    played = machine()
    played.begin(EVE, False)
    for name, *arguments in WAYS[way]:
        if name != "use_reset" or any(one.account for one in played.links):
            getattr(played, name)(*arguments)
        played.nobody_has_what_is_anothers()
    played.teardown()


def test_nobody_ever_has_what_is_another_persons(machine: type[People]) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=200 if takes_all() else 6,
            stateful_step_count=30 if takes_all() else 15,
            # Shrinking takes minutes: print the original steps at once.
            phases=tuple(Phase) if takes_all() else (Phase.generate,),
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
