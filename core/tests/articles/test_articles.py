"""`podmeter articles` without a cluster: what is chosen, taken up, cancelled, written."""

import io
import json
import re
import signal
import uuid
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pydantic import TypeAdapter
from rich.console import Console

from podmeter.articles import articles as command
from podmeter.articles import markdown, tables
from podmeter.articles.experiments import ARTICLES, Experiment, experiments
from podmeter.articles.kept import Kept, key_of
from podmeter.articles.time_left import TimeLeft
from podmeter.demo import stack
from podmeter.demo.api import Api, DemoError
from podmeter.demo.credentials import Kubectl
from podmeter.experiments.registry import kind_of, plan, read_spec, resolve
from podmeter.references.library import references
from podmeter.services.experiments.pace import of_nodes
from podmeter.services.experiments.plan import Plan, measuring_seconds
from podmeter.services.reproduction.document import OurVerdict, Reproduction
from podmeter.services.reproduction.read import beside
from podmeter.services.templates.read import TemplateView, page
from podmeter.settings import Settings

from ..services.measured.measured_runs import around, measured_run

TEMPLATES = TypeAdapter(list[TemplateView]).dump_python(page(None), mode="json")
FLANNEL = {"vxlan": None, "host-gw": None, "ipip": {"text": "no such module"}}
PROXY = {"iptables": None, "nftables": None, "ipvs": {"text": "no such module"}}


def cluster(
    encapsulation: dict[str, Any] = FLANNEL, proxy: dict[str, Any] = PROXY, *, switch: bool = True
) -> dict[str, Any]:
    modes = {
        "encapsulation": {"why_not": None, "values": encapsulation},
        "kube_proxy_mode": {"why_not": None, "values": proxy},
    }
    return {
        "id": "c",
        "name": "testbed",
        "server": "https://10.0.0.1",
        "cluster_uid": "uid-1",
        "allow_mode_switch": switch,
        "capabilities": {
            "modes": modes,
            "kubernetes_version": "v1.34.1",
            "nodes": [{"cpus": "2", "os": "Debian", "kernel": "6.18"}] * 2,
            "cni": {"name": "flannel", "version": "v0.27"},
        },
    }


class Answers:
    """An API that plans as Podmeter does, and has runs that end as they are told to."""

    def __init__(self, *, outside: bool = True) -> None:
        self.outside = outside
        self.url = "http://podmeter"
        self.runs: dict[str, dict[str, Any]] = {}
        self.started: list[str] = []
        self.cancelled: list[str] = []
        self.specs: dict[str, dict[str, Any]] = {}
        self.shared: list[dict[str, Any]] = []
        #: By article the runs that it was last set beside.
        self.beside: dict[str, list[str]] = {}
        #: What runs are reported to say, in turn.
        self.reports: list[dict[str, Any]] = []
        #: What comes of runs by the name of their experiment, in turn.
        self.fate: dict[str, list[str]] = {}

    def ready(self) -> bool:
        return True

    def get(self, path: str, **query: Any) -> Any:
        if path == "/templates":
            return {"items": TEMPLATES}
        if path.endswith("/reproduction"):
            reference = path.split("/")[2]
            self.beside[reference] = query["run_id"]
            return document(reproduced(reference))
        if path.endswith("/summaries"):
            if path.split("/")[2] not in self.runs:
                raise DemoError(f"GET {path}: no such run")
            return self.reports.pop(0) if self.reports else report()
        found = self.runs.get(path.removeprefix("/runs/"))
        if found is None:
            raise DemoError(f"GET {path}: no such run")
        return found

    def all(self, path: str) -> list[Any]:
        return [cluster()] if path == "/clusters" else []

    def post(self, path: str, body: Any = None) -> Any:
        if path.startswith("/experiments/plan?cluster_id="):
            resolved = resolve(read_spec(body))
            found = Plan(resolved, plan(resolved), pace=of_nodes(2))
            away = any("outside" in str(one) for one in resolved.matrix.get("path", ()))
            return {
                "trials": found.trials,
                "cases": [],
                "switches": [],
                "measuring_seconds": measuring_seconds(found),
                "switching_seconds": found.switching_seconds,
                "outside_missing": {"text": "none"} if away and not self.outside else None,
            }
        if path == "/experiments":
            id_ = str(uuid.uuid4())
            self.specs[id_] = body
            return {"id": id_}
        if path == "/snapshots":
            self.shared.append(body)
            return {"url": f"http://podmeter/s/{body.get('run_id', 'all')}"}
        if path.endswith("/cancel"):
            run = self.runs[path.split("/")[2]]
            self.cancelled.append(run["id"])
            run |= {"state": "finished", "outcome": "cancelled", "cancel_requested_at": "now"}
            run["reason"] = {"text": "asked to"}
            return None
        spec = self.specs[path.split("/")[2]]
        run = {
            "id": str(uuid.uuid4()),
            "name": spec["name"],
            "kind": spec["kind"],
            "state": "running",
            "outcome": None,
            "reason": None,
            "cancel_requested_at": None,
            "started_at": "2026-01-02T03:04:05Z",
            "finished_at": "2026-01-02T03:07:05Z",
        }
        self.runs[run["id"]] = run
        self.started.append(spec["name"])
        return run

    def events(self, run_id: str) -> Any:
        run = self.runs[run_id]
        yield "state", {"state": "running"}
        fates = self.fate.get(run["name"], [])
        fate = fates.pop(0) if fates else "succeeded"
        if run["state"] == "finished":
            return
        if fate == "interrupted":
            raise KeyboardInterrupt
        if fate == "killed":
            raise SystemExit(137)
        run |= {"state": "finished", "outcome": fate, "reason": {"text": "as told"}}


