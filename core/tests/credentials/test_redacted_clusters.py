"""Names of clusters, which their owners choose: what is removed of them, and what is not."""

import json

import pytest

from podmeter.credentials.pseudonyms import Kind
from podmeter.credentials.redaction import Json, KnownNames, Vocabulary

from .test_redaction import redacted


@pytest.mark.parametrize("name", ["lab", "Prod EU", "生产", "a.b (c)*"])
def test_a_cluster_s_name_is_removed_wherever_it_stands(name: str) -> None:
    content = {
        "run": {"name": f"Throughput on {name}", "clusters": [name]},
        "points": [{"cluster": name, "path": "pod-pod"}],
        "keys": [f"cluster={name},path=pod-pod"],
        "message": {"code": "on_cluster", "params": {"cluster": name}, "text": f"{name}: away"},
    }
    found = redacted(content, KnownNames())
    assert name not in json.dumps(found, ensure_ascii=False)
    assert found["run"] == {"name": "Throughput on cluster-A", "clusters": ["cluster-A"]}
    assert found["message"]["text"] == "cluster-A: away"
    assert redacted(found, KnownNames()) == found
    assert redacted(content, KnownNames(), keep=[Kind.CLUSTER]) == content


@pytest.mark.parametrize("name", ["vxlan", "name", "c", "tcp", "iperf3"])
def test_a_cluster_that_is_called_a_word_of_the_results_falsifies_none(name: str) -> None:
    content = {
        "name": "what it costs",
        "clusters": [name],
        "environment": {"encapsulation": "vxlan", "protocol": "tcp"},
        "commands": [{"tool": "iperf3", "argv": ["iperf3", "-c", "--json"]}],
        "points": [{"cluster": name}],
    }
    found = redacted(content, KnownNames(clusters=(name,)))
    assert found == {**content, "clusters": ["cluster-A"], "points": [{"cluster": "cluster-A"}]}


def test_the_name_of_a_cluster_in_a_sentence_is_no_word_of_the_results() -> None:
    def sentences(first: str, other: str) -> Json:
        value: Json = {"form": "value", "axis": "cluster", "value": first}
        return [
            {"code": "gives", "parameters": {"baseline": first, "contender": other}},
            {"code": "gives", "parameters": {"baseline": value, "contender": other}},
            {"code": "loses", "parameters": {"path": {"form": "path", "run": first}}},
            {"code": "side_worse", "parameters": {"cases": {"form": "list", "of": [first, value]}}},
            {"axis": "cluster", "baseline_value": first, "contender_value": other},
        ]

    known = KnownNames(clusters=("lab-1", "lab-2"))
    found = redacted(sentences("lab-1", "lab-2"), known)
    assert found == sentences("cluster-A", "cluster-B")
    # A code of a row is a word of the results.
    row: Json = {"key": {}, "code": "ratio", "parameters": {"level": "lab-1"}}
    assert redacted(row, known) == row


TERMS = frozenset({"host-gw", "pod-pod"})


@pytest.mark.parametrize("name", ["compared", "gw", "pod", "kube_proxy", "proxy mode"])
def test_part_of_a_word_of_the_results_is_one_too(name: str) -> None:
    content = {
        "clusters": [name],
        "compared_axes": ["kube_proxy_mode"],
        "point": {"encapsulation": "host-gw", "path": "pod-pod", "kube_proxy_mode": "iptables"},
        "text": "pod-pod, compared by kube-proxy mode host-gw",
    }
    words = Vocabulary(frozenset(content) | {"compared_axes", "kube_proxy_mode"}, TERMS)
    found = redacted(content, KnownNames(clusters=(name,)), vocabulary=words)
    assert found == {**content, "clusters": ["cluster-A"]}
