"""`podmeter-admin articles` without a cluster: what is measured, taken up, cancelled, written."""

import json
from typing import Any

import pytest

from podmeter.articles import articles as command
from podmeter.articles.experiments import ARTICLES
from podmeter.articles.progress_file import ArticleProgress, key_of
from podmeter.demo.api import DemoError
from podmeter.references.library import references
from podmeter.settings import Settings

from .fake_api import Answers, cluster, report


def settings(tmp_path: Any) -> Settings:
    return Settings(_env_file=None).model_copy(update={"state_dir": tmp_path})


def test_what_is_kept_is_read_again_and_rubbish_is_nothing(tmp_path):
    file = tmp_path / "below" / "articles.json"
    kept = ArticleProgress.read(file)
    kept.note("stack")
    kept.add("a", "run")
    kept.took("a", 3.5)
    again = ArticleProgress.read(file)
    assert (again.runs, again.seconds, again.started) == ({"a": "run"}, {"a": 3.5}, ["stack"])
    file.write_text(json.dumps({"runs": 7}))
    assert ArticleProgress.read(file).runs == {}
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
    # Nothing must be taken up: the next command starts again.
    command.articles(settings(tmp_path), write=None, fresh=False)
    assert len(api.started) == 10


def test_what_was_done_before_a_kill_is_not_done_again(api: Answers, tmp_path, capsys):
    api.fate["Bandwidth and latency of three paths"] = ["killed"]
    with pytest.raises(SystemExit):
        command.articles(settings(tmp_path), write=None, fresh=False)
    assert len(api.started) == 3
    capsys.readouterr()
    command.articles(settings(tmp_path), write=None, fresh=False)
    # The run that was in progress is followed, not started again.
    assert len(api.started) == 5
    assert capsys.readouterr().out.count("done before") == 2


def test_a_run_that_ended_in_part_before_a_kill_is_measured_again(api: Answers, tmp_path, capsys):
    in_part = "Request latency by the article's three paths"
    api.fate[in_part] = ["partial"]
    api.fate["Bandwidth and latency of three paths"] = ["killed"]
    with pytest.raises(SystemExit):
        command.articles(settings(tmp_path), write=None, fresh=False)
    before = len(api.started)
    assert in_part in api.started
    capsys.readouterr()
    command.articles(settings(tmp_path), write=None, fresh=False)
    assert api.started.count(in_part) == 2
    assert capsys.readouterr().out.count("done before") == before - 2


@pytest.mark.parametrize("fate", ["out of time", "not cleaned up"])
def test_a_run_in_part_that_a_repetition_would_not_complete_is_used(
    api: Answers, tmp_path, capsys, fate: str
):
    in_part = "Request latency by the article's three paths"
    api.fate[in_part] = [fate]
    api.fate["Bandwidth and latency of three paths"] = ["killed"]
    with pytest.raises(SystemExit):
        command.articles(settings(tmp_path), write=None, fresh=False)
    capsys.readouterr()
    command.articles(settings(tmp_path), write=None, fresh=False)
    assert api.started.count(in_part) == 1
    assert f"{in_part}: done before, in part" in capsys.readouterr().out


@pytest.mark.parametrize("end", ["failed", "interrupted"])
def test_a_run_in_part_is_used_until_its_repetition_has_results(
    api: Answers, kubectl: list[tuple[str, ...]], tmp_path, capsys, end: str
):
    in_part = "Request latency by the article's three paths"
    api.fate[in_part] = ["partial", end, "failed"]
    api.fate["Bandwidth and latency of three paths"] = ["killed", "killed"]
    # The first command measures in part, the second one repeats it, and so does the third.
    for _ in range(2):
        with pytest.raises((SystemExit, DemoError)):
            command.articles(settings(tmp_path), write=None, fresh=False)
    capsys.readouterr()
    api.fate["Bandwidth and latency of three paths"] = []
    command.articles(settings(tmp_path), write=None, fresh=False)
    first, *others = [run for run in api.runs.values() if run["name"] == in_part]
    assert first["outcome"] == "partial"
    assert len(others) == 2
    said = capsys.readouterr().out
    assert f"the run {first['id']} has more results and is used instead" in said
    assert first["id"] in api.beside["calico-modes-2024"]
    assert ArticleProgress.read(tmp_path / "articles.json").in_part == {}


def test_a_repetition_with_fewer_results_does_not_replace_the_run_in_part(
    api: Answers, tmp_path, capsys
):
    in_part, later = "Request latency by the article's three paths", "What NetworkPolicies cost"
    api.fate[in_part] = ["partial", "in small part"]
    api.fate[later] = ["killed"]
    with pytest.raises(SystemExit):
        command.articles(settings(tmp_path), write=None, fresh=False)
    command.articles(settings(tmp_path), write=None, fresh=False)
    better, worse = [run["id"] for run in api.runs.values() if run["name"] == in_part]
    assert f"the run {better} has more results and is used instead" in capsys.readouterr().out
    assert better in api.beside["calico-modes-2024"]
    assert worse not in api.beside["calico-modes-2024"]


