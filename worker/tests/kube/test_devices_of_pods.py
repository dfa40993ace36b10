"""Which devices of a node last, on networks that are made for it."""

from __future__ import annotations

import os
import subprocess

import pytest

from podmeter.domain.ports import CommandOutput
from podmeter_worker.kube.facts import node_probe

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="makes networks")

#: A node's uplink as of a machine, as of a container (`eth1`), a pair of its own, and the
#: node's ends of three pods' links as networks call them: AWS VPC CNI, GKE (with the address of the
#: gateway), and Kube-OVN.
NODE = """
mount -t sysfs sysfs /sys
unshare --net sleep 60 & pod=$!
until [ "$(readlink /proc/$pod/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do :; done
ip link add eth0 type bridge
ip link add eth1 mtu 1400 type veth peer name up netns $pod
ip addr add 192.0.2.2/24 dev eth1
ip link add cilium_host type veth peer name cilium_net
ip link add eni3a52ce78d95 mtu 9001 type veth peer name p1 netns $pod
ip link add gke1f2e3d4c5b6 type veth peer name p2 netns $pod
ip addr add 198.51.100.1/32 dev gke1f2e3d4c5b6
ip link add 0a1b2c3d4e5f_h type veth peer name p3 netns $pod
"$@"; code=$?
kill $pod
exit $code
"""


def test_ends_of_pods_links_are_told_by_where_they_lead() -> None:
    argv = ["unshare", "--net", "--mount", "sh", "-c", NODE, "sh", *node_probe.argv(10249)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    output = CommandOutput(done.stdout, done.stderr, done.returncode, 0.0)
    found = node_probe.parse(output, None)
    assert found.mtus == {"eth0": 1500, "eth1": 1400, "cilium_host": 1500, "cilium_net": 1500}
