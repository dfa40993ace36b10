import pytest

from podmeter.demo import demo as command
from podmeter.demo import runs, stack
from podmeter.demo.api import DemoError
from podmeter.demo.demo import demo, wanted_experiments
from podmeter.demo.modes import as_it_stands
from podmeter.kinds.registry import plan, read_spec, resolve, walk_of
from podmeter.services.experiments.plan import measuring_seconds, plan_document
from podmeter.settings import Settings
from podmeter.statistics import rounds_needed


def test_it_measures_encapsulation_and_services():
    assert [one["kind"] for one in wanted_experiments({})] == [
        "throughput",
        "service_scale",
    ]
    (only,) = wanted_experiments({"ONLY": "throughput"})
    assert only["kind"] == "throughput"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"SERVICES": "many"}, "write numbers"),
        ({"SERVICES": "10,"}, "write numbers"),
        ({"ONLY": "services"}, "name throughput or service_scale"),
        ({"SPEC": "x.yaml", "ONLY": "throughput"}, "leave out SERVICES and ONLY"),
        ({"SPEC": "nowhere.yaml"}, "nowhere.yaml cannot be read"),
    ],
)
def test_what_cannot_be_meant_is_said(given, said):
    with pytest.raises(DemoError, match=said):
        wanted_experiments(given)


def test_a_users_own_file_is_measured_alone(tmp_path):
    path = tmp_path / "own.yaml"
    path.write_text("name: Own\nkind: throughput\naxes: {path: [pod-pod]}\n")
    (own,) = wanted_experiments({"SPEC": str(path)})
    assert (own["name"], own["kind"], own["axes"]) == ("Own", "throughput", {"path": ["pod-pod"]})
    assert read_spec(own).model_dump(mode="json") == own


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"- a\n- b\n", "has no specification"),
        (b"name: x\nkind: throughput\naxes: {encapsulation: vxlan}\n", "encapsulation"),
        (b"", "has no specification"),
        (b"axes: [", "not valid YAML"),
        (b"\xff", "not valid YAML"),
    ],
)
def test_a_file_without_a_specification_is_said(tmp_path, text, said):
    path = tmp_path / "own.yaml"
    path.write_bytes(text)
    with pytest.raises(DemoError, match=said):
        wanted_experiments({"SPEC": str(path)})


def test_a_high_ladder_is_climbed_once_and_can_decide():
    (ladder,) = wanted_experiments({"SERVICES": "10,1000,5000", "ONLY": "service_scale"})
    spec = resolve(read_spec(ladder))
    assert spec.matrix["services"] == (10, 1000, 5000)
    assert walk_of(spec).climbs_once
    assert spec.repetition.rounds >= rounds_needed(0.05)
    assert {dict(block.modes)["kube_proxy_mode"] for block in plan(spec)} == {
        "iptables",
        "nftables",
        "ipvs",
    }
    each = plan_document(ladder | {"parameters": ladder["parameters"] | {"ports_per_service": 1}})
    assert measuring_seconds(plan_document(ladder)) < measuring_seconds(each)


def test_where_no_mode_is_switched_a_high_ladder_is_one_that_stands_alone():
    (ladder,) = wanted_experiments({"SERVICES": "10,1000", "ONLY": "service_scale"})
    found = read_spec(as_it_stands(ladder))
    assert found.parameters == {"requests": 2000, "ports_per_service": 100}
    assert "kube_proxy_mode" not in found.axes


class Results:
    """The results of every run, and its snapshots."""

    url = "http://podmeter.example"

    def get(self, path):
        return {"id": "8", "headline": {"sentences": [{"text": "VXLAN costs 26 %"}]}}

    def post(self, path, body=None):
        return {"url": f"{self.url}/s/1"} if path == "/snapshots" else self.get(path)


@pytest.mark.parametrize("outcome", ["succeeded", "partial"])
def test_an_experiment_that_succeeded_in_part_is_shown_as_such(
    monkeypatch, tmp_path, capsys, outcome
):
    monkeypatch.setenv("KUBECONFIG", "/nowhere")
    monkeypatch.setenv("ONLY", "throughput")
    monkeypatch.setattr(stack, "ensure", lambda _: (Results(), False))
    monkeypatch.setattr(command, "register", lambda *_, **__: {"id": "cluster"})
    monkeypatch.setattr(command, "_fitted", lambda api, console, cluster, wanted: wanted)
    reason = {"text": "no nftables"} if outcome == "partial" else None
    finished = {"id": "7", "name": "Paths", "outcome": outcome, "reason": reason}
    monkeypatch.setattr(runs, "run", lambda *_: finished)
    settings = Settings.model_construct(state_dir=tmp_path, admin_email="admin@podmeter.example")
    demo(settings)
    shown = capsys.readouterr().out
    assert "http://podmeter.example/s/1" in shown
    assert ("Incomplete: no nftables" in shown) is (outcome == "partial")
