"""The control plane's machine: etcd, kube-apiserver, kube-controller-manager, kube-scheduler."""

from __future__ import annotations

from pathlib import Path

from podmeter_testbed import builds
from podmeter_testbed.layout import (
    API_SERVICE_ADDRESS,
    CLUSTER_DOMAIN,
    CONTROL_PLANE,
    INSIDE_CACHE,
    INSIDE_STATE,
    NODE_PORT_RANGE,
    POD_SUBNET,
    SERVICE_SUBNET,
    Layout,
)
from podmeter_testbed.pki import Authority, signing_key, write_private

KUBERNETES_NAMES = ("kubernetes", "kubernetes.default", "kubernetes.default.svc")


def binary(layout: Layout, name: str) -> Path:
    """Where a machine sees one of Kubernetes' binaries."""
    folder = builds.output(layout.cache, builds.KUBERNETES)
    return INSIDE_CACHE / folder.relative_to(layout.cache) / name


def write_credentials(layout: Layout, authority: Authority) -> None:
    """Certificates, keys and kubeconfigs of the control plane, and the administrator's."""
    folder = layout.machine(CONTROL_PLANE) / "pki"
    folder.mkdir(parents=True)
    (folder / "ca.crt").write_bytes(authority.certificate)
    names = (*KUBERNETES_NAMES, f"{KUBERNETES_NAMES[-1]}.{CLUSTER_DOMAIN}", "localhost")
    addresses = (layout.address(CONTROL_PLANE), API_SERVICE_ADDRESS, "127.0.0.1")
    authority.issue("kube-apiserver", hosts=(*names, *addresses)).write(folder, "apiserver")
    kubelet_client = authority.issue("kube-apiserver-kubelet-client", ["system:masters"])
    kubelet_client.write(folder, "kubelet-client")
    signing_key().write(folder, "service-accounts")
    for user in ("kube-controller-manager", "kube-scheduler"):
        kubeconfig = authority.kubeconfig(layout.api_server, authority.issue(f"system:{user}"))
        write_private(folder / f"{user}.kubeconfig", kubeconfig)
    admin = authority.issue("kubernetes-admin", ["system:masters"])
    write_private(layout.kubeconfig, authority.kubeconfig(layout.api_server, admin))


def daemons(layout: Layout) -> dict[str, list[str]]:
    """Command lines, as the control plane's machine sees the files."""
    own = INSIDE_STATE / CONTROL_PLANE
    pki = own / "pki"
    address = layout.address(CONTROL_PLANE)
    etcd = "http://127.0.0.1:2379"
    return {
        "etcd": [
            "etcd",
            f"--data-dir={own}/etcd",
            f"--listen-client-urls={etcd}",
            f"--advertise-client-urls={etcd}",
            "--listen-peer-urls=http://127.0.0.1:2380",
            # Thrown away at `down`, so nothing is lost by not waiting for the disk.
            "--unsafe-no-fsync",
        ],
        "kube-apiserver": [
            str(binary(layout, "kube-apiserver")),
            f"--etcd-servers={etcd}",
            f"--bind-address={address}",
            f"--advertise-address={address}",
            "--secure-port=6443",
            f"--client-ca-file={pki}/ca.crt",
            f"--tls-cert-file={pki}/apiserver.crt",
            f"--tls-private-key-file={pki}/apiserver.key",
            f"--service-account-key-file={pki}/service-accounts.crt",
            f"--service-account-signing-key-file={pki}/service-accounts.key",
            f"--service-account-issuer=https://kubernetes.default.svc.{CLUSTER_DOMAIN}",
            f"--service-cluster-ip-range={SERVICE_SUBNET}",
            f"--service-node-port-range={NODE_PORT_RANGE}",
            "--authorization-mode=Node,RBAC",
            "--enable-admission-plugins=NodeRestriction",
            "--allow-privileged=true",
            "--anonymous-auth=false",
            # A namespace of thousands of objects goes by several deletions at a time, not by one.
            "--delete-collection-workers=8",
            f"--kubelet-certificate-authority={pki}/ca.crt",
            f"--kubelet-client-certificate={pki}/kubelet-client.crt",
            f"--kubelet-client-key={pki}/kubelet-client.key",
            "--kubelet-preferred-address-types=InternalIP",
        ],
        "kube-controller-manager": [
            str(binary(layout, "kube-controller-manager")),
            f"--kubeconfig={pki}/kube-controller-manager.kubeconfig",
            f"--service-account-private-key-file={pki}/service-accounts.key",
            f"--root-ca-file={pki}/ca.crt",
            "--use-service-account-credentials",
            # Each controller asks for its own account first; with 20 a second, the default, all of
            # them are there only after five seconds.
            "--kube-api-qps=500",
            "--kube-api-burst=500",
            "--allocate-node-cidrs",
            f"--cluster-cidr={POD_SUBNET}",
            f"--service-cluster-ip-range={SERVICE_SUBNET}",
            "--leader-elect=false",
            "--bind-address=127.0.0.1",
        ],
        "kube-scheduler": [
            str(binary(layout, "kube-scheduler")),
            f"--kubeconfig={pki}/kube-scheduler.kubeconfig",
            "--leader-elect=false",
            "--bind-address=127.0.0.1",
        ],
    }
