"""Registering the cluster of a kubectl context with a ServiceAccount that is made for it."""

from __future__ import annotations

import base64
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from podmeter_cli.exits import CommandError, UsageError
from podmeter_cli.kubectl import Context, Kubectl, account_kubeconfig
from podmeter_cli.output import tell

if TYPE_CHECKING:
    from podmeter_cli.client import Client

_PREFLIGHT_SECONDS = 180.0
_LOOK_SECONDS = 1.0


@dataclass(frozen=True)
class RegistrationOptions:
    """How to register a cluster; what is None stays as it is registered, if it is."""

    name: str | None
    capability: str | None
    server: str | None
    certificate_authority: str | None
    image: str | None
    pull_secret: str | None
    duration: str
    renew: bool | None
    confirmed: bool


@dataclass(frozen=True)
class Registered:
    """A name, and the cluster that is registered by it; None for a new one."""

    name: str
    cluster: dict[str, Any] | None

    def capability(self) -> str:
        """The most that is allowed there: switching as its administrator said, other capabilities
        as the preflight found the rights.

        Raises UsageError where the rights do not show what was allowed.
        """
        if self.cluster is None:
            return "measure"
        if self.cluster["allow_mode_switch"]:
            return "switch_modes"
        rights = (self.cluster["capabilities"] or {"rights": {}})["rights"]
        if "host_access" not in rights:
            return "measure"
        host = rights["host_access"]
        if not host["missing"]:
            if rights["switch_modes"]["missing"]:
                return "host_access"
            # An administrator's kubeconfig has all rights, whatever Podmeter was allowed.
            raise self._unclear("the rights for switch_modes, but switching modes is not allowed")
        if host.get("partly"):
            # An older manifest lacks rights that a newer version needs, and they were allowed.
            raise self._unclear("some of the rights for host_access, and lacks others")
        return "measure"

    def _unclear(self, rights: str) -> UsageError:
        return UsageError(
            f"The kubeconfig of {self.name} in Podmeter has {rights}. Choose what Podmeter may do "
            "there: --allow measure, --allow host_access or --allow switch_modes"
        )

    @property
    def renews(self) -> bool:
        """Whether its token requests the next one."""
        return self.cluster is not None and bool(self.cluster["renew_credential"])


def add_cluster(
    client: Client, options: RegistrationOptions, kubeconfig: str | None, context_name: str | None
) -> dict[str, Any]:
    """The registered cluster, preflighted. Raises CommandError with what helps."""
    kubectl = Kubectl(kubeconfig, context_name)
    context = kubectl.context()
    server = _server(context, options)
    authority = _authority(kubectl, context, options)
    name = options.name or context.cluster.rpartition("/")[2] or context.name
    tell(f"Context {context.name}: cluster {context.cluster} at {server}")
    if context.plugin:
        tell(f"kubectl logs in with {context.plugin}; nothing of that login is sent to Podmeter.")
    kubectl.log_in()
    known = _known(client, name, kubectl.cluster_uid())
    capability = options.capability or known.capability()
    if known.cluster is not None:
        tell(_changes(known.cluster, capability))
    manifest = _manifest(client, kubectl, known, capability, options)
    _confirm(manifest, context, known, capability, confirmed=options.confirmed)
    tell(kubectl.apply(manifest).rstrip("\n"))
    token = kubectl.token(options.duration)
    kept = account_kubeconfig(context, server, authority, token)
    cluster = _register(client, options, known, kept)
    tell(f"{'Registered' if known.cluster is None else 'Updated'} {name}. Looking at it…")
    return preflighted(client, cluster["id"])


def preflighted(client: Client, cluster_id: str) -> dict[str, Any]:
    """The cluster once its preflight has ended. Raises CommandError where it takes too long."""
    client.post(f"/clusters/{cluster_id}/preflight")
    deadline = time.monotonic() + _PREFLIGHT_SECONDS
    while True:
        cluster: dict[str, Any] = client.get(f"/clusters/{cluster_id}")
        if cluster["preflight_state"] in ("succeeded", "failed"):
            return cluster
        if time.monotonic() > deadline:
            raise CommandError(
                f"The preflight of {cluster['name']} takes longer than {_PREFLIGHT_SECONDS:.0f} s. "
                f"See it later with: podmeter clusters show {cluster['name']}"
            )
        time.sleep(_LOOK_SECONDS)