def report(*losses: str, effects: tuple[str, ...] = ()) -> dict[str, Any]:
    """What matters here of a run's report: the verdicts of losses and effects."""
    point = {"path": "pod-pod"}
    return {
        "losses": [
            {
                "metric": "loss",
                "subject": str(number),
                "point": point,
                "baseline_point": {"path": "node-node"},
                "verdict": verdict,
            }
            for number, verdict in enumerate(losses)
        ],
        "findings": [
            {
                "metric": f"metric-{number}",
                "point": point,
                "evidence": {
                    "contender_value": "vxlan",
                    "baseline_value": "host-gw",
                    "subject": "",
                    "verdict": verdict,
                },
            }
            for number, verdict in enumerate(effects)
        ],
    }


def measured(kind: str) -> Any:
    if kind == "throughput":
        spec = {
            "encapsulation": ["host-gw", "vxlan"],
            "path": ["node-node", "pod-pod", "pod-node"],
            "protocol": ["tcp"],
            "streams": [1],
        }

        def measure(point: dict[str, Any]) -> Any:
            slow = point["encapsulation"] == "vxlan" and point["path"] == "pod-pod"
            values = around(4e9 if slow else 9e9 + len(point["path"]))
            return {("throughput", ""): values, ("throughput_sent", ""): values}

        return measured_run({"name": kind, "kind": kind, "axes": spec}, measure)
    return None


def reproduced(reference: str) -> Reproduction:
    return beside(references()[reference], [measured("throughput")], lambda _: {})


def document(found: Reproduction) -> dict[str, Any]:
    made: dict[str, Any] = TypeAdapter(Reproduction).dump_python(found, mode="json")
    return made


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Answers:
    made = Answers()
    monkeypatch.setenv("KUBECONFIG", "/nowhere")
    monkeypatch.delenv("TESTBED", raising=False)
    monkeypatch.setattr(stack, "ensure", lambda _: (made, True))
    monkeypatch.setattr(command, "register", lambda *_, **__: cluster())
    monkeypatch.setattr(command, "manifest", lambda *_, **__: "rights")
    monkeypatch.setattr(command, "has_rights", lambda _: False)
    monkeypatch.setattr(command, "cluster_uid", lambda _: "uid-1")
    monkeypatch.setattr(command, "Api", lambda _: made)
    no_signals = SimpleNamespace(
        signal=lambda *_: None, SIGTERM=signal.SIGTERM, default_int_handler=None
    )
    monkeypatch.setattr(command, "signal", no_signals)
    monkeypatch.setattr(command, "down", lambda _: True)
    return made


