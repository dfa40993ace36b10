"""A worker node's machine: containerd and kubelet."""

from __future__ import annotations

import yaml

from podmeter_testbed import images
from podmeter_testbed.control_plane import binary
from podmeter_testbed.layout import (
    CGROUP,
    CLUSTER_DOMAIN,
    DNS_SERVICE_ADDRESS,
    INSIDE_STATE,
    MAX_PODS,
    Layout,
)
from podmeter_testbed.pki import Authority, write_private

#: Where containerd keeps them, below the node's own files.
IMAGES_FOLDER = "var/lib/containerd"
CONTAINERD_SOCKET = "unix:///run/containerd/containerd.sock"
CONTAINERD = f"""\
version = 2
[grpc]
address = "/run/containerd/containerd.sock"
[plugins."io.containerd.internal.v1.opt"]
path = "/var/lib/containerd/opt"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "{images.PAUSE.reference}"
# Some machines lack CAP_SYS_RESOURCE; runc could not lower a container's OOM score there.
restrict_oom_score_adj = true
# Below NODE_PORT_RANGE: any other port may be given to a Service one day, whose pods would be sent
# what `exec` asks of the node.
stream_server_port = "10010"
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/opt/cni/bin"
conf_dir = "/etc/cni/net.d"
"""


def write_files(layout: Layout, name: str, authority: Authority) -> None:
    """Credentials and configurations of one node."""
    folder = layout.machine(name)
    folder.mkdir()
    (folder / "ca.crt").write_bytes(authority.certificate)
    pair = authority.issue(
        f"system:node:{name}", ["system:nodes"], hosts=(name, layout.address(name))
    )
    pair.write(folder, "kubelet")
    write_private(folder / "kubelet.kubeconfig", authority.kubeconfig(layout.api_server, pair))
    (folder / "kubelet.yaml").write_text(yaml.safe_dump(_kubelet(name)))
    (folder / "containerd.toml").write_text(CONTAINERD)
    # Pods with dnsPolicy Default look nothing up outside; there is no outside.
    (folder / "resolv.conf").write_text("# no name server outside the cluster\n")


def daemons(layout: Layout, name: str) -> dict[str, list[str]]:
    """Command lines, as the node's machine sees the files."""
    own = INSIDE_STATE / name
    return {
        "containerd": ["containerd", f"--config={own}/containerd.toml"],
        "kubelet": [
            str(binary(layout, "kubelet")),
            f"--config={own}/kubelet.yaml",
            f"--kubeconfig={own}/kubelet.kubeconfig",
            f"--hostname-override={name}",
            f"--node-ip={layout.address(name)}",
        ],
    }


def _kubelet(name: str) -> dict[str, object]:
    own = INSIDE_STATE / name
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "authentication": {
            "anonymous": {"enabled": False},
            "webhook": {"enabled": True},
            "x509": {"clientCAFile": f"{own}/ca.crt"},
        },
        "authorization": {"mode": "Webhook"},
        "tlsCertFile": f"{own}/kubelet.crt",
        "tlsPrivateKeyFile": f"{own}/kubelet.key",
        "containerRuntimeEndpoint": CONTAINERD_SOCKET,
        "clusterDNS": [DNS_SERVICE_ADDRESS],
        "clusterDomain": CLUSTER_DOMAIN,
        "resolvConf": f"{own}/resolv.conf",
        "volumePluginDir": "/var/lib/kubelet/volume-plugins",
        "maxPods": MAX_PODS,
        "failSwapOn": False,
        "failCgroupV1": False,
        # Containers go below the testbed's own cgroup, not into kubepods at the top.
        "cgroupDriver": "cgroupfs",
        "cgroupRoot": f"/{CGROUP}/{name}/pods",
        "cgroupsPerQOS": True,
        "enforceNodeAllocatable": [],
        # The disk is the machine's; a node must not evict pods because of what others keep there.
        "evictionHard": {"imagefs.available": "0%", "nodefs.available": "0%"},
        "imageGCHighThresholdPercent": 100,
    }
