"""Runs whose client is at its limit on a real cluster: said so, and never the same.

Both arms are measured alike, so that without the limit the rates would be the same.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from podmeter.db.paging import PageRequest
from podmeter.domain import labels
from podmeter.domain.ports import POD_NAMESPACE
from podmeter.domain.run import Outcome
from podmeter.domain.trial import TrialStatus
from podmeter.kinds.limits import LimitedBy
from podmeter.services.run_results.effect_rows import effects_of
from podmeter.services.runs import read
from podmeter.services.summaries.document import RunReport
from podmeter.services.summaries.evidence import RowEvidence
from podmeter.services.summaries.report import run_report
from podmeter.services.work import work_with
from podmeter_testbed import cgroups
from podmeter_testbed.layout import CGROUP
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.resources import PODS

from .conftest import HeldStack

pytestmark = [pytest.mark.cluster, pytest.mark.services, pytest.mark.timeout(1800)]

_PERIOD_MICROSECONDS = 100_000


def ladder(concurrency: int, requests: int) -> dict[str, Any]:
    return {
        "name": f"{concurrency} requests at a time",
        "kind": "service_scale",
        "parameters": {
            "requests": requests,
            "keepalive_requests": 3000,
            "concurrency": concurrency,
        },
        "axes": {"arm": ["a", "b"], "services": [10], "target": ["last"], "probe": ["qps"]},
        "repetition": {"trials": 2, "rounds": 6, "warmup": 1},
    }


def measured(stack: HeldStack, spec: dict[str, Any]) -> RunReport:
    stack.start_worker()
    run = stack.wait_finished(stack.start_run(stack.cluster_id, spec), 1500)
    assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
    with work_with(stack.sessions, stack.queue) as work:
        return run_report(work, stack.owner, run.id)


def limits(report: RunReport) -> set[str | None]:
    return {one.limited_by for one in report.cases if one.point.get("probe") == "qps"}


def reasons(report: RunReport) -> list[tuple[str, str]]:
    """The verdicts on requests per second, with their reasons."""
    return [
        (effect.verdict, effect.reason)
        for finding in report.findings
        if isinstance(finding.evidence, RowEvidence)
        for effect in effects_of(finding.evidence.rows)
        if effect.main and effect.key.metric == "requests_per_second"
    ]


def test_one_request_at_a_time_is_said_as_limited_by_the_client(looked_at: HeldStack) -> None:
    report = measured(looked_at, ladder(1, 3000))
    assert limits(report) <= {"concurrency", "client_cpu"}
    assert reasons(report)
    assert "same" not in {verdict for verdict, _ in reasons(report)}


def test_a_client_held_to_half_a_cpu_is_said_as_limited_by_its_quota(
    looked_at: HeldStack, admin: KubeClient
) -> None:
    with half_a_cpu(admin) as held:
        # Long trials: a quota is counted by periods of a tenth of a second.
        report = measured(looked_at, ladder(50, 10_000))
    assert held
    assert limits(report) == {"client_quota"}
    assert reasons(report)
    assert "same" not in {verdict for verdict, _ in reasons(report)}
    with work_with(looked_at.sessions, looked_at.queue) as work:
        run_id, counted = report.run.run_id, TrialStatus.COUNTED
        trials = read.trials(work, looked_at.owner, run_id, None, counted, PageRequest())
    told = [one.limited_by for one in trials.items if one.limited_by is not None]
    assert told.count(LimitedBy.CLIENT_QUOTA) > len(told) / 2


@contextmanager
def half_a_cpu(admin: KubeClient) -> Iterator[set[str]]:
    """Hold each client pod of a run to half a CPU as soon as it is there; gives those held.

    By the quota of its containers' cgroups, as its node would: no pod of a run has a CPU limit.
    """
    held: set[str] = set()
    ended = threading.Event()

    def hold() -> None:
        while not ended.wait(0.1):
            with suppress(OSError):
                for pod in admin.list_all(PODS.path(POD_NAMESPACE), labels=labels.RUN).items:
                    uid = str(pod["metadata"]["uid"])
                    name = str(pod["metadata"]["name"])
                    if name.endswith("-client") and uid not in held and _limit(uid):
                        held.add(uid)

    watcher = threading.Thread(target=hold)
    watcher.start()
    try:
        yield held
    finally:
        ended.set()
        watcher.join()


def _limit(uid: str) -> bool:
    """Write the quota of a pod's containers; whether sandbox and tool were both there."""
    quota = str(_PERIOD_MICROSECONDS // 2)
    written = 0
    for folder in _containers(uid):
        if (folder / "cpu.max").exists():
            (folder / "cpu.max").write_text(f"{quota} {_PERIOD_MICROSECONDS}")
        elif (folder / "cpu.cfs_quota_us").exists():
            (folder / "cpu.cfs_period_us").write_text(str(_PERIOD_MICROSECONDS))
            (folder / "cpu.cfs_quota_us").write_text(quota)
        else:
            continue
        written += 1
    return written >= 2


def _containers(uid: str) -> list[Path]:
    """The cgroups of a pod's containers, in every hierarchy."""
    return [
        container
        for hierarchy in cgroups.hierarchies()
        for name in (uid, uid.replace("-", "_"))
        for pod in (hierarchy / CGROUP).rglob(f"*pod{name}*")
        if pod.is_dir()
        for container in pod.iterdir()
        if container.is_dir()
    ]
