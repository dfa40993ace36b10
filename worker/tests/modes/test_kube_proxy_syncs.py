"""What kube-proxy does about its rules, by its metrics."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from bench.scripted.outputs import kube_proxy_metrics

from podmeter.domain.ports import CommandOutput
from podmeter_worker.modes.kube_proxy.syncs import Syncing, SyncWatch

DONE = kube_proxy_metrics(1)
FAILED = partial(kube_proxy_metrics, has_succeeded=False, seconds=100.0)
#: Before Kubernetes 1.33: its syncs are those of both IP families.
TOGETHER = partial(kube_proxy_metrics, families_apart=False, seconds=100.0)


def parse(output: CommandOutput) -> Syncing:
    """What a single look shows."""
    return SyncWatch().read(output, 0.0, 0.1)


#: curl waited for an answer in vain, and there was nobody to give one.
LATE, DOWN = (CommandOutput("", f"curl: ({code})", code, 0.0) for code in (28, 7))


def looks(*outputs: tuple[float, CommandOutput]) -> list[Syncing]:
    """What looks at these seconds show, one after the other."""
    watch = SyncWatch()
    return [watch.read(output, at, at + 0.1) for at, output in outputs]


def test_one_that_succeeded_is_done() -> None:
    assert parse(DONE) is Syncing.DONE


def test_none_that_ended_is_the_first_under_way_or_about_to_begin() -> None:
    assert parse(kube_proxy_metrics(0, has_succeeded=False)) is Syncing.FIRST


def test_one_that_ended_without_a_success_is_lost() -> None:
    assert parse(kube_proxy_metrics(1, has_succeeded=False)) is Syncing.LOST


def test_after_a_nudge_the_second_sync_is_under_way_until_it_ends() -> None:
    assert looks(
        (0, FAILED(0)),
        (101, FAILED(1)),
        (116, FAILED(1)),
        (117, FAILED(1, queued=15)),
        (200, FAILED(1, queued=15)),
        (218, FAILED(2, queued=15)),
    ) == [Syncing.FIRST, Syncing.LOST, Syncing.LOST, Syncing.FIRST, Syncing.FIRST, Syncing.LOST]


def test_a_change_in_the_middle_of_a_first_sync_that_fails_has_a_second_one_follow() -> None:
    assert looks(
        (0, FAILED(0)),
        (50, FAILED(0)),
        (51, FAILED(0, queued=50)),
        (101, FAILED(1, queued=50)),
        (190, FAILED(1, queued=50)),
        (202, FAILED(2, queued=50)),
    ) == [Syncing.FIRST] * 5 + [Syncing.LOST]


def test_what_was_queued_before_a_sync_began_is_no_cause_for_another() -> None:
    """kube-proxy queues one when it learns of its node, before it has any Service."""
    assert looks((0, FAILED(0)), (1, FAILED(0, queued=1)), (103, FAILED(1, queued=1))) == [
        Syncing.FIRST,
        Syncing.FIRST,
        Syncing.LOST,
    ]


def test_a_failed_sync_of_the_queue_is_retried_after_the_sync_period() -> None:
    assert looks(
        (0, FAILED(1)),
        (1, FAILED(1, queued=1)),
        (100, FAILED(1, queued=1)),
        (101, FAILED(2, queued=1)),
        (120, FAILED(2, queued=1)),
        (132, FAILED(2, queued=1)),
        (230, FAILED(2, queued=1)),
        (235, FAILED(3, queued=1)),
    )[3:] == [Syncing.LOST, Syncing.LOST, Syncing.FIRST, Syncing.FIRST, Syncing.LOST]


def test_one_that_writes_changes_after_its_first_sync_is_not_done_yet() -> None:
    queued = kube_proxy_metrics(1, queued=1000)
    assert looks((0, DONE), (1, queued), (2, kube_proxy_metrics(2, queued=0.1)))[:2] == [
        Syncing.DONE,
        Syncing.AGAIN,
    ]
    assert parse(queued) is Syncing.AGAIN


def test_another_process_begins_anew() -> None:
    assert looks(
        (0, FAILED(1)),
        (1, FAILED(1, queued=1)),
        (2, FAILED(1, queued=1, restarts=1)),
        (3, FAILED(0, restarts=2)),
    ) == [Syncing.LOST, Syncing.FIRST, Syncing.LOST, Syncing.FIRST]


@pytest.mark.parametrize(
    "output",
    [
        replace(DONE, exit_code=22),
        replace(DONE, stdout=DONE.stdout.removesuffix("end\n")),
        replace(DONE, stdout=DONE.stdout.replace("} 1\n", "} soon\n")),
    ],
)
def test_what_does_not_say_it_is_not_known(output: CommandOutput) -> None:
    assert parse(output) is Syncing.UNKNOWN


@pytest.mark.parametrize(
    ("before", "state"),
    [
        (FAILED(0), Syncing.FIRST),
        (kube_proxy_metrics(1, queued=1000), Syncing.AGAIN),
    ],
)
def test_one_that_was_writing_and_does_not_tell_is_still_writing(
    before: CommandOutput, state: Syncing
) -> None:
    assert looks((0, before), (10, LATE), (300, LATE), (301, before)) == [state] * 4


def test_one_that_is_down_writes_nothing() -> None:
    assert looks((0, FAILED(0)), (1, DOWN), (2, LATE), (40, LATE)) == [
        Syncing.FIRST,
        Syncing.UNKNOWN,
        Syncing.UNKNOWN,
        Syncing.SILENT,
    ]


def test_one_that_does_not_tell_for_a_while_and_several_looks_is_silent() -> None:
    assert looks((0, DONE), (40, LATE), (80, LATE), (81, DONE), (82, LATE), (83, LATE)) == [
        Syncing.DONE,
        Syncing.UNKNOWN,
        Syncing.UNKNOWN,
        Syncing.DONE,
        Syncing.UNKNOWN,
        Syncing.UNKNOWN,
    ]
    assert looks((0, LATE), (1, LATE), (2, LATE), (31, LATE))[2:] == [
        Syncing.UNKNOWN,
        Syncing.SILENT,
    ]


def test_where_families_are_counted_together_the_first_to_end_may_be_either_ones() -> None:
    assert looks(
        (0, TOGETHER(0, has_succeeded=False)),
        (100, TOGETHER(1)),
        (320, TOGETHER(1)),
        (331, TOGETHER(1)),
    ) == [Syncing.FIRST, Syncing.AGAIN, Syncing.AGAIN, Syncing.DONE]
    failed = TOGETHER(1, has_succeeded=False)
    assert looks((0, failed), (229, failed), (231, failed)) == [
        Syncing.FIRST,
        Syncing.FIRST,
        Syncing.LOST,
    ]


def test_where_families_are_counted_together_a_quick_sync_after_a_change_ends_no_other() -> None:
    """IPv6 has few Services, and ends at once what IPv4 still writes."""
    quick, changed = partial(TOGETHER, seconds=1.0), 0.1
    assert looks(
        (0, quick(9)),
        (1, quick(9, queued=changed)),
        (2, quick(10, queued=changed)),
        (48, quick(10, queued=changed)),
        (50, quick(10, queued=changed)),
    ) == [Syncing.DONE, Syncing.AGAIN, Syncing.AGAIN, Syncing.AGAIN, Syncing.DONE]


def test_many_syncs_of_families_counted_together_are_past() -> None:
    assert parse(TOGETHER(9)) is Syncing.DONE


@pytest.mark.parametrize(
    ("families_apart", "at", "syncs", "restarts", "ended"),
    [
        (True, 1, 9, 0, False),
        (True, 1, 10, 0, True),
        (True, 1, 10, 1, False),
        # It may be the other family's.
        (False, 1, 10, 0, False),
        (False, 100, 10, 0, True),
        (False, 100, 9, 0, False),
    ],
)
def test_a_sync_has_ended_since_if_the_same_process_has_counted_it(
    families_apart: bool, at: float, syncs: int, restarts: int, ended: bool
) -> None:
    watch = SyncWatch()
    assert watch.mark() is None
    metrics = partial(kube_proxy_metrics, seconds=1.0, families_apart=families_apart)
    watch.read(metrics(9), 0.0, 0.1)
    mark = watch.mark()
    assert mark is not None
    watch.read(metrics(syncs, restarts=restarts), at, at + 0.1)
    assert watch.has_synced_since(mark) is ended
