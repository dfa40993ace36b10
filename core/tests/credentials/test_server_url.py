"""Server URLs in plain and odd forms, and where their names may lead."""

from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.credentials.errors import ServerRefusedError
from podmeter.credentials.server_url import (
    check_literal,
    is_host_name,
    parse_server_url,
    resolve_checked,
)

STRICT = AddressPolicy()


@pytest.mark.parametrize(
    ("text", "host", "port", "path"),
    [
        ("https://10.0.0.5:6443", "10.0.0.5", 6443, ""),
        ("https://K8s.Example.COM", "k8s.example.com", 443, ""),
        ("HTTPS://k8s.example.com/", "k8s.example.com", 443, ""),
        ("https://k8s.example.com.:6443", "k8s.example.com", 6443, ""),
        ("https://rancher.example.com/k8s/clusters/c-1", "rancher.example.com", 443,
         "/k8s/clusters/c-1"),
        ("https://[2001:DB8::1]:6443", "2001:db8::1", 6443, ""),
        ("https://[2001:db8::1]", "2001:db8::1", 443, ""),
        ("https://xn--bcher-kva.example", "xn--bcher-kva.example", 443, ""),
        ("https://api_server:6443", "api_server", 6443, ""),
        ("https://1e100.net", "1e100.net", 443, ""),
        ("https://10.0.0.5.nip.io", "10.0.0.5.nip.io", 443, ""),
    ],
)  # fmt: skip
def test_plain_forms(text, host, port, path):
    url = parse_server_url(text)
    assert (url.host, url.port, url.path) == (host, port, path)
    assert parse_server_url(str(url)) == url


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("http://10.0.0.5", "scheme"),
        ("ftp://10.0.0.5", "scheme"),
        ("gopher://10.0.0.5", "scheme"),
        ("10.0.0.5:6443", "malformed"),
        ("https:/10.0.0.5", "malformed"),
        ("", "malformed"),
        ("https://", "host"),
        ("https://:6443", "host"),
        ("https://admin@10.0.0.5", "user_info"),
        ("https://admin:pw@10.0.0.5", "user_info"),
        ("https://good.example@evil.example", "user_info"),
        ("https://10.0.0.5?x=1", "query"),
        ("https://10.0.0.5/?", "query"),
        ("https://10.0.0.5/#x", "fragment"),
        ("https://good.example#@evil.example", "fragment"),
        ("https://good.example\\@evil.example", "characters"),
        ("https://10.0.0.5\r\nX: y", "characters"),
        ("https://10.0.0.5\t", "characters"),
        (" https://10.0.0.5", "characters"),
        ("https://10.0.0.5/a b", "characters"),
        ("https://10.0.0.5\x00", "characters"),
        ("https://10.0.0.5:0", "port"),
        ("https://10.0.0.5:65536", "port"),
        ("https://10.0.0.5:", "port"),
        ("https://10.0.0.5:+443", "port"),
        ("https://10.0.0.5:44:3", "port"),
        ("https://10.0.0.5/..", "path"),
        ("https://10.0.0.5/a/./b", "path"),
        ("https://10.0.0.5//evil", "path"),
        ("https://10.0.0.5/%2e%2e", "path"),
        # Odd IPv4 forms, which getaddrinfo would take.
        ("https://2130706433", "numeric_host"),
        ("https://0x7f000001", "numeric_host"),
        ("https://0X7F.1", "numeric_host"),
        ("https://017700000001", "numeric_host"),
        ("https://0177.0.0.1", "numeric_host"),
        ("https://127.1", "numeric_host"),
        ("https://127.0.0.01", "numeric_host"),
        ("https://127.0.0.256", "numeric_host"),
        ("https://1.2.3.4.5", "numeric_host"),
        ("https://example.123", "numeric_host"),
        ("https://example.0x1", "numeric_host"),
        # International names, homographs, full-width digits, ideographic dots.
        ("https://bücher.example", "not_ascii"),
        ("https://аpple.example", "not_ascii"),
        ("https://１２７.0.0.1", "not_ascii"),
        ("https://127。0。0。1", "not_ascii"),
        ("https://%31%32%37.0.0.1", "host"),
        ("https://a..b", "host"),
        ("https://example.com..", "host"),
        ("https://-a.example", "host"),
        (f"https://{'a' * 64}.example", "host"),
        (f"https://{'a.' * 127}example", "host"),
        ("https://a,b", "host"),
        ("https://*.example.com", "host"),
        # IPv6.
        ("https://[fe80::1%25eth0]", "zone_id"),
        ("https://[fe80::1%eth0]", "zone_id"),
        ("https://[::1", "host"),
        ("https://[::1]x", "host"),
        ("https://::1", "port"),
        ("https://[127.0.0.1]", "host"),
        ("https://[::gggg]", "host"),
        ("https://[v1.x]", "host"),
        (f"https://{'a' * 2000}", "too_long"),
    ],
)
def test_odd_forms_are_refused(text, reason):
    with pytest.raises(ServerRefusedError) as caught:
        parse_server_url(text)
    assert caught.value.reason == reason
    assert caught.value.remedy


