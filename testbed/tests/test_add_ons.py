"""What a testbed has only where it is needed, and CoreDNS with the plugins that it uses."""

import re
from pathlib import Path

import pytest
import yaml

from podmeter_testbed import addons, builds, lifecycle
from podmeter_testbed.errors import TestbedError
from podmeter_testbed.layout import Layout
from podmeter_testbed.settings import AddOn, Cni, Settings, keep_add_ons, kept_add_ons

pytest_plugins = ["pytester"]

NONE: frozenset[AddOn] = frozenset()
ALL = frozenset(AddOn)


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Layout:
    """A layout without a testbed, of which nothing in particular is asked."""
    for name in ("KERNEL", "CNI", "LINK", "SUBNETS", "ADDONS"):
        monkeypatch.delenv(f"PODMETER_TESTBED_{name}", raising=False)
    monkeypatch.setenv("PODMETER_TESTBED_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "state").mkdir()
    return Layout.from_environment()


def names(layout: Layout, add_ons: frozenset[AddOn] = NONE) -> set[str]:
    return {stage.name for stage in lifecycle.parts(layout, add_ons)}


def test_a_plain_testbed_is_built_without_them(asked: Layout) -> None:
    assert not {"kube-router", "metallb"} & names(asked)
    assert names(asked, frozenset({AddOn.LOAD_BALANCERS})) - names(asked) == {
        "metallb",
        "metallb-images",
    }
    assert names(asked, ALL) - names(asked) == {
        *("metallb", "metallb-images", "kube-router", "kube-router-images")
    }


def test_a_pod_network_that_enforces_policies_needs_no_firewall(
    asked: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PODMETER_TESTBED_CNI", "cilium")
    cilium = Layout.from_environment()
    assert "kube-router" not in names(cilium, ALL)
    assert addons.needed(Cni.CILIUM, ALL) == {AddOn.LOAD_BALANCERS}
    assert addons.needed(Cni.FLANNEL, ALL) == ALL
    workloads = addons.workloads(Cni.KUBE_ROUTER, ALL)
    assert len(workloads) == len(set(workloads))
    # As a pod network it is there whatever is asked for.
    monkeypatch.setenv("PODMETER_TESTBED_CNI", "kube-router")
    assert "kube-router-images" in names(Layout.from_environment())


def test_they_are_asked_for_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PODMETER_TESTBED_ADDONS", "load-balancers, network-policies")
    assert Settings.from_environment().add_ons == ALL
    monkeypatch.setenv("PODMETER_TESTBED_ADDONS", "metallb")
    with pytest.raises(TestbedError, match="no add-on metallb, only load-balancers, network-poli"):
        Settings.from_environment()


@pytest.mark.usefixtures("taken_for_up")
def test_a_testbed_that_is_up_gets_what_it_lacks(
    asked: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    added: list[AddOn] = []
    built: list[set[str]] = []
    monkeypatch.setattr(addons, "add", lambda layout, kubectl, add_on, within: added.append(add_on))
    monkeypatch.setattr(lifecycle, "build", lambda layout, wanted: built.append(set(wanted)))
    lifecycle.up(asked)
    assert (added, kept_add_ons(asked.state)) == ([], NONE)
    lifecycle.up(asked, frozenset({AddOn.NETWORK_POLICIES}))
    assert added == [AddOn.NETWORK_POLICIES]
    lifecycle.up(asked, frozenset({AddOn.NETWORK_POLICIES}))
    lifecycle.up(asked)
    assert added == [AddOn.NETWORK_POLICIES]
    lifecycle.up(asked, frozenset({AddOn.LOAD_BALANCERS}))
    assert added == [AddOn.NETWORK_POLICIES, AddOn.LOAD_BALANCERS]
    assert kept_add_ons(asked.state) == ALL
    assert built == [{"network-policies"}, {"load-balancers"}]


@pytest.mark.usefixtures("taken_for_up")
def test_one_that_did_not_come_up_is_tried_again(
    asked: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise TestbedError("waited in vain")

    monkeypatch.setattr(lifecycle, "build", lambda layout, wanted: None)
    monkeypatch.setattr(addons, "add", fail)
    keep_add_ons(asked.state, NONE)
    with pytest.raises(TestbedError, match="in vain"):
        lifecycle.up(asked, ALL)
    assert kept_add_ons(asked.state) == NONE


MARKED = """
import pytest

pytestmark = pytest.mark.addons("network-policies")

@pytest.mark.addons("load-balancers")
def test_of_both(add_ons): assert add_ons == {"network-policies", "load-balancers"}

def test_of_one(add_ons): assert add_ons == {"network-policies"}
"""
GIVEN = """
import pytest
from podmeter_testbed.pytest_plugin import _add_ons_of

given = []

@pytest.fixture
def testbed(request): given.append(request.node.name)

@pytest.fixture
def add_ons(request):
    assert given[-1] == request.node.name  # though the test does not ask for it
    return _add_ons_of(request.node)
"""


def test_tests_say_by_marks_what_they_need(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nmarkers = addons(name): needs it")
    pytester.makeconftest(GIVEN)
    pytester.makepyfile(MARKED)
    pytester.runpytest_inprocess().assert_outcomes(passed=2)


def test_coredns_has_the_plugins_of_its_corefile_and_no_others(layout: Layout) -> None:
    documents = yaml.safe_load_all(addons.manifest(layout, "coredns"))
    corefile = next(one["data"]["Corefile"] for one in documents if one["kind"] == "ConfigMap")
    used = set(re.findall(r"^    (\w+)", corefile, re.M))
    source = (builds.COREDNS.folder / "main.go").read_text()
    ordered = re.findall(r'^\t\t"(\w+)",$', source, re.M)
    assert set(ordered) == used
    imported = set(re.findall(r'"github\.com/coredns/coredns/plugin/(\w+)"', source))
    assert {name if name != "metrics" else "prometheus" for name in imported} == used
    # As in plugin.cfg of that version.
    assert ordered == sorted(ordered, key=UPSTREAM.index)


UPSTREAM = (
    *("reload", "bind", "debug", "ready", "health", "pprof", "prometheus", "errors", "log"),
    *("loadbalance", "rewrite", "acl", "cache", "template", "hosts", "kubernetes", "file", "loop"),
    "forward",
)


def test_its_sources_are_part_of_its_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in builds.COREDNS.folder.iterdir():
        (tmp_path / "coredns").mkdir(exist_ok=True)
        (tmp_path / "coredns" / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr(builds, "GO_MODULES", tmp_path)
    before = builds.COREDNS.key
    with (tmp_path / "coredns" / "main.go").open("a") as source:
        source.write("// changed")
    assert builds.COREDNS.key != before
