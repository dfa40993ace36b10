"""Cilium's settings, in and out."""

from __future__ import annotations

from ipaddress import IPv4Network

import pytest

from podmeter_worker.modes.cilium.settings import Settings, read

KEY = "ipv4-native-routing-cidr"


@pytest.mark.parametrize(
    ("version", "told", "value"),
    [
        ("v1.13.1", {}, "vxlan"),
        ("v1.13.1", {"tunnel": "geneve"}, "geneve"),
        ("v1.13.1", {"tunnel": "disabled"}, "native"),
        # Not read by that version.
        ("v1.13.1", {"tunnel": "vxlan", "routing-mode": "native"}, "vxlan"),
        ("v1.14.9", {"tunnel": "disabled"}, "native"),
        ("v1.14.9", {"routing-mode": "native", "tunnel-protocol": "vxlan"}, "native"),
        ("v1.15.0", {}, "vxlan"),
        ("v1.15.0", {"tunnel": "disabled"}, "vxlan"),
        ("v1.18.0", {"routing-mode": "tunnel", "tunnel-protocol": "geneve"}, "geneve"),
        ("v1.18.0", {"tunnel-protocol": "geneve"}, "geneve"),
        ("v1.18.0", {"routing-mode": "native", "tunnel-protocol": "geneve"}, "native"),
        ("v1.18.0", {"routing-mode": "none"}, None),
        # An image that tells no version: by what is written.
        ("latest", {"tunnel": "disabled"}, "native"),
        ("latest", {"routing-mode": "native"}, "native"),
        ("latest", {}, "vxlan"),
        ("v1.14.9@sha256:0123", {"tunnel": "geneve"}, "geneve"),
        # Of a registry with a port.
        ("registry", {"tunnel": "disabled"}, "native"),
    ],
)
def test_what_is_written_is_read_as_that_version_does(
    version: str, told: dict[str, str], value: str | None
) -> None:
    image = f"quay.io/cilium/cilium:{version}"
    if version == "registry":
        image = "registry.example:5000/cilium/cilium"
    containers = [{"name": "other", "image": "x:v1.2.3"}, {"name": "cilium-agent", "image": image}]
    running = {"spec": {"template": {"spec": {"containers": containers}}}}
    assert read({"data": told}, running).value == value


@pytest.mark.parametrize(
    ("told", "version", "value", "written"),
    [
        ({"routing-mode": "tunnel", "tunnel-protocol": "vxlan"}, (1, 15), "vxlan", {}),
        ({}, (1, 15), "vxlan", {}),
        ({}, (1, 12), "vxlan", {}),
        (
            {KEY: "10.0.0.0/8"},
            (1, 15),
            "native",
            {"routing-mode": "native", "auto-direct-node-routes": "true"},
        ),
        (
            {KEY: "10.0.0.0/8", "tunnel": "vxlan"},
            (1, 12),
            "native",
            {"tunnel": "disabled", "auto-direct-node-routes": "true"},
        ),
        (
            {"routing-mode": "native", "auto-direct-node-routes": "true"},
            (1, 16),
            "geneve",
            {
                "routing-mode": "tunnel",
                "tunnel-protocol": "geneve",
                "auto-direct-node-routes": "false",
            },
        ),
        (
            {"tunnel": "disabled", "auto-direct-node-routes": "True"},
            (1, 13),
            "vxlan",
            {"tunnel": "vxlan", "auto-direct-node-routes": "false"},
        ),
        (
            {"cluster-pool-ipv4-cidr": "10.1.0.0/16"},
            (1, 16),
            "native",
            {"routing-mode": "native", "auto-direct-node-routes": "true", KEY: "10.1.0.0/16"},
        ),
        (
            {"cluster-pool-ipv4-cidr": "10.1.0.0/16", "enable-ipv4-masquerade": "false"},
            (1, 16),
            "native",
            {"routing-mode": "native", "auto-direct-node-routes": "true"},
        ),
    ],
)
def test_what_is_written_for_a_value(
    told: dict[str, str], version: tuple[int, int], value: str, written: dict[str, str]
) -> None:
    assert Settings(told, version).wanted(value) == written
    after = Settings({**told, **written}, version)
    assert after.value == value
    assert after.wanted(value) == {}


@pytest.mark.parametrize(
    ("told", "cidr"),
    [
        ({KEY: "10.0.0.0/8", "cluster-pool-ipv4-cidr": "10.1.0.0/16"}, "10.0.0.0/8"),
        ({"cluster-pool-ipv4-cidr": "10.1.0.0/16"}, "10.1.0.0/16"),
        ({"cluster-pool-ipv4-cidr": "10.1.0.0/16 10.2.0.0/16"}, None),
        ({"cluster-pool-ipv4-cidr": "10.1.0.0/16", "ipam": "kubernetes"}, None),
        ({}, None),
    ],
)
def test_the_range_of_native_routing(told: dict[str, str], cidr: str | None) -> None:
    settings = Settings(told, (1, 15))
    assert settings.cidr == (None if cidr is None else IPv4Network(cidr))
    assert (settings.why_not_native is None) == (cidr is not None)