BLOCKED = [
    ("127.0.0.1", "loopback"),
    ("127.8.9.10", "loopback"),
    ("::1", "loopback"),
    ("169.254.0.1", "link_local"),
    ("fe80::1", "link_local"),
    ("169.254.169.254", "metadata"),
    ("169.254.170.2", "metadata"),
    ("fd00:ec2::254", "metadata"),
    ("fd20:ce::254", "metadata"),
    ("100.100.100.200", "metadata"),
    ("192.0.0.192", "metadata"),
    ("168.63.129.16", "metadata"),
    ("224.0.0.1", "multicast"),
    ("ff02::1", "multicast"),
    ("0.0.0.0", "unspecified"),
    ("0.1.2.3", "unspecified"),
    ("::", "unspecified"),
    ("255.255.255.255", "reserved"),
    ("240.0.0.1", "reserved"),
    ("::ffff:127.0.0.1", "loopback"),
    ("::ffff:169.254.169.254", "metadata"),
    ("::ffff:10.0.0.5", "embedded_ipv4"),
    ("::127.0.0.1", "embedded_ipv4"),
    ("::ffff:0:127.0.0.1", "embedded_ipv4"),
    ("2002:7f00:1::", "embedded_ipv4"),
    ("2001:0:4136:e378:8000:63bf:3fff:fdd2", "embedded_ipv4"),
    ("64:ff9b::127.0.0.1", "loopback"),
    ("64:ff9b::169.254.169.254", "metadata"),
    ("64:ff9b:1::7f00:1", "embedded_ipv4"),
    ("2001:db8::5efe:7f00:1", "embedded_ipv4"),
    ("2001:db8::200:5efe:a9fe:a9fe", "embedded_ipv4"),
    ("fe80::1%eth0", "zone_id"),
    ("fec0::1", "link_local"),
    ("100::1", "reserved"),
    ("192.0.0.170", "reserved"),
    ("64:ff9b::192.0.0.170", "reserved"),
]


@pytest.mark.parametrize(("address", "reason"), BLOCKED)
def test_blocked_addresses_literal_and_resolved(address, reason):
    assert STRICT.blocked(ip_address(address), 6443) == reason
    url = parse_server_url("https://k8s.example.com:6443")
    with pytest.raises(ServerRefusedError) as caught:
        resolve_checked(url, lambda host, port: [address], STRICT)
    assert caught.value.reason == reason
    if "%" not in address:
        host = f"[{address}]" if ":" in address else address
        with pytest.raises(ServerRefusedError) as caught:
            check_literal(parse_server_url(f"https://{host}"), STRICT)
        assert caught.value.reason == reason


@pytest.mark.parametrize(
    "address",
    ["10.0.0.5", "172.16.0.1", "192.168.1.1", "100.64.0.1", "8.8.8.8", "fd12::1", "2606:4700::1",
     "64:ff9b::10.0.0.5", "64:ff9b::8.8.8.8"],
)  # fmt: skip
def test_private_and_public_addresses_are_permitted(address):
    assert STRICT.blocked(ip_address(address), 6443) is None


@pytest.mark.parametrize(("address", "_reason"), BLOCKED)
def test_an_operators_network_permits_them(address, _reason):
    plain = address.partition("%")[0]
    policy = AddressPolicy.of(allowed=[plain])
    assert policy.blocked(ip_address(plain), 6443) is None


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("10.1.2.3", "denied"),
        ("10.9.0.1", None),
        ("10.9.7.1", "denied"),
        ("64:ff9b::10.1.2.3", "denied"),
        ("192.168.0.1", None),
        ("172.16.0.1", "denied"),
        ("127.0.0.1", "loopback"),
    ],
)
def test_an_operator_may_deny_networks(address, reason):
    """The narrower of an allowed and a denied network counts, of equal ones the denied."""
    policy = AddressPolicy.of(
        allowed=["10.9.0.0/16", "172.16.0.0/12"],
        denied=["10.0.0.0/8", "10.9.7.0/24", "172.16.0.0/12"],
    )
    assert policy.blocked(ip_address(address), 6443) == reason


