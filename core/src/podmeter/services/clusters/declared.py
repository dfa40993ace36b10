"""A cluster that is registered because an installation says so, again at each of its upgrades."""

from podmeter.credentials.errors import EnvelopeError
from podmeter.credentials.kubeconfig import sanitize
from podmeter.db.base import now
from podmeter.db.models import Cluster
from podmeter.db.repositories.clusters import ClusterRepository
from podmeter.services.accounts.principal import Principal
from podmeter.services.clusters import kubeconfigs, registry
from podmeter.services.clusters.kubeconfigs import Vault
from podmeter.services.clusters.registry import ClusterChange, Registration
from podmeter.services.work import Work


def declare(
    work: Work, principal: Principal, vault: Vault, registration: Registration
) -> tuple[Cluster, bool]:
    """Register or update the cluster of that name; the cluster, and whether anything changed.

    Nothing is written if nothing differs, so a run in progress is no obstacle. Without a pull
    secret in the declaration, the stored one stays: its owner may have set it.

    Raises:
        RoleError, KubeconfigRefusedError: as they say.
        ConflictError: a run is in progress, and the kubeconfig or the pull secret is another one.
    """
    clusters = ClusterRepository(work.session, principal.organization_id)
    known = clusters.by_name(registration.name)
    if known is None:
        return registry.register(work, principal, vault, registration)[0], True
    moment = now()
    given = sanitize(registration.kubeconfig, now=moment, policy=vault.policy).kept_fields()
    same = _kept(work, known, vault) == given
    secret = registration.image_pull_secret or known.image_pull_secret
    said = (registration.allow_mode_switch, secret)
    if same and said == (known.allow_mode_switch, known.image_pull_secret):
        return known, False
    change = ClusterChange(
        allow_mode_switch=registration.allow_mode_switch,
        kubeconfig=None if same else registration.kubeconfig,
        image_pull_secret=secret,
    )
    return registry.change(work, principal, vault, known.id, change, None), True


def _kept(work: Work, cluster: Cluster, vault: Vault) -> dict[str, str] | None:
    """What is kept, or waits to be; None where no key opens it any more."""
    try:
        found = kubeconfigs.stored_kubeconfig(work, cluster.organization_id, cluster.id, vault.keys)
    except EnvelopeError:
        return None
    return found.replacement or found.fields