def _server(context: Context, options: RegistrationOptions) -> str:
    """The API server's address for Podmeter's server. Raises UsageError where it has none."""
    if options.server:
        return options.server
    if context.proxy:
        raise UsageError(
            f"kubectl reaches {context.server} through a proxy ({context.proxy}), and Podmeter's "
            "server connects by itself. Name an address that it reaches: --server https://HOST:PORT"
        )
    if urlsplit(context.server).scheme != "https":
        raise UsageError(
            f"The context's server is {context.server}; Podmeter connects by https alone. "
            "Name the API server's address: --server https://HOST:PORT"
        )
    return context.server


def _authority(kubectl: Kubectl, context: Context, options: RegistrationOptions) -> str | None:
    if options.certificate_authority is None:
        return kubectl.authority(context)
    try:
        return base64.b64encode(Path(options.certificate_authority).read_bytes()).decode()
    except OSError as error:
        raise UsageError(f"{options.certificate_authority} cannot be read: {error}") from None


def _known(client: Client, name: str, uid: str) -> Registered:
    """The registered cluster of that name, which gets the new token.

    Raises UsageError where another cluster has the name.
    """
    found = next((one for one in client.pages("/clusters") if one["name"] == name), None)
    if found is not None and found["cluster_uid"] not in (None, uid):
        raise UsageError(
            f"{name} is another cluster, at {found['server']}. Give this one another name: "
            "podmeter clusters add NAME"
        )
    return Registered(name, found)


def _changes(cluster: dict[str, Any], capability: str) -> str:
    """What a registered cluster gets, and loses."""
    said = f"{cluster['name']} is registered: it gets a new token and the manifest {capability}."
    if cluster["allow_mode_switch"] and capability != "switch_modes":
        said += " Runs may no longer switch its modes."
    return said


def _manifest(
    client: Client,
    kubectl: Kubectl,
    known: Registered,
    capability: str,
    options: RegistrationOptions,
) -> str:
    """The manifest to apply. Raises CommandError where its policies are for another image."""
    policies = kubectl.knows_admission_policies()
    query: dict[str, str | int | bool | list[str] | None] = {
        "capability": capability,
        "admission_policy": policies,
        "default_priority": kubectl.default_priority(),
        "cluster_id": known.cluster["id"] if known.cluster else None,
        "bench_image": options.image,
        "image_pull_secret": options.pull_secret,
        "renew": known.renews if options.renew is None else options.renew,
    }
    manifest = client.text("/rbac", query)
    for wanted in (options.image, options.pull_secret):
        # Quoted, as in the expression of a policy.
        if policies and wanted and f'"{wanted}"' not in manifest:
            raise CommandError(
                f"{client.url} is older than this command: its manifest for {known.name} does not "
                f"allow {wanted}. Nothing was applied. Update the server"
            )
    return manifest


def _confirm(
    manifest: str, context: Context, known: Registered, capability: str, *, confirmed: bool
) -> None:
    """Show the manifest and ask. Raises UsageError where nobody can be asked."""
    if confirmed:
        return
    if not sys.stdin.isatty():
        of_cluster = f" --cluster {known.name}" if known.cluster else ""
        raise UsageError(
            "Nobody can be asked without a terminal. See the manifest with "
            f"`podmeter clusters manifest {capability}{of_cluster}`, and agree with --yes."
        )
    if shutil.which("less") or shutil.which("more"):
        tell("The manifest follows. Press q to leave it; you are then asked whether to apply it.")
    click.echo_via_pager(manifest)
    click.confirm(f"Apply this manifest to {context.cluster}?", abort=True, err=True)


def _register(
    client: Client, options: RegistrationOptions, known: Registered, kubeconfig: str
) -> dict[str, Any]:
    body: dict[str, Any] = {"kubeconfig": kubeconfig}
    if options.capability is not None:
        body["allow_mode_switch"] = options.capability == "switch_modes"
    if options.renew is not None:
        body["renew_credential"] = options.renew
    if options.image:
        body["bench_image"] = options.image
    if options.pull_secret:
        body["image_pull_secret"] = options.pull_secret
    try:
        if known.cluster is None:
            registered = client.post("/clusters", {"name": known.name, **body})
        else:
            there = known.cluster
            registered = client.patch(f"/clusters/{there['id']}", body, f'"{there["version"]}"')
    except CommandError as error:
        raise CommandError(
            f"{error}\nThe manifest is applied, and the cluster is not registered. If the address "
            "is not one that Podmeter's server reaches, name another: --server https://HOST:PORT",
            error.code,
        ) from None
    return dict(registered)
