"""Stop the workers of this installation, and see that no cluster is left switched.

`python -m podmeter_worker.installed.drain NAMESPACE DEPLOYMENT`, before an installation is removed
with the permissions to restore modes. A worker that is asked to end stops its runs and restores
what they switched; their results are kept, and the runs can be resumed.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from typing import TYPE_CHECKING

from sqlalchemy.exc import SQLAlchemyError

from podmeter import logs
from podmeter.db.repositories.clusters import left_switched
from podmeter.db.session import make_engine, make_sessions
from podmeter.domain.errors import PodmeterError, PreconditionError
from podmeter.domain.messages import say
from podmeter.settings import MissingSettingError, get_settings
from podmeter_worker.installed.here import client_here
from podmeter_worker.kube.resources import PODS, Resource

if TYPE_CHECKING:
    from collections.abc import Callable

    from podmeter.db.session import Sessions
    from podmeter_worker.kube.client import KubeClient

logger = logging.getLogger(__name__)

DEPLOYMENTS = Resource("apps/v1", "deployments")
#: A worker ends within 130 s of the request; upkeep restores what it left.
PODS_SECONDS, RESTORED_SECONDS = 180.0, 180.0
_PAUSE_SECONDS = 1.0


def main() -> None:
    """Do it, and exit with 1 and the reason where a cluster is left switched."""
    parser = argparse.ArgumentParser(prog="podmeter_worker.installed.drain", description=__doc__)
    parser.add_argument("namespace")
    parser.add_argument("deployment", help="of the workers")
    arguments = parser.parse_args()
    try:
        settings = get_settings()
        logs.configure(settings.log_level)
        engine = make_engine(settings.require_database_url(), pool_size=1)
        with client_here() as client:
            stop_workers(client, arguments.namespace, arguments.deployment)
        await_restored(make_sessions(engine))
    except (MissingSettingError, PodmeterError, SQLAlchemyError) as error:
        sys.exit(f"podmeter: {error}")


def stop_workers(
    client: KubeClient, namespace: str, deployment: str, seconds: float = PODS_SECONDS
) -> None:
    """Have a Deployment have no pods; returns once the last one is gone.

    Raises PreconditionError where one stays.
    """
    path = DEPLOYMENTS.path(namespace, deployment)
    found = client.find(path)
    if found is None:
        return
    client.patch(DEPLOYMENTS.path(namespace, deployment, "scale"), {"spec": {"replicas": 0}})
    wanted = found["spec"]["selector"]["matchLabels"]
    selector = ",".join(f"{name}={value}" for name, value in wanted.items())

    def left() -> list[str]:
        pods = client.list_all(PODS.path(namespace), labels=selector).items
        return sorted(pod["metadata"]["name"] for pod in pods)

    logger.info("waiting for the workers to end their runs and to restore modes")
    if pods := _none_left(left, seconds):
        raise PreconditionError(say("workers_left", pods=pods))


def await_restored(sessions: Sessions, seconds: float = RESTORED_SECONDS) -> None:
    """Return once no cluster is left switched. Raises PreconditionError that names the others."""

    def left() -> list[str]:
        with sessions() as session:
            return left_switched(session)

    if clusters := _none_left(left, seconds):
        raise PreconditionError(say("clusters_left_switched", clusters=clusters))


def _none_left(left: Callable[[], list[str]], seconds: float) -> list[str]:
    until = time.monotonic() + seconds
    while found := left():
        if time.monotonic() > until:
            break
        time.sleep(_PAUSE_SECONDS)
    return found


if __name__ == "__main__":
    main()