def test_own_services_are_blocked():
    policy = AddressPolicy.of(
        allowed=["127.0.0.0/8"],
        own_services=[("10.0.0.9", None), ("127.0.0.1", 5432), ("fd12::/64", None)],
    )
    assert policy.blocked(ip_address("10.0.0.9"), 443) == "own_service"
    assert policy.blocked(ip_address("64:ff9b::10.0.0.9"), 443) == "own_service"
    assert policy.blocked(ip_address("fd12::7"), 443) == "own_service"
    assert policy.blocked(ip_address("127.0.0.1"), 6443) is None
    # An allowed network does not open the database that listens in it.
    assert policy.blocked(ip_address("127.0.0.1"), 5432) == "own_service"
    assert policy.blocked(ip_address("::ffff:127.0.0.1"), 5432) == "own_service"
    everything = AddressPolicy.of(allowed=["10.0.0.0/8"], own_services=[("10.0.0.9", None)])
    assert everything.blocked(ip_address("10.0.0.9"), 443) is None


def test_a_malformed_allow_list_is_an_error():
    with pytest.raises(ValueError, match="host bits"):
        AddressPolicy.of(allowed=["10.0.0.1/8"])


def test_every_address_of_a_name_is_checked():
    url = parse_server_url("https://k8s.example.com")
    with pytest.raises(ServerRefusedError) as caught:
        resolve_checked(url, lambda host, port: ["10.0.0.5", "127.0.0.1"], STRICT)
    assert caught.value.reason == "loopback"


def test_the_checked_address_is_what_is_connected_to():
    # The name gives a harmless address when first asked and loopback from then on.
    answers = iter([["10.0.0.5", "10.0.0.6", "10.0.0.5"], ["127.0.0.1"]])
    asked = []

    def resolver(host, port):
        asked.append((host, port))
        return next(answers)

    url = parse_server_url("https://Rebind.Example:6443")
    server = resolve_checked(url, resolver, STRICT)
    assert server.address == "10.0.0.5"
    assert [str(one) for one in server.addresses] == ["10.0.0.5", "10.0.0.6"]
    assert server.hostname == "rebind.example"
    assert asked == [("rebind.example", 6443)]
    with pytest.raises(ServerRefusedError):
        resolve_checked(url, resolver, STRICT)


def test_a_literal_is_not_resolved():
    def resolver(host, port):
        raise AssertionError("asked")

    server = resolve_checked(parse_server_url("https://[fd12::1]:6443"), resolver, STRICT)
    assert (server.address, server.hostname, server.url.port) == ("fd12::1", "fd12::1", 6443)
    for text in ("https://127.0.0.1", "https://127.0.0.1.", "https://[::1]"):
        with pytest.raises(ServerRefusedError) as caught:
            resolve_checked(parse_server_url(text), resolver, STRICT)
        assert caught.value.reason == "loopback"


def test_a_name_that_gives_nothing_is_refused():
    def failing(host, port):
        raise OSError("no such name")

    url = parse_server_url("https://k8s.example.com")
    for resolver in (failing, lambda host, port: [], lambda host, port: ["nonsense"]):
        with pytest.raises(ServerRefusedError) as caught:
            resolve_checked(url, resolver, STRICT)
        assert caught.value.reason == "unresolved"


def test_host_names():
    assert is_host_name("k8s.example.com")
    assert not is_host_name("")
    assert not is_host_name("1.2.3.4")
    assert not is_host_name("a b")


@given(st.text(max_size=60))
def test_any_text_is_refused_or_read_back_alike(text):
    try:
        url = parse_server_url("https://" + text)
    except ServerRefusedError as error:
        assert len(text) < 8 or text not in str(error)  # noqa: PT017 - both outcomes are right
    else:
        assert parse_server_url(str(url)) == url


@given(st.ip_addresses())
def test_every_address_is_judged(address):
    reason = STRICT.blocked(address, 443)
    if reason is None:
        assert not address.is_loopback
        assert not address.is_link_local
        assert not address.is_multicast
        assert not address.is_unspecified
