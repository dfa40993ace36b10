"""What counts as left by a testbed, and what is somebody else's; needs root."""

import os
import subprocess

import pytest

from podmeter_testbed import footprint
from podmeter_testbed.layout import Layout

pytestmark = pytest.mark.cluster
WHAT = "network namespaces"


def test_a_network_that_another_program_makes_is_its_own(layout: Layout) -> None:
    argv = ["unshare", "--net", "sh", "-c", "echo within; read until"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"within\n"
        network = os.readlink(f"/proc/{other.pid}/ns/net")
        assert network not in footprint.take(layout)[WHAT]
        other.communicate()


# A kernel of their own hides the nodes' networks from the machine's.
@pytest.mark.kernel("machine")
def test_the_networks_of_a_testbed_are_seen(testbed: Layout) -> None:
    """Of its control plane, its two nodes and CoreDNS's pods at least."""
    assert len(footprint.take(testbed)[WHAT]) >= 4
