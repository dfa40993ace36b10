"""What a cluster tells about itself is kept, but not at any length."""

import json

from podmeter.domain.cluster_report import ClusterReport, NodeReport
from podmeter.domain.fingerprint import CniFacts, Fingerprint, KubeProxyFacts, NodeFacts
from podmeter.domain.messages import say
from podmeter.domain.messages.message import LONGEST_SAID
from podmeter.domain.untrusted_text import LONGEST, MOST, printable

LONG = "x" * 1_000_000
MANY = {f"net.key.{n}{LONG[:1000]}": LONG for n in range(10_000)}


def test_a_text_that_fits_is_as_it_was() -> None:
    name = "n" * LONGEST
    assert (
        NodeFacts(
            name=name, kernel="6.12 ü", os="", architecture="amd64", cpu_count=1, memory_bytes=1
        ).name
        == name
    )


def test_a_fingerprint_has_a_longest_form() -> None:
    node = NodeFacts(
        name=LONG,
        kernel=LONG,
        os=LONG,
        architecture=LONG,
        cpu_model=LONG,
        cpu_count=1,
        memory_bytes=1,
        hypervisor=LONG,
        nics=tuple(MANY),
        mtus=dict.fromkeys(MANY, 1500),
        sysctls=MANY,
        shaping=MANY,
        iptables_backend=LONG,
    )
    found = Fingerprint(
        cluster_uid=LONG,
        kubernetes_version=LONG,
        nodes=(node,),
        shared_host=False,
        cni=CniFacts(name=LONG, version=LONG, features=MANY),
        kube_proxy=KubeProxyFacts(mode=LONG, version=LONG),
        image_digest=LONG,
        tool_versions=MANY,
    )
    assert len(node.sysctls) == len(node.shaping) == MOST
    assert node.name.endswith("…")
    assert len(json.dumps(found.model_dump(mode="json"))) < 12 * MOST * LONGEST


def test_a_report_cuts_what_is_told_of_a_node() -> None:
    node = NodeReport(
        name=LONG,
        address=LONG,
        architecture=LONG,
        kernel=LONG,
        os=LONG,
        cpus=LONG,
        why_unfit=say("tainted", taint=LONG),
    )
    report = ClusterReport(kubernetes_version=LONG, nodes=[node], rights={})
    assert len(json.dumps(report.model_dump(mode="json"))) < 7 * LONGEST + 3 * LONGEST_SAID


def test_what_a_cluster_said_is_cut_within_a_message() -> None:
    said = say("api_answered", status=500, said=LONG)
    assert len(said) < LONGEST_SAID + 100
    assert len(str(said.params["said"])) == LONGEST_SAID
    assert len(say("several", several=[LONG, say("text", text=LONG)])) < 2 * LONGEST_SAID + 100


def test_what_steers_a_terminal_is_not_kept() -> None:
    said = "no\x00 such \x1b[31mthing\r\nERROR \u202eforged\tline \x9b1m ü 中"
    kept = "no\ufffd such \ufffd[31mthing\nERROR \ufffdforged\tline \ufffd1m ü 中"
    assert printable(said) == kept
    assert str(say("text", text=said)) == kept
    assert say("several", several=[said]).params == {"several": [kept]}
