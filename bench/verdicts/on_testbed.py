"""A stack of a bench's own on the testbed, and the testbed as its cluster."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from bench import testbed
from bench.row import PROJECT
from bench.stack import OwnStack
from podmeter.demo import cluster
from podmeter.demo.api import Api, DemoError
from podmeter.demo.credentials import Kubectl, service_account_kubeconfig
from podmeter.stack.process import wait_until
from podmeter.version import BENCH_IMAGE

FOLDER = PROJECT / ".podmeter" / "verdicts"


@contextmanager
def own_stack() -> Iterator[Api]:
    """A stack of its own. One that a killed command left is ended and taken up: it knows what of
    the cluster needs restore.
    """
    if not testbed.is_up():
        # What was left belongs to a testbed that is gone.
        shutil.rmtree(FOLDER, ignore_errors=True)
    settings = {"BENCH_IMAGE": BENCH_IMAGE}
    with OwnStack(FOLDER, settings) as stack:
        _end_runs(stack.api)
        try:
            yield stack.api
        finally:
            _end_runs(stack.api)
    shutil.rmtree(FOLDER, ignore_errors=True)


def _end_runs(api: Api) -> None:
    """Cancel all runs, and wait until all modes are restored. Raises DemoError."""
    for run in api.all("/runs"):
        if run["state"] != "finished" and run["cancel_requested_at"] is None:
            api.post(f"/runs/{run['id']}/cancel")
    _settled(api)


def _settled(api: Api) -> None:
    """Wait until all runs have ended and all modes are restored. Raises DemoError."""

    def is_settled() -> bool:
        restored = not any(one["needs_restore"] for one in api.all("/clusters"))
        return restored and all(run["state"] == "finished" for run in api.all("/runs"))

    if not wait_until(is_settled, 300):
        raise DemoError("the testbed was not put right within 300 s")


def registered(api: Api) -> str:
    """The id of the testbed as a cluster of this stack, whose modes may be switched."""
    manifest = api.text("/rbac", capability="switch_modes")
    name, kubeconfig = service_account_kubeconfig(Kubectl(" ".join(testbed.KUBECTL)), manifest)
    return str(cluster.register(api, name, kubeconfig, allow_mode_switch=True)["id"])
