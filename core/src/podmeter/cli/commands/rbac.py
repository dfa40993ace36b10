"""What Podmeter may do in a cluster."""

from __future__ import annotations

import argparse
import sys

from podmeter.cli.terminal import checked
from podmeter.domain.bench_image import image_reference, secret_name
from podmeter.settings import Settings


def run_rbac(
    settings: Settings,
    *,
    capability: str,
    admission_policy: bool,
    image: str | None,
    pull_secret: str | None,
    host_names: bool,
    default_priority: int,
    renew: bool,
) -> None:
    """Print the manifest for a capability, pods held to the image, or else to BENCH_IMAGE."""
    from podmeter.rbac.capabilities import Capability
    from podmeter.rbac.manifest import manifest

    held_to = image or settings.bench_image
    text = manifest(
        Capability(capability),
        held_to,
        pull_secret,
        admission_policy=admission_policy,
        host_names=host_names,
        default_priority=default_priority,
        renew=renew,
    )
    sys.stdout.write(text)


def rbac_arguments(parser: argparse.ArgumentParser) -> None:
    """The capability, and what pods are held to."""
    parser.add_argument(
        "capability",
        nargs="?",
        choices=("measure", "host_access", "switch_modes"),
        default="measure",
        help="the most that is allowed; without it, to measure alone. The last two are "
        "cluster-admin in effect: the manifest's head says what each amounts to",
    )
    parser.add_argument(
        "--no-admission-policy",
        dest="admission_policy",
        action="store_false",
        help="for Kubernetes 1.28 and 1.29, whose API servers do not know the kind",
    )
    parser.add_argument(
        "--allow-host-names",
        dest="host_names",
        action="store_true",
        help="let Ingresses be for any host, as the cluster's allow_host_names lets runs",
    )
    parser.add_argument(
        "--renew",
        action="store_true",
        help="let the token ask for its own next one; a stolen one then renews itself until the "
        "ServiceAccount is deleted",
    )
    parser.add_argument(
        "--default-priority",
        type=int,
        default=0,
        metavar="VALUE",
        help="the value of the cluster's default PriorityClass, if it is above 0",
    )
    parser.add_argument(
        "--image",
        type=checked(image_reference),
        help="the cluster's own image, where it has one: measuring pods are held to it",
    )
    parser.add_argument(
        "--pull-secret",
        type=checked(secret_name),
        help="the Secret in Podmeter's namespaces that nodes pull the image with",
    )
