"""What kube-proxy does about its rules, by its metrics."""

from __future__ import annotations

from dataclasses import replace

import pytest
from bench.scripted.outputs import kube_proxy_metrics

from podmeter.domain.ports import CommandOutput
from podmeter_worker.modes.kube_proxy.syncs import Syncing, parse

DONE = kube_proxy_metrics(1)


def test_one_that_succeeded_is_done() -> None:
    assert parse(DONE) is Syncing.DONE


def test_none_that_ended_is_the_first_under_way_or_about_to_begin() -> None:
    assert parse(kube_proxy_metrics(0, has_succeeded=False)) is Syncing.FIRST


def test_one_that_ended_without_a_success_is_lost() -> None:
    assert parse(kube_proxy_metrics(1, has_succeeded=False)) is Syncing.LOST


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
