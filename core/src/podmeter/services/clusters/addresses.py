"""Which addresses the settings let clusters have: the same for registering and connecting."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.settings import Settings

_THIS_MACHINE = ("127.0.0.0/8", "::1/128")


def address_policy(settings: Settings, allowed: Iterable[str] | None = None) -> AddressPolicy:
    """Podmeter's own API, database and broker are refused at their ports, whatever is allowed.

    `allowed` are other networks than those that clusters may be in.
    """
    urls = (settings.require_redis_url(), settings.require_database_url())
    ports = {settings.port, *(urlsplit(url).port for url in urls)} - {None}
    own = [(network, port) for port in sorted(filter(None, ports)) for network in _THIS_MACHINE]
    return AddressPolicy.of(
        settings.allowed_cluster_networks if allowed is None else allowed,
        own,
        settings.denied_cluster_networks,
    )
