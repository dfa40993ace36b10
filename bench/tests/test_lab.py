"""The lab in memory, where its own tests and those of the runner need more than the kinds do."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from bench.scripted.lab import FakeLab

from podmeter.domain.ports import Access, CommandOutput, ExecTarget, PodRequest
from podmeter.drivers import qperf


def test_commands_of_several_threads_are_answered_each_at_its_own_place() -> None:
    """As the runner asks nodes what they have left while a trial runs."""
    both = Barrier(2, timeout=30)

    class Meeting(FakeLab):
        def _identity(self, argv: Sequence[str]) -> CommandOutput:
            both.wait()
            return super()._identity(argv)

    lab = Meeting()
    places = lab.start_pods([PodRequest(name, "n1", Access.POD, ()) for name in ("a", "b")])

    def host_name(place: ExecTarget) -> str:
        return lab.execute(place, qperf.identity_argv(7000), timeout_seconds=1).stdout

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(host_name, places)) == ["a\n", "b\n"]


def test_a_command_without_an_answer_says_where_to_add_one() -> None:
    lab = FakeLab()
    (place,) = lab.start_pods([PodRequest("a", "n1", Access.POD, ())])
    with pytest.raises(AssertionError, match=r"add a method _netperf to Tools \(bench/scripted/"):
        lab.execute(place, ["netperf", "-H", "10.244.0.3"], timeout_seconds=1)
