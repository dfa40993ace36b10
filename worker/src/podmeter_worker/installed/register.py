"""Register the cluster that this pod runs in: `python -m podmeter_worker.installed.register NAME`.

The rights are those of the manifest of `podmeter-admin rbac`, which is applied already; the
credential is the token of its account that Kubernetes keeps in a Secret, and which does not expire.
Whatever is registered so already stays as it is.
"""

from __future__ import annotations

import argparse
import base64
import json
import logging
import sys
import time
from typing import TYPE_CHECKING

from podmeter import logs
from podmeter.domain.errors import PodmeterError, PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.ports import POD_NAMESPACE
from podmeter.services.accounts.first_admin import first_admin
from podmeter.services.clusters import registry
from podmeter.services.clusters.addresses import address_policy
from podmeter.services.clusters.declared import declare
from podmeter.services.clusters.kubeconfigs import Vault
from podmeter.services.clusters.registry import Registration
from podmeter.services.errors import ConflictError
from podmeter.services.work import work_with
from podmeter.settings import MissingSettingError, Settings, get_settings
from podmeter_worker.broker import make_app
from podmeter_worker.installed.here import TLS_NAME, api_server, client_here
from podmeter_worker.kube.resources import Resource
from podmeter_worker.queue import CeleryQueue
from podmeter_worker.state import make_state

if TYPE_CHECKING:
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.state import WorkerState

logger = logging.getLogger(__name__)

SECRETS = Resource("v1", "secrets")
#: How long to wait for the controller that writes tokens, and for a run in progress.
TOKEN_SECONDS, RUN_SECONDS = 60.0, 240.0
_PAUSE_SECONDS = 1.0


def main() -> None:
    """Do it, and exit with 1 and the reason where it cannot be done."""
    parser = argparse.ArgumentParser(prog="podmeter_worker.installed.register", description=__doc__)
    parser.add_argument("name", help="what the cluster is called in Podmeter")
    parser.add_argument(
        "--secret", required=True, help=f"the token's, in namespace {POD_NAMESPACE}"
    )
    parser.add_argument("--server", help="the API server's URL, where it is not found by itself")
    parser.add_argument("--allow-mode-switch", action="store_true")
    parser.add_argument(
        "--pull-secret", help=f"that measuring pods are pulled with, in namespace {POD_NAMESPACE}"
    )
    arguments = parser.parse_args()
    try:
        settings = get_settings()
        logs.configure(settings.log_level)
        state = make_state(settings, CeleryQueue(make_app(settings.require_redis_url(), tasks=())))
        kubeconfig = _kubeconfig(settings, arguments.secret, arguments.server)
        registration = Registration(
            arguments.name,
            kubeconfig,
            allow_mode_switch=arguments.allow_mode_switch,
            image_pull_secret=arguments.pull_secret,
        )
        _register(state, registration)
    except (MissingSettingError, PodmeterError) as error:
        sys.exit(f"podmeter: {error}")


def _kubeconfig(settings: Settings, secret: str, server: str | None) -> bytes:
    with client_here() as client:
        token, authority = account_token(client, secret)
        server = server or api_server(client, authority, address_policy(settings))
    return kubeconfig_of(server, authority, token)


def account_token(
    client: KubeClient, secret: str, seconds: float = TOKEN_SECONDS
) -> tuple[str, str]:
    """The token and the authority (PEM) of a Secret, once Kubernetes has written them.

    Raises PreconditionError where it does not; ApiRefusedError without the right to read it.
    """
    until = time.monotonic() + seconds
    while True:
        found = client.find(SECRETS.path(POD_NAMESPACE, secret)) or {}
        kept = found.get("data") or {}
        try:
            token, authority = (
                base64.b64decode(kept[name]).decode("ascii") for name in ("token", "ca.crt")
            )
        except (KeyError, ValueError):  # not there, not base64, or not ASCII
            if time.monotonic() > until:
                name = f"{POD_NAMESPACE}/{secret}"
                raise PreconditionError(say("no_token", name=name, seconds=seconds)) from None
            time.sleep(_PAUSE_SECONDS)
        else:
            return token, authority


def kubeconfig_of(server: str, authority: str, token: str) -> bytes:
    """A kubeconfig, in JSON."""
    name = "podmeter"
    cluster = {
        "server": server,
        "certificate-authority-data": base64.b64encode(authority.encode()).decode(),
        "tls-server-name": TLS_NAME,
    }
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": name,
            "clusters": [{"name": name, "cluster": cluster}],
            "users": [{"name": name, "user": {"token": token}}],
            "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        }
    ).encode()


def _register(state: WorkerState, registration: Registration) -> None:
    """Wait for a run in progress if it blocks the registration."""
    vault = Vault(state.connector.keys, state.connector.policy)
    until = time.monotonic() + RUN_SECONDS
    while True:
        try:
            with work_with(state.sessions, state.queue) as work:
                principal = first_admin(work)
                if principal is None:
                    raise PreconditionError(say("no_administrator"))
                cluster, changed = declare(work, principal, vault, registration)
                if changed:
                    registry.request_preflight(work, principal, cluster.id)
        except ConflictError as error:
            if time.monotonic() > until:
                raise
            logger.info("waiting: %s", error)
            time.sleep(_PAUSE_SECONDS)
        else:
            done = "registered" if changed else "was registered so already"
            logger.info("%s %s", registration.name, done)
            return


if __name__ == "__main__":
    main()
