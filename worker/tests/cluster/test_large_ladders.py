"""A ladder of 2,000 Services on a real cluster: however its run ends, nothing of it is left.

Minutes each: `make test-full` runs them, and so does
`.bin/pytest -m "cluster and full" worker/tests/cluster/test_large_ladders.py` on a running testbed.
"""

import os
import signal
import subprocess
import time
import uuid
from collections.abc import Callable

import pytest

from podmeter.db.models import Trial
from podmeter.domain.ports import POD_NAMESPACE
from podmeter.domain.run import Outcome
from podmeter.domain.trial import TrialStatus
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.errors import ApiRefusedError, ApiUnavailableError
from podmeter_worker.kube.resources import ENDPOINT_SLICES, SERVICES

from .conftest import HeldStack
from .processes import process_of
from .specs import CLIMBED

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.services,
    pytest.mark.full,
    pytest.mark.timeout(2400),
]

COUNT = 2000
#: Two blocks on one rung: the first creates all of them, the second finds them.
LARGE = {
    **CLIMBED,
    "name": "a ladder of 2,000 Services",
    "axes": {
        "kube_proxy_mode": ["iptables", "nftables"],
        "services": [COUNT],
        "target": ["last"],
        "probe": ["qps"],
    },
    "repetition": {"trials": 1, "rounds": 1, "warmup": 0},
}
#: The testbed's API server deletes about as many a second as it creates, 35: a minute; then each
#: node writes its rules without them, and two nodes get their mode back.
CLEANED_WITHIN = 300


@pytest.fixture
def objects_left(admin: KubeClient) -> Callable[[], int]:
    """How many Services and EndpointSlices are left of all runs."""

    def count() -> int:
        kinds = (SERVICES, ENDPOINT_SLICES)
        return sum(len(admin.list_all(kind.path(POD_NAMESPACE)).items) for kind in kinds)

    return count


@pytest.fixture
def nothing_of_it(
    proxy_mode: Callable[[], str],
    left_behind: Callable[[], list[str]],
    objects_left: Callable[[], int],
) -> Callable[[], bool]:
    """Whether the cluster is as it was before the run."""
    before, objects = proxy_mode(), objects_left()
    return lambda: left_behind() == [] and objects_left() == objects and proxy_mode() == before


def at_the_top(
    stack: HeldStack, objects_left: Callable[[], int], *, rounds: int = 1
) -> tuple[uuid.UUID, subprocess.Popen[bytes]]:
    """A run whose second block has found all Services, and its worker, which waits there."""
    stack.hold_at("standing")
    repetition = {"trials": 1, "rounds": rounds, "warmup": 0}
    run_id = stack.start_run(stack.cluster_id, {**LARGE, "repetition": repetition})
    worker = stack.start_worker()
    stack.wait(stack.is_held, "the second block finds the first one's Services", 900)
    assert objects_left() >= 2 * COUNT
    return run_id, worker


def test_a_run_that_succeeds_leaves_none_of_2000_services(
    looked_at: HeldStack, nothing_of_it: Callable[[], bool]
) -> None:
    looked_at.start_worker()
    run_id = looked_at.start_run(looked_at.cluster_id, LARGE)
    run = looked_at.wait_finished(run_id, 1500)
    assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
    trials = looked_at.not_void(run_id)
    assert [one.status for one in trials] == [TrialStatus.COUNTED] * 2
    # The second block found the Services that the first one created: it only looks at them.
    found, created = sorted(seconds_to_rung(one) for one in trials)
    assert found < created / 4, (found, created)
    assert nothing_of_it()


def test_a_run_that_is_cancelled_leaves_none_of_2000_services(
    looked_at: HeldStack, nothing_of_it: Callable[[], bool], objects_left: Callable[[], int]
) -> None:
    # More rounds than end before the worker hears of it: it asks now and then.
    run_id, _ = at_the_top(looked_at, objects_left, rounds=10)
    looked_at.cancel(run_id)
    looked_at.release_lease()
    run = looked_at.wait_finished(run_id, CLEANED_WITHIN)
    assert run.outcome is Outcome.CANCELLED, run.reason
    assert nothing_of_it()


def test_a_worker_that_is_killed_leaves_none_of_2000_services_to_the_next(
    looked_at: HeldStack, nothing_of_it: Callable[[], bool], objects_left: Callable[[], int]
) -> None:
    run_id, worker = at_the_top(looked_at, objects_left)
    looked_at.kill(worker)
    looked_at.release_lease()
    # Within as long as it waits, CLEANED_WITHIN.
    looked_at.take_over(run_id, nothing_of_it)
    assert looked_at.run(run_id).outcome is Outcome.INTERRUPTED
    assert not looked_at.cluster(looked_at.cluster_id).needs_restore


def test_a_run_outlives_an_api_server_that_restarts_and_leaves_none_of_2000_services(
    looked_at: HeldStack,
    admin: KubeClient,
    nothing_of_it: Callable[[], bool],
    objects_left: Callable[[], int],
) -> None:
    """The testbed starts it again when it ends; it reads all Services again."""
    run_id, _ = at_the_top(looked_at, objects_left)
    killed = process_of("kube-apiserver")
    os.kill(killed, signal.SIGKILL)
    looked_at.release_lease()
    looked_at.wait(lambda: answers(admin, killed), "the API server is back", 120)
    begun = time.monotonic()
    run = looked_at.wait_finished(run_id, 900)
    # What ran at that moment may have failed; what comes after it does not.
    assert run.outcome in (Outcome.SUCCEEDED, Outcome.PARTIAL), run.reason
    assert nothing_of_it(), f"{time.monotonic() - begun:.0f} s after it was back"


def seconds_to_rung(trial: Trial) -> float:
    """How long the cluster took until all Services of the trial's rung stood."""
    return float(trial.facts.get("way_to_rung", "0 s").removesuffix(" s"))


def answers(admin: KubeClient, killed: int) -> bool:
    """Whether an API server answers that is not the killed process."""
    try:
        if process_of("kube-apiserver") == killed:
            return False
        admin.list_all(SERVICES.path(POD_NAMESPACE))
    except (AssertionError, ApiRefusedError, ApiUnavailableError):
        return False
    return True
