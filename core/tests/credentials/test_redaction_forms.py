"""Forms of names and addresses that must not remain in what is shared, and what must."""

import pytest

from podmeter.credentials.redaction import KnownNames, redact

KNOWN = KnownNames(
    clusters=("Lab Frankfurt",),
    nodes=("web-1", "metal"),
    namespaces=("team-blue",),
    hosts=("api7", "k8s.corp.example"),
)

#: A text, and what must not remain of it.
REMOVED = [
    ("10.1.2.3eth0", "10.1.2.3"),
    ("eth0:10.1.2.3", "10.1.2.3"),
    ("eth10.1.2.3", "1.2.3"),
    ("dev=eth0_10.1.2.3_up", "10.1.2.3"),
    ("src10.1.2.3dst10.1.2.4", "10.1.2.4"),
    ("10.1.2.3/24", "10.1.2.3"),
    ("10.1.2.3:5201", "10.1.2.3"),
    ("10.1.2.3.5201 > 10.1.2.4.33000", "10.1.2.4"),
    ("(10.1.2.3)", "10.1.2.3"),
    ("=10.1.2.3,", "10.1.2.3"),
    ("to 10.1.2.3.", "10.1.2.3"),
    ("-10.1.2.3-10.1.2.9", "10.1.2.9"),
    ("0: 0302010A:1451 0402010A:C001 01", "0302010A"),
    ("0: 0302010A:1451 0402010A:C001 01", "0402010A"),
    ("eth0\t0002010A\t0102010A\t0003", "0102010A"),
    ("saddr 0x0a010203", "0a010203"),
    ("address 0a010203 is bound", "0a010203"),
    ("addr=C0A80105", "C0A80105"),
    ("fd00:10::5", "fd00:10::5"),
    ("FD00:10::5", "FD00:10::5"),
    ("fe80::1%eth0", "fe80::1"),
    ("fe80::1%eth0.100", "eth0.100"),
    ("fe80::1%cali12@if3", "cali12"),
    ("::ffff:10.1.2.3", "10.1.2.3"),
    ("64:ff9b::10.1.2.3", "10.1.2.3"),
    ("[2001:db8::7]:443", "2001:db8::7"),
    ("2001:0db8:0000:0000:0000:0000:0000:0007", "2001:0db8"),
    ("2001:db8::7/64", "2001:db8::7"),
    ("inet6 2001:DB8:0:1::7.", "2001:DB8"),
    ("via 2001:db8::", "2001:db8::"),
    ("20010db8000000000000000000000007 03 40 00 80 eth0", "20010db8"),
    ("0: B80D0120000000000000000007000000:0050 x", "B80D0120"),
    ("52:5b:dd:37:f5:45", "52:5b:dd"),
    ("52-5B-DD-37-F5-45", "52-5B-DD"),
    ("525b.dd37.f545", "525b.dd37"),
    ("lladdr_52:5b:dd:37:f5:45_REACHABLE", "52:5b:dd"),
    ("01:52:5b:dd:37:f5:45", "5b:dd:37:f5"),
    ("db7.prod", "db7.prod"),
    ("DB7.PROD refused", "DB7"),
    ("db7.corp", "db7.corp"),
    ("printer.local", "printer.local"),
    ("vault.internal:8200", "vault.internal"),
    ("node3.lan", "node3.lan"),
    ("db7.staging", "db7.staging"),
    ("web.acme.dev", "acme"),
    ("x.intranet", "x.intranet"),
    ("registry.private/team", "registry.private"),
    ("3.2.1.10.in-addr.arpa", "3.2.1.10"),
    ("lookup api7 failed", "api7"),
    ("https://api7/x", "api7"),
    ("api7:6443", "api7"),
    ("api7.", "api7"),
    ("API7", "API7"),
    ("pod/api7-0", "api7"),
    ("dial tcp: lookup k8s.corp.example: no such host", "corp"),
    ("root@metal7:~# ls", "metal7"),
    ("ssh jane@bastion", "bastion"),
    ("https://jane:hunter2@git.acme.io/x", "hunter2"),
    ("postgresql://jane:hunter2@db7/x", "db7"),
    ("ftp://jane@files7/x", "jane"),
    ("mail jane@acme.example", "jane"),
    ("web-1", "web-1"),
    ("kube-proxy-web-1.log", "web-1"),
    ("node_web-1_up", "web-1"),
    ("nginx-web-1-x7f", "web-1"),
    ("ns team-blue", "team-blue"),
    ("team-blue/nginx", "team-blue"),
    ("nginx.team-blue.svc", "team-blue"),
    ("on lab frankfurt today", "frankfurt"),
    ("10-1-2-3.team-blue.pod.cluster.local", "10-1-2-3"),
    ("ip-10-1-2-3", "10-1-2-3"),
    ("metal: up", "metal"),
]
#: What tells of nobody.
KEPT = [
    "Linux 6.12.0-1, iperf 3.18, v1.34.2, v1.2.3.4, 1.2.3",
    "ab 2.3, curl 8.14.1, kube-proxy v1.34.4, nginx/1.26.3",
    "nodes.lo.mtus.lo, net.ipv4.vs.conn_reuse_mode, flannel.1, cni.name",
    "registry.k8s.io/pause:3.10, docker.io/podmeter/bench:0.1.0",
    "nginx.conf, README.md, libc.so.6",
    "from 127.0.0.1 or ::1 or 0.0.0.0, std::vector, at 12:34:56",
    "sl  local_address\n0: 00000000:0050 00000000:0000 0A",
    "0: 0100007F:1F90 00000000:0000 0A",
    "eth0\t00000000\t00000000\t0003\t0\t0\t0\t00FFFFFF",
    "mark 0x00004000/0x00004000, chain KUBE-SVC-DEADBEEF",
    "sha256 deadbeef and commit 4806fee8",
    "1000000000 bits/s, 12345678 requests, 20261128",
    "throughput.sum.received, metrics.main, spec.axes.cluster",
    "nodes@2, image@sha256:abc",
    "iperf3 -c server -p 5201 -t 10 -J",
]


@pytest.mark.parametrize(("text", "name"), REMOVED)
def test_what_names_somebody_does_not_remain(text: str, name: str) -> None:
    content = redact(text, KNOWN).content
    assert isinstance(content, str)
    assert name.lower() not in content.lower()
    assert redact(content, KNOWN).content == content


@pytest.mark.parametrize("text", KEPT)
def test_what_names_nobody_remains(text: str) -> None:
    assert redact(text, KNOWN).content == text
