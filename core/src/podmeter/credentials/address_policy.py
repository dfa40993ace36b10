"""Which addresses may be connected to as a cluster's API server."""

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_network,
)

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


def _networks(*texts: str) -> tuple[Network, ...]:
    return tuple(ip_network(text) for text in texts)


# Where clouds answer with credentials of the machine that asks. Most are link-local; these are
# named so that the reason given is the true one.
_METADATA = _networks(
    "169.254.169.254/32",  # AWS, Azure, GCP, OpenStack, DigitalOcean
    "169.254.170.2/32",  # AWS ECS task credentials
    "169.254.170.23/32",  # AWS EKS pod identity
    "fd00:ec2::254/128",  # AWS over IPv6
    "fd00:ec2::23/128",  # AWS EKS pod identity over IPv6
    "fd20:ce::254/128",  # GCP over IPv6
    "100.100.100.200/32",  # Alibaba Cloud
    "192.0.0.192/32",  # Oracle Cloud
    "168.63.129.16/32",  # Azure's wire server
)
_LOOPBACK = _networks("127.0.0.0/8", "::1/128")
_LINK_LOCAL = _networks("169.254.0.0/16", "fe80::/10", "fec0::/10")  # and old site-local
_MULTICAST = _networks("224.0.0.0/4", "ff00::/8")
_UNSPECIFIED = _networks("0.0.0.0/8", "::/128")
# IANA's special-purpose registries: nothing there is anybody's API server.
_RESERVED = _networks(
    "240.0.0.0/4",
    "192.0.0.0/24",  # IETF protocol assignments, NAT64 discovery (192.0.0.170) among them
    "100::/64",  # discard-only
)
# IPv6 forms that carry an IPv4 address to another place than they seem to lead to.
_EMBEDDED = _networks(
    "::ffff:0:0/96",  # IPv4-mapped
    "::ffff:0:0:0/96",  # IPv4-translated (RFC 2765)
    "::/96",  # IPv4-compatible
    "2002::/16",  # 6to4
    "2001::/32",  # Teredo
    "64:ff9b:1::/48",  # local-use NAT64 (RFC 8215); where the IPv4 part sits is anyone's choice
)
_ISATAP = (0x00005EFE, 0x02005EFE)
# The well-known NAT64 prefix (RFC 6052) is what an IPv6-only network resolves IPv4-only names
# to, so it is judged by the IPv4 address inside.
_NAT64 = IPv6Network("64:ff9b::/96")

_RULES: tuple[tuple[str, tuple[Network, ...]], ...] = (
    ("metadata", _METADATA),
    ("unspecified", _UNSPECIFIED),
    ("loopback", _LOOPBACK),
    ("link_local", _LINK_LOCAL),
    ("multicast", _MULTICAST),
    ("reserved", _RESERVED),
    ("embedded_ipv4", _EMBEDDED),
)


@dataclass(frozen=True)
class OwnService:
    """Where one of Podmeter's own services listens; port None is every port of the network."""

    network: Network
    port: int | None = None


@dataclass(frozen=True)
class AddressPolicy:
    """Blocks what no cluster's API server has business being; private ranges are permitted.

    allowed
        Networks that an operator permits in spite of the rules (the testbed lives on one).
    denied
        Networks that an operator refuses besides. Of an allowed and a denied network that both
        hold an address the narrower one counts; of equal ones the denied.
    own_services
        Blocked unless allowed; an address named with its port is always blocked, since
        allowing a network for a cluster on this machine must not open the database beside it.
    """

    allowed: tuple[Network, ...] = ()
    denied: tuple[Network, ...] = ()
    own_services: tuple[OwnService, ...] = ()

    @classmethod
    def of(
        cls,
        allowed: Iterable[str] = (),
        own_services: Iterable[tuple[str, int | None]] = (),
        denied: Iterable[str] = (),
    ) -> "AddressPolicy":
        """Make a policy from texts: networks or addresses, and (network, port) pairs.

        Raises ValueError for what is not a network.
        """
        return cls(
            tuple(ip_network(one) for one in allowed),
            tuple(ip_network(one) for one in denied),
            tuple(OwnService(ip_network(network), port) for network, port in own_services),
        )

    def blocked(self, address: Address, port: int) -> str | None:
        """Give the reason why the address may not be connected to, or None where it may.

        Reasons: own_service, denied, metadata, unspecified, loopback, link_local, multicast,
        reserved, embedded_ipv4, zone_id.
        """
        forms = self._forms(address)
        for form in forms:
            if any(one.port == port and form in one.network for one in self.own_services):
                return "own_service"
        allowed, denied = _narrowest(forms, self.allowed), _narrowest(forms, self.denied)
        if denied > -1 and denied >= allowed:
            return "denied"
        if allowed > -1:
            return None
        if isinstance(address, IPv6Address) and address.scope_id is not None:
            return "zone_id"
        for form in forms:
            if any(one.port is None and form in one.network for one in self.own_services):
                return "own_service"
            for reason, networks in _RULES:
                if any(form in network for network in networks):
                    return reason
            if isinstance(form, IPv6Address) and (int(form) >> 32) & 0xFFFFFFFF in _ISATAP:
                return "embedded_ipv4"
        return None

    @staticmethod
    def _forms(address: Address) -> tuple[Address, ...]:
        """Give the address and, of a mapped or NAT64 form, the IPv4 address it leads to."""
        if isinstance(address, IPv4Address):
            return (address,)
        plain = IPv6Address(int(address))
        if plain in _NAT64:
            return (plain, IPv4Address(int(plain) & 0xFFFFFFFF))
        if plain.ipv4_mapped is not None:
            return (plain.ipv4_mapped, plain)
        return (plain,)


def _narrowest(forms: Iterable[Address], networks: Iterable[Network]) -> int:
    """The longest prefix of a network that holds one of the addresses; -1 where none does."""
    held = [one.prefixlen for form in forms for one in networks if form in one]
    return max(held, default=-1)
