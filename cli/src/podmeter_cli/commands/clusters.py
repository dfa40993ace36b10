"""`podmeter clusters`: add, list, show, preflight, limit, manifest, remove."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from podmeter_cli import measurable, planned
from podmeter_cli.context import cluster_named, with_client
from podmeter_cli.exits import ExitCode, UsageError
from podmeter_cli.limits import limit_line, read_limit
from podmeter_cli.output import (
    LIST_FORMATS,
    Format,
    Table,
    moment,
    output_option,
    print_document,
    print_table,
    print_text,
    show,
    tell,
)
from podmeter_cli.registering import RegistrationOptions, add_cluster, preflighted

if TYPE_CHECKING:
    from podmeter_cli.client import Client

CAPABILITIES = ("measure", "host_access", "switch_modes")


@click.group()
def clusters() -> None:
    """Register clusters and see what can be measured."""


@clusters.command("add")
@click.argument("name", required=False)
@click.option(
    "--context", metavar="NAME", help="A context of the kubeconfig.  [default: the current one]"
)
@click.option(
    "--kubeconfig",
    metavar="FILE",
    help="The kubeconfig to use.  [default: KUBECONFIG, or ~/.kube/config]",
)
@click.option(
    "--allow",
    "capability",
    type=click.Choice(CAPABILITIES),
    help="The most that Podmeter may do on the cluster. host_access and switch_modes amount to "
    "cluster-admin.  [default: what is allowed, or measure]",
)
@click.option(
    "--server", metavar="URL", help="The API server's address as the Podmeter server reaches it."
)
@click.option(
    "--certificate-authority",
    metavar="FILE",
    help="The certificate authority of the API server, in PEM.",
)
@click.option(
    "--image",
    metavar="REFERENCE",
    help="The image of the measuring pods.  [default: the cluster's, or BENCH_IMAGE of the server]",
)
@click.option(
    "--pull-secret", metavar="NAME", help="The Secret in Podmeter's namespaces to pull it with."
)
@click.option("--duration", default="720h", show_default=True, help="How long the token is valid.")
@click.option(
    "--renew/--no-renew",
    default=None,
    help="Let Podmeter request the next token before this one expires.  [default: as it is, or no]",
)
@click.option("-y", "--yes", is_flag=True, help="Apply the manifest without asking.")
@output_option(Format.TABLE, Format.JSON, Format.YAML)
@with_client
def add(
    client: Client,
    name: str | None,
    context: str | None,
    kubeconfig: str | None,
    capability: str | None,
    server: str | None,
    certificate_authority: str | None,
    image: str | None,
    pull_secret: str | None,
    duration: str,
    renew: bool | None,
    yes: bool,
    output: Format,
) -> int:
    """Register a cluster that your kubectl reaches.

    Shows the manifest that gives Podmeter its rights, and applies it after a yes, with your own
    kubectl context. Then makes a token of Podmeter's ServiceAccount, registers the cluster with
    it, and shows what can be measured. Your own credentials stay on this machine. Run it again to
    renew the token, or with options to change something: all else stays as it is. Exits with 3 if
    no run can start on the cluster yet, and shows what is missing.
    """
    wanted = RegistrationOptions(
        name=name,
        capability=capability,
        server=server,
        certificate_authority=certificate_authority,
        image=image,
        pull_secret=pull_secret,
        duration=duration,
        renew=renew,
        confirmed=yes,
    )
    cluster = add_cluster(client, wanted, kubeconfig, context)
    shown = _show(cluster, output)
    return _told_whether_runs_start(client, cluster) or shown


@clusters.command("list")
@click.option("-q", "--search", metavar="WORDS", help="With these words in name, tags or notes.")
@output_option(*LIST_FORMATS)
@with_client
def list_clusters(client: Client, search: str | None, output: Format) -> None:
    """List the registered clusters."""
    found = list(client.pages("/clusters", {"q": search}))
    rows = [
        (
            one["name"],
            one["server"],
            (one["capabilities"] or {}).get("kubernetes_version", ""),
            "needs restore" if one["needs_restore"] else one["preflight_state"],
            moment(one["preflighted_at"]),
        )
        for one in found
    ]
    show(output, found, Table(("name", "server", "version", "preflight", "at (UTC)"), rows))


@clusters.command("show")
@click.argument("name")
@output_option(Format.TABLE, Format.JSON, Format.YAML)
@with_client
def show_cluster(client: Client, name: str, output: Format) -> int:
    """Show what can be measured on a cluster, as its latest preflight found it."""
    return _show(cluster_named(client, name), output)


@clusters.command("preflight")
@click.argument("name")
@output_option(Format.TABLE, Format.JSON, Format.YAML)
@with_client
def preflight(client: Client, name: str, output: Format) -> int:
    """Look at a cluster now: versions, modes, room, rights. Exits with 3 where that fails."""
    return _show(preflighted(client, cluster_named(client, name)["id"]), output)


@clusters.command("limit")
@click.argument("name")
@click.option(
    "--requests",
    metavar="LIMIT",
    help="The most requests per second that a run may send, such as 2000, or none.",
)
@click.option(
    "--bandwidth",
    metavar="LIMIT",
    help="The most bits per second that a run may send, such as 500M or 1.5G, or none.",
)
@with_client
def limit(client: Client, name: str, requests: str | None, bandwidth: str | None) -> None:
    """Limit the load that runs put on a cluster. For administrators.

    Experiments that would send more, or as fast as the path allows, are refused by their plan.
    """
    given = {"max_requests_per_second": requests, "max_bandwidth_bits_per_second": bandwidth}
    change = {field: read_limit(text) for field, text in given.items() if text is not None}
    if not change:
        raise UsageError("Name a limit: --requests, --bandwidth, or both")
    found = cluster_named(client, name)
    changed = client.patch(f"/clusters/{found['id']}", change, f'"{found["version"]}"')
    print_text(f"{changed['name']}:")
    print_text(limit_line(changed))


@clusters.command("manifest")
@click.argument("capability", type=click.Choice(CAPABILITIES), default="measure")
@click.option(
    "-c", "--cluster", metavar="NAME", help="A registered cluster, whose image pods are held to."
)
@click.option(
    "--image",
    metavar="REFERENCE",
    help="The image that pods are held to.  [default: the cluster's, or BENCH_IMAGE of the server]",
)
@click.option(
    "--pull-secret", metavar="NAME", help="The Secret that its nodes pull the image with."
)
@click.option("--no-admission-policy", is_flag=True, help="For Kubernetes 1.28 and 1.29.")
@click.option(
    "--default-priority", type=int, default=0, metavar="VALUE", help="Of the default PriorityClass."
)
@click.option(
    "--renew", is_flag=True, help="Let Podmeter request the next token before this one expires."
)
@with_client
def manifest(
    client: Client,
    capability: str,
    cluster: str | None,
    image: str | None,
    pull_secret: str | None,
    no_admission_policy: bool,
    default_priority: int,
    renew: bool,
) -> None:
    """Print the manifest that a cluster's owner applies.

    CAPABILITY is the most that Podmeter may do there: measure, host_access or switch_modes. The
    manifest's head says what each amounts to.
    """
    query = {
        "capability": capability,
        "cluster_id": cluster_named(client, cluster)["id"] if cluster else None,
        "bench_image": image,
        "image_pull_secret": pull_secret,
        "admission_policy": not no_admission_policy,
        "default_priority": default_priority,
        "renew": renew,
    }
    print_text(client.text("/rbac", query).rstrip("\n"))


@clusters.command("remove")
@click.argument("name")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@with_client
def remove(client: Client, name: str, yes: bool) -> None:
    """Forget a cluster and its token; its runs stay.

    What was applied to the cluster stays too: kubectl delete namespace podmeter podmeter-host.
    """
    found = cluster_named(client, name)
    if not yes:
        click.confirm(f"Forget the cluster {found['name']}?", abort=True, err=True)
    client.delete(f"/clusters/{found['id']}", f'"{found["version"]}"')
    print_text(f"Removed {found['name']}.")


def _told_whether_runs_start(client: Client, cluster: dict[str, Any]) -> int:
    """Say what keeps every run from starting, and with which command it is removed."""
    # Every kind needs what this one does; cases that the cluster cannot measure are left out.
    probe = {"name": "any run", "kind": "throughput"}
    found = client.post("/experiments/plan", probe, {"cluster_id": cluster["id"]})
    against = {**found, "obstacles": planned.obstacles(found, "refused", "uncertain")}
    if not against["obstacles"]:
        tell(f"Runs can start on {cluster['name']}: podmeter run SPEC --cluster {cluster['name']}")
        return ExitCode.FINE
    tell(f"No run can start on {cluster['name']} yet:")
    for line in planned.obstacle_lines(against):
        tell(f"  {line}")
    return ExitCode.FAILED


def _show(cluster: dict[str, Any], output: Format) -> int:
    if output is Format.TABLE:
        for line in measurable.lines(cluster):
            print_text(line)
        table = measurable.modes(cluster)
        if table.rows:
            print_text("")
            print_table(table)
    else:
        print_document(output, cluster)
    return ExitCode.FAILED if cluster["preflight_state"] == "failed" else ExitCode.FINE