@pytest.fixture
def kubectl(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    said: list[tuple[str, ...]] = []

    def run(_: Kubectl, *words: str, stdin: str | None = None) -> str:
        said.append(words)
        return ""

    monkeypatch.setattr(Kubectl, "run", run)
    return said


def settings(tmp_path: Any) -> Settings:
    return Settings(_env_file=None).model_copy(update={"state_dir": tmp_path})


def chosen(api: Answers, **of: Any) -> dict[str, Experiment]:
    return {one.template: one for one in experiments(cast(Api, api), cluster(**of))}


def test_a_plain_testbed_has_its_own_modes_and_one_run_serves_two_articles(api: Answers):
    found = chosen(api)
    assert set(found) == {
        *("calico_latency", "vxlan_vs_host_gw", "three_paths_by_qperf"),
        *("policies_and_sizes", "iptables_vs_nftables"),
    }
    shared = found["vxlan_vs_host_gw"]
    assert shared.references == ("calico-modes-2024", "cilium-native-routing-2023")
    assert {one for each in found.values() for one in each.references} == set(ARTICLES)
    # Flannel's own figures are of VXLAN, whatever the cluster stands in.
    assert found["three_paths_by_qperf"].spec["axes"]["encapsulation"] == ["vxlan"]
    assert "switched to vxlan" in found["three_paths_by_qperf"].narrowed


def test_a_cluster_with_the_articles_modes_measures_these(api: Answers):
    calico = dict.fromkeys(("vxlan-cross-subnet", "vxlan", "ipip"))
    found = chosen(api, encapsulation=calico, proxy=dict.fromkeys(("iptables", "ipvs")))
    assert {"calico_modes", "iptables_vs_ipvs"} <= set(found)
    # Cilium's it has not, nor flannel's: what stands is measured.
    assert "encapsulation" not in found["vxlan_vs_host_gw"].spec["axes"]


def test_a_kernel_with_ip_in_ip_measures_it_too_once_for_both_articles(api: Answers):
    found = chosen(api, encapsulation=dict.fromkeys(("vxlan", "host-gw", "ipip")))
    assert "vxlan_vs_host_gw" not in found
    modes = found["flannel_modes"]
    assert modes.spec["axes"]["encapsulation"] == ["host-gw", "vxlan", "ipip"]
    assert modes.references == ("calico-modes-2024", "cilium-native-routing-2023")


def test_without_leave_to_switch_what_stands_is_measured_and_said(api: Answers):
    found = chosen(api, switch=False)
    assert "kube_proxy_mode" not in found["iptables_vs_nftables"].spec["axes"]
    assert "as they stand" in found["iptables_vs_nftables"].narrowed
    assert "encapsulation" not in found["three_paths_by_qperf"].spec["axes"]
    assert "switched" not in found["three_paths_by_qperf"].narrowed
    for one in found.values():
        assert kind_of(read_spec(one.spec))


def test_without_a_client_outside_the_paths_inside_are_measured():
    found = chosen(Answers(outside=False))
    assert "latency_by_path" in found
    assert "calico_latency" not in found


def test_what_is_left_goes_by_what_was_done(api: Answers):
    now = 0.0
    to_do = experiments(cast(Api, api), cluster())
    left = TimeLeft(to_do, lambda: now)
    whole = sum(one.seconds for one in to_do)
    assert left.seconds() == pytest.approx(whole)
    left.begin()
    now = to_do[0].seconds / 2
    assert left.end(to_do[0]) == now
    # It took half of what was planned, so the rest is expected to as well.
    assert left.seconds() == pytest.approx((whole - to_do[0].seconds) / 2)
    left.begin()
    now += 100
    # The run under way tells of the others as well.
    took = to_do[0].seconds / 2 + 200
    pace = took / (to_do[0].seconds + to_do[1].seconds)
    rest = sum(one.seconds for one in to_do[2:])
    assert left.seconds(0.5) == pytest.approx(100 + pace * rest)


#: What they took on the testbed, of two nodes and 2 CPUs: docs/articles.md.
TOOK_MINUTES = {
    "calico_latency": 1.1,
    "vxlan_vs_host_gw": 6.4,
    "three_paths_by_qperf": 4.6,
    "policies_and_sizes": 4.4,
    "iptables_vs_nftables": 9.7,
}


def test_plans_are_near_what_the_testbed_took(api: Answers):
    planned = {name: one.seconds / 60 for name, one in chosen(api).items()}
    for name, minutes in TOOK_MINUTES.items():
        assert minutes * 0.8 < planned[name] < minutes * 1.5, name
    whole = sum(TOOK_MINUTES.values())
    assert whole < sum(planned.values()) < whole * 1.3


def test_the_first_run_that_switches_tells_of_the_others_while_it_is_under_way(api: Answers):
    now = 0.0
    to_do = experiments(cast(Api, api), cluster())
    left = TimeLeft(to_do, lambda: now)
    # Were switches taken for as long as on ten nodes, a third of the first run would tell.
    left.begin()
    now = to_do[0].seconds / 9
    assert left.seconds(1 / 3) == pytest.approx(sum(one.seconds for one in to_do) / 3 - now)


def test_what_is_kept_is_read_again_and_rubbish_is_nothing(tmp_path):
    file = tmp_path / "below" / "articles.json"
    kept = Kept.read(file)
    kept.note("stack")
    kept.add("a", "run")
    kept.took("a", 3.5)
    again = Kept.read(file)
    assert (again.runs, again.seconds, again.started) == ({"a": "run"}, {"a": 3.5}, ["stack"])
    file.write_text(json.dumps({"runs": 7}))
    assert Kept.read(file).runs == {}
    assert key_of("uid-1", {"a": 1}) != key_of("uid-2", {"a": 1})


def test_all_is_measured_and_written(api: Answers, tmp_path, capsys):
    file = tmp_path / "articles.md"
    command.articles(settings(tmp_path), write=str(file), fresh=False)
    assert len(api.started) == 5
    text = file.read_text()
    assert text.startswith("# The five articles, measured")
    for reference in ARTICLES:
        assert references()[reference].reference.title in text
    said = capsys.readouterr().out
    assert "min left" in said
    assert "against the article:" in said
    # Each run by itself, and all of it behind one link.
    assert said.count("http://podmeter/s/") == 6
    assert "for anybody who has the link: http://podmeter/s/all" in said
    (beside,) = [one["reproduction"] for one in api.shared if "run_id" not in one]
    assert [one["reference_id"] for one in beside] == list(ARTICLES)
    assert {id_ for one in beside for id_ in one["run_ids"]} == set(api.runs)
    address = said[said.index("http://podmeter/references/reproduced?of=") :].split()[0]
    for reference in ARTICLES:
        assert f"{reference}%3A" in address
    # Nothing is to be taken up: the next command begins anew.
    command.articles(settings(tmp_path), write=None, fresh=False)
    assert len(api.started) == 10


def test_what_was_done_before_a_kill_is_not_done_again(api: Answers, tmp_path, capsys):
    api.fate["Bandwidth and latency of three paths"] = ["killed"]
    with pytest.raises(SystemExit):
        command.articles(settings(tmp_path), write=None, fresh=False)
    assert len(api.started) == 3
    capsys.readouterr()
    command.articles(settings(tmp_path), write=None, fresh=False)
    # The run that was under way is followed, not begun anew.
    assert len(api.started) == 5
    assert capsys.readouterr().out.count("done before") == 2


def test_ctrl_c_cancels_the_run_and_ends_what_was_started(
    api: Answers, kubectl: list[tuple[str, ...]], tmp_path
):
    api.fate["Request latency by the article's three paths"] = ["succeeded"]
    api.fate["VXLAN vs host-gw throughput"] = ["interrupted"]
    with pytest.raises(DemoError, match="nothing of it is left"):
        command.articles(settings(tmp_path), write=None, fresh=False)
    assert [api.runs[one]["name"] for one in api.cancelled] == ["VXLAN vs host-gw throughput"]
    assert all(run["state"] == "finished" for run in api.runs.values())
    # The rights were not there before, nor the stack.
    assert [words[0] for words in kubectl] == ["delete"]
    kept = Kept.read(tmp_path / "articles.json")
    assert kept.started == []
    # What is done is kept, what was cancelled is done again.
    command.articles(settings(tmp_path), write=None, fresh=False)
    assert api.started.count("VXLAN vs host-gw throughput") == 2
    assert api.started.count("Request latency by the article's three paths") == 1


class StandingTestbed:
    """A testbed that is up or not, as it is told."""

    def __init__(self, *, up: bool) -> None:
        self.standing = up

    def is_up(self) -> bool:
        return self.standing

    def up(self) -> None:
        self.standing = True

    def down(self) -> None:
        self.standing = False


@pytest.mark.parametrize("up_before", [True, False])
def test_ctrl_c_leaves_the_testbed_as_it_was(
    api: Answers, kubectl: list[tuple[str, ...]], tmp_path, monkeypatch, up_before: bool
):
    testbed = StandingTestbed(up=up_before)
    monkeypatch.setattr(command, "Testbed", lambda _: testbed)
    monkeypatch.setenv("TESTBED", "podmeter-testbed")
    api.fate["Request latency by the article's three paths"] = ["interrupted"]
    with pytest.raises(DemoError, match="nothing of it is left"):
        command.articles(settings(tmp_path), write=None, fresh=False)
    assert testbed.standing is up_before
    # The rights go with a testbed that was started for this; one that stood keeps nothing of them.
    assert [words[0] for words in kubectl] == (["delete"] if up_before else [])
    assert Kept.read(tmp_path / "articles.json").started == []


def test_a_repetition_says_which_verdicts_it_turned_round(api: Answers, tmp_path, capsys):
    file = tmp_path / "articles.md"
    command.articles(settings(tmp_path), write=str(file), fresh=False)
    assert "Against the time before" not in file.read_text()
    capsys.readouterr()
    api.reports = [
        report("worse", "worse", "inconclusive", effects=("better", "same")),
        report("worse", "inconclusive", "worse", effects=("worse", "better")),
    ]
    command.articles(settings(tmp_path), write=str(file), fresh=True)
    said = "Request latency by the article's three paths, 5 verdicts as well as on 2026-01-02 03:04"
    turned = "turned round: metric-0 path=pod-pod vxlan against host-gw: better then worse"
    left = "1 that were inconclusive are not, 1 are now; 1 to or from the same"
    assert f"{said}: {turned}; {left}" in capsys.readouterr().out
    text = file.read_text()
    assert f"- {said}: {turned}; {left}" in text
    assert text.count("none turned round") == 4
    # Of a database that is gone nothing is said.
    api.runs.clear()
    command.articles(settings(tmp_path), write=str(file), fresh=True)
    assert "Against the time before" not in file.read_text()


def test_what_another_cluster_measured_besides_is_on_the_same_page(
    api: Answers, tmp_path, monkeypatch
):
    def beside(reference: str) -> list[tuple[str, bool]]:
        """The names of the runs, and which are of this time."""
        now = set(list(api.runs)[-5:])
        return [(api.runs[one]["name"], one in now) for one in api.beside[reference]]

    command.articles(settings(tmp_path), write=None, fresh=False)
    calico, ladder = "calico-modes-2024", "iptables-ipvs-ladder"
    assert [now for _, now in beside(calico)] == [True, True]
    other = cluster(
        dict.fromkeys(("vxlan", "host-gw", "ipip")),
        dict.fromkeys(("iptables", "nftables", "ipvs")),
    )
    monkeypatch.setattr(command, "register", lambda *_, **__: other)
    command.articles(settings(tmp_path), write=None, fresh=False)
    assert beside(calico) == [
        ("Request latency by the article's three paths", True),
        ("Flannel's modes", True),
        ("VXLAN vs host-gw throughput", False),
    ]
    assert [now for _, now in beside(ladder)] == [True, False]
    # What both measure is of this time alone.
    assert len(beside("network-policies-2016")) == 1
    everything = api.shared[-1]["reproduction"]
    assert {one["reference_id"]: one["run_ids"] for one in everything} == api.beside
    # Of a database that is gone there is nothing.
    api.runs.clear()
    command.articles(settings(tmp_path), write=None, fresh=False)
    assert all(now for _, now in beside(calico))


def test_one_that_fails_is_said_and_the_others_go_on(api: Answers, tmp_path, capsys):
    api.fate["What NetworkPolicies cost"] = ["failed"]
    file = tmp_path / "articles.md"
    command.articles(settings(tmp_path), write=str(file), fresh=False)
    assert len(api.started) == 5
    assert "ended as failed: as told" in capsys.readouterr().out
    assert "| What NetworkPolicies cost (`policies_and_sizes`) |" in file.read_text()
    assert "network-policies-2016%3A" not in file.read_text()


def test_figures_stand_beside_those_published_and_what_is_missing_is_said(api: Answers):
    documents = [reproduced("calico-modes-2024")]
    text = markdown.page(cluster(), documents, [])
    # It is of no experiment of this time.
    assert "Measured before, of what this cluster has not or has besides:" in text
    receiver = r"\| 0\.00-60\.02 sec receiver \| 977 Mbits/sec \| [34]\.\d+ Gbit/s \["
    assert re.search(receiver, text)
    assert "`host-gw` stands in the place of its `vxlan-cross-subnet`" in text
    assert "IP-in-IP (3.6): nothing was measured at these points" in text
    held = next(one for one in documents[0].claims if one.id == "encapsulation-loss")
    assert held.verdict is OurVerdict.HOLDS
    row = next(line for line in text.splitlines() if "lose more than 50 %" in line)
    assert "(worse)" in row
    assert "holds (1 of 2 results measured)" in row


def test_the_terminal_shows_every_claim_with_its_verdict():
    console = Console(width=200, file=io.StringIO(), record=True)
    tables.show(console, [reproduced("cilium-native-routing-2023")])
    told = console.export_text()
    assert "VXLAN costs half of the bandwidth" in told
    assert "does not hold" in told or "holds" in told
    assert "cannot be told" in told
