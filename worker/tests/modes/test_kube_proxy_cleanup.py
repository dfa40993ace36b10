"""What is told of a clean-up by kube-proxy that goes on failing."""

from typing import Any

from podmeter.domain.messages import say
from podmeter_worker.modes.kube_proxy.cleanup import complaint

#: Captured from `kube-proxy --cleanup` 1.34.4, whose modprobe did not know IPVS.
SAID = """E1123 10:07:55.066139       1 proxier.go:488] "Failed to execute iptables-restore" err=<
\texit status 4: ip6tables-restore v1.8.11 (nf_tables):\x20
\tline 5: CHAIN_DEL failed (Device or resource busy): chain KUBE-PROXY-FIREWALL
 > table="filter"
E1123 10:07:56.027081       1 run.go:72] "command failed" \
err="encountered an error while tearing down rules"
"""


def pod(node: str, **status: Any) -> dict[str, Any]:
    return {"spec": {"nodeName": node}, "status": {"containerStatuses": [status]} if status else {}}


def terminated(code: int, message: str) -> dict[str, Any]:
    return {"terminated": {"exitCode": code, "message": message}}


def test_what_kube_proxy_said_is_told_with_its_node() -> None:
    waiting = {"waiting": {"reason": "CrashLoopBackOff"}}
    failed = pod("node-2", state=waiting, lastState=terminated(1, SAID))
    told = complaint([pod("node-1"), failed])
    assert told == say("on_node", node="node-2", what=" ".join(SAID.split())[-600:])
    assert "chain KUBE-PROXY-FIREWALL" in told
    assert told.endswith('while tearing down rules"')


def test_nothing_is_told_of_what_ended_well_or_said_nothing() -> None:
    well = pod("node-1", state=terminated(0, "all of it"))
    assert complaint([well, pod("node-2", state=terminated(1, ""))]) is None
    assert complaint([]) is None
