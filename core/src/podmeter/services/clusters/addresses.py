"""Which addresses the settings let clusters have: the same for registering and connecting."""

from urllib.parse import urlsplit

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.settings import Settings

_THIS_MACHINE = ("127.0.0.0/8", "::1/128")


def address_policy(settings: Settings) -> AddressPolicy:
    """Podmeter's own API, database and broker are refused at their ports, whatever is allowed."""
    urls = (settings.require_redis_url(), settings.require_database_url())
    ports = {settings.port, *(urlsplit(url).port for url in urls)} - {None}
    own = [(network, port) for port in sorted(filter(None, ports)) for network in _THIS_MACHINE]
    return AddressPolicy.of(
        settings.allowed_cluster_networks, own, settings.denied_cluster_networks
    )