def test_a_repetition_that_ended_while_nobody_followed_it_is_judged_by_its_results_too(
    api: Answers, tmp_path
):
    """The command is killed beside it, and the repetition ends on the cluster meanwhile."""
    in_part = "Request latency by the article's three paths"
    api.fate[in_part] = ["partial", "killed", "failed"]
    api.fate["What NetworkPolicies cost"] = ["killed"]
    for _ in range(2):
        with pytest.raises(SystemExit):
            command.articles(settings(tmp_path), write=None, fresh=False)
    better, worse = [run for run in api.runs.values() if run["name"] == in_part]
    api.end(worse, "in small part")
    command.articles(settings(tmp_path), write=None, fresh=False)
    assert better["id"] in api.beside["calico-modes-2024"]
    assert worse["id"] not in api.beside["calico-modes-2024"]


def test_a_run_that_is_still_being_cleaned_up_is_followed_to_its_end(api: Answers, tmp_path):
    """Its outcome is known before it is known what could not be restored."""
    cleaning = "Request latency by the article's three paths"
    api.fate[cleaning] = ["killed"]
    with pytest.raises(SystemExit):
        command.articles(settings(tmp_path), write=None, fresh=False)
    (run,) = [run for run in api.runs.values() if run["name"] == cleaning]
    run |= {"state": "cleaning", "outcome": "succeeded"}
    command.articles(settings(tmp_path), write=None, fresh=False)
    assert (run["state"], api.started.count(cleaning)) == ("finished", 1)


def test_a_repetition_with_results_takes_the_place_of_the_run_in_part(api: Answers, tmp_path):
    in_part = "Request latency by the article's three paths"
    api.fate[in_part] = ["partial"]
    api.fate["Bandwidth and latency of three paths"] = ["killed", "killed"]
    for _ in range(2):
        with pytest.raises(SystemExit):
            command.articles(settings(tmp_path), write=None, fresh=False)
    assert ArticleProgress.read(tmp_path / "articles.json").in_part == {}
    command.articles(settings(tmp_path), write=None, fresh=False)
    first, second = [run for run in api.runs.values() if run["name"] == in_part]
    assert second["id"] in api.beside["calico-modes-2024"]
    assert first["id"] not in api.beside["calico-modes-2024"]


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
    kept = ArticleProgress.read(tmp_path / "articles.json")
    assert kept.started == []
    # What is done is kept, what was cancelled is done again.
    command.articles(settings(tmp_path), write=None, fresh=False)
    assert api.started.count("VXLAN vs host-gw throughput") == 2
    assert api.started.count("Request latency by the article's three paths") == 1


class StandingTestbed:
    """A testbed that is up or not, as configured."""

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
    assert ArticleProgress.read(tmp_path / "articles.json").started == []


def test_a_repetition_says_which_verdicts_it_turned_round(api: Answers, tmp_path, capsys):
    file = tmp_path / "articles.md"
    command.articles(settings(tmp_path), write=str(file), fresh=False)
    assert "Against the time before" not in file.read_text()
    capsys.readouterr()
    api.reports = [
        report("worse", "worse", "undecided", effects=("better", "same")),
        report("worse", "undecided", "worse", effects=("worse", "better")),
    ]
    command.articles(settings(tmp_path), write=str(file), fresh=True)
    said = "Request latency by the article's three paths, 5 verdicts as well as on 2026-01-02 03:04"
    turned = "turned round: metric-0 path=pod-pod vxlan against host-gw: better then worse"
    left = "1 that were undecided are not, 1 are now; 1 to or from the same"
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
    api.cluster = other
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


def test_the_earlier_run_of_one_that_fails_is_shown(api: Answers, tmp_path):
    policies = "What NetworkPolicies cost"
    api.fate[policies] = ["partial", "failed"]
    command.articles(settings(tmp_path), write=None, fresh=False)
    api.beside.clear()
    command.articles(settings(tmp_path), write=None, fresh=False)
    earlier, _ = [run["id"] for run in api.runs.values() if run["name"] == policies]
    assert api.beside["network-policies-2016"] == [earlier]


def test_only_those_asked_for_are_measured_and_the_others_stay_on_the_page(
    api: Answers, tmp_path, monkeypatch, capsys
):
    command.articles(settings(tmp_path), write=None, fresh=False)
    monkeypatch.setenv("ONLY", " iptables-ipvs-ladder, network-policies-2016")
    file = tmp_path / "articles.md"
    command.articles(settings(tmp_path), write=str(file), fresh=False)
    assert api.started[5:] == ["What NetworkPolicies cost", "iptables vs nftables over Services"]
    # What was measured before of the others is beside them still.
    assert set(api.beside) == set(ARTICLES)
    assert "Measured before, and not this time:" in file.read_text()
    monkeypatch.setenv("ONLY", "cilium-native-routing-2023")
    capsys.readouterr()
    command.articles(settings(tmp_path), write=None, fresh=False)
    assert "1 experiment; its plan says" in capsys.readouterr().out
    # One run serves two articles, whichever was asked for.
    assert api.beside["calico-modes-2024"][0] == api.beside["cilium-native-routing-2023"][0]


def test_an_article_that_is_not_known_is_said_before_anything_is_started(
    api: Answers, tmp_path, monkeypatch
):
    monkeypatch.setenv("ONLY", "flannel-qperf,cilium")
    with pytest.raises(DemoError, match="cilium is no article; name some of calico-modes-2024, "):
        command.articles(settings(tmp_path), write=None, fresh=False)
    assert api.started == []
