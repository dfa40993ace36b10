"""All five articles' experiments, one after another; then what came of them beside the articles.

What is done is not done again after a kill. Ctrl-C cancels the run that is in progress, whose
cluster is restored and swept, and ends what was started for this.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Container
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pydantic import TypeAdapter
from rich.console import Console

from podmeter.articles import markdown, previous_run, tables
from podmeter.articles.experiments import ARTICLES, Experiment, chosen_articles, experiments
from podmeter.articles.previous_run import RepeatedVerdicts
from podmeter.articles.progress_file import ArticleProgress, key_of
from podmeter.articles.testbed import Testbed
from podmeter.demo import runs, stack
from podmeter.demo.api import Api, DemoError
from podmeter.demo.credentials import Kubectl, cluster_uid, has_rights
from podmeter.demo.demo import manifest, register
from podmeter.demo.runs import CancelledError
from podmeter.demo.time_left import TimeLeft
from podmeter.services.reproduction.document import Reproduction
from podmeter.settings import Settings
from podmeter.stack.down import down
from podmeter.stack.up import SECRETS_FILE

#: Every experiment with its finished run; None where it failed.
Measured = list[tuple[Experiment, dict[str, Any] | None]]
_REPRODUCTION = TypeAdapter(Reproduction)
#: Outcomes of runs whose results are used.
_WITH_RESULTS = ("succeeded", "partial")
#: As many as an article is set beside at a time.
_MOST_RUNS = 10
_TITLE = "The five articles beside our own figures"
_TESTBED, _STACK, _RIGHTS = "testbed", "stack", "rights"


def articles(settings: Settings, *, write: str | None, fresh: bool) -> None:
    """Do it all; the environment says where, as for the demo, and TESTBED which testbed is used.

    ONLY names articles by their ids. Raises DemoError, also where it was cancelled.
    """
    console = Console(highlight=False)
    if not os.environ.get("KUBECONFIG"):
        raise DemoError(
            "KUBECONFIG is not set. `make articles` sets it to the testbed's; "
            "KUBECONFIG=~/.kube/config make articles measures your own cluster"
        )
    only = chosen_articles(os.environ.get("ONLY"))
    progress = ArticleProgress.read(settings.state_dir / "articles.json")
    if fresh:
        progress.forget_runs()
    command = os.environ.get("TESTBED")
    testbed = Testbed(command) if command else None
    kubectl = Kubectl(os.environ.get("KUBECTL") or "kubectl")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    switch = os.environ.get("ALLOW_MODE_SWITCH") == "1"
    try:
        _do(console, settings, progress, testbed, kubectl, switch=switch, write=write, only=only)
    except (KeyboardInterrupt, CancelledError):
        console.print("\nending what was started for this")
        _leave_nothing(console, settings, progress, testbed, kubectl, switch=switch)
        raise DemoError("cancelled; nothing of it is left in the cluster") from None


def _do(
    console: Console,
    settings: Settings,
    progress: ArticleProgress,
    testbed: Testbed | None,
    kubectl: Kubectl,
    *,
    switch: bool,
    write: str | None,
    only: Container[str],
) -> None:
    if testbed is not None:
        if not testbed.is_up():
            progress.note(_TESTBED)
        # A running testbed may lack what these experiments need.
        testbed.up()
    api, started = stack.ensure(settings)
    if started:
        progress.note(_STACK)
    console.print(f"Podmeter is at {api.url}" + (", started for this" if started else ""))
    if not has_rights(kubectl):
        progress.note(_RIGHTS)
    cluster = _under_way(api, progress, cluster_uid(kubectl))
    if cluster is None:
        cluster = register(api, console, kubectl, settings, switch=switch)
    to_do = experiments(api, cluster, only)
    measured = _measured(api, console, progress, cluster, to_do)
    repeated = _repeated(api, progress, measured)
    beside = _beside(measured, _earlier(api, progress, measured))
    documents = _documents(api, beside)
    tables.show(console, documents)
    for twice in repeated:
        console.print(
            f"{twice.name}, {previous_run.summary_line(twice)}", markup=False, soft_wrap=True
        )
    if write is not None:
        file = Path(write)
        file.write_text(markdown.page(cluster, documents, measured, repeated))
        console.print(f"\nwritten into {file}")
    console.print("\nEach run by itself, for anybody who has the link:")
    for one, run in measured:
        if run is not None:
            shared = api.post("/snapshots", {"title": run["name"], "run_id": run["id"]})
            console.print(f"  {one.spec['name']}: {shared['url']}", soft_wrap=True)
    shared = _shared(api, beside)
    if shared is not None:
        share_line = f"\nAll of it beside the articles, for anybody who has the link: {shared}"
        console.print(share_line, soft_wrap=True)
    console.print(f"The same with a way to each run: {_page(api, beside)}", soft_wrap=True)
    console.print(
        f"Log in as {settings.admin_email}, the password is in "
        f"{settings.state_dir / SECRETS_FILE}. `make down` stops it.",
        soft_wrap=True,
    )
    if testbed is not None and _TESTBED in progress.started:
        testbed.down()
    done = [(one, str(run["id"])) for one, run in measured if run is not None]
    progress.done(
        {key_of(None, one.spec): run_id for one, run_id in done},
        {one.template: [run_id, *one.references] for one, run_id in done},
    )


def _repeated(api: Api, progress: ArticleProgress, measured: Measured) -> list[RepeatedVerdicts]:
    """Each run beside the last one of its specification, where that is still there."""
    pairs = [
        previous_run.compare_with_previous(api, progress.before, key_of(None, one.spec), one, run)
        for one, run in measured
        if run is not None
    ]
    return [one for one in pairs if one is not None]


def _under_way(api: Api, progress: ArticleProgress, uid: str) -> dict[str, Any] | None:
    """The cluster, where a run that was begun before continues on it: nothing of it is changed."""
    going_on = any(
        run is not None and run["state"] != "finished"
        for run in (_known(api, one) for one in progress.runs.values())
    )
    known = (one for one in api.all("/clusters") if one["cluster_uid"] == uid)
    return next(known, None) if going_on else None


def _measured(
    api: Api,
    console: Console,
    progress: ArticleProgress,
    cluster: dict[str, Any],
    to_do: list[Experiment],
) -> Measured:
    """Every experiment with its run; one that fails is said, and the others go on."""
    left, begun = TimeLeft(to_do), time.monotonic()
    progress_line = (
        f"{len(to_do)} experiments; their plans say" if to_do[1:] else "1 experiment; its plan says"
    )
    console.print(f"{progress_line} about {left.seconds() / 60:.0f} min")
    measured: Measured = []
    for number, one in enumerate(to_do, 1):
        key = key_of(cluster["cluster_uid"], one.spec)
        title = f"[{number}/{len(to_do)}] {one.spec['name']}"
        run = _known(api, progress.runs.get(key))
        if run is not None and run["state"] == "finished":
            run = _with_more_results(api, progress, key, run)
        if run is not None and run["state"] == "finished" and _is_done(run):
            left.end(one, progress.seconds.get(key, one.seconds))
            part = "" if run["outcome"] == "succeeded" else ", in part"
            console.print(f"{title}: done before{part}", markup=False)
            measured.append((one, run))
            continue
        progress_line = f"{title} ({one.trials} trials); {left.said()}"
        console.print(progress_line, markup=False, soft_wrap=True)
        console.print(f"    against the article: {one.narrowed}", markup=False, soft_wrap=True)
        left.begin()
        # What ended early is measured again.
        if run is None or run["state"] == "finished":
            begin = progress.repeat if run and run["outcome"] == "partial" else progress.add
            begin(key, runs.start(api, cluster["id"], one.spec))
        run = _finished(api, console, progress, key, one.trials, left)
        progress.took(key, left.end(one))
        measured.append((one, run))
    console.print(f"measured in {(time.monotonic() - begun) / 60:.1f} min")
    return measured


def _is_done(run: dict[str, Any]) -> bool:
    """Whether a finished run is not repeated.

    A partial run all of whose cases succeeded could not be cleaned up. A ladder that ran out of
    time would do so again.
    """
    if run["outcome"] != "partial":
        return bool(run["outcome"] == "succeeded")
    reason, cases = run["reason"], run["progress"]
    while isinstance(reason, dict) and reason["code"] == "ended_and_faults":
        reason = reason["params"]["reason"]
    out_of_time = isinstance(reason, dict) and reason["code"] == "ladder_out_of_time"
    return out_of_time or bool(cases["succeeded"] == sum(cases.values()))


def _finished(
    api: Api, console: Console, progress: ArticleProgress, key: str, trials: int, left: TimeLeft
) -> dict[str, Any] | None:
    """The run of the key at its end, or the run in part that it repeats if that has more results;
    None if neither has any.
    """
    try:
        run = runs.finish(api, console, progress.runs[key], trials, left.said)
    except CancelledError:
        raise
    except DemoError as error:
        console.print(f"    {error}", style="red", markup=False)
        used = _known(api, progress.in_part.get(key))
    else:
        used = _with_more_results(api, progress, key, run)
        if used is run:
            return run
    if used is not None:
        line = f"    the run {used['id']} has more results and is used instead"
        console.print(line, markup=False, soft_wrap=True)
    return used


def _with_more_results(
    api: Api, progress: ArticleProgress, key: str, run: dict[str, Any]
) -> dict[str, Any]:
    """A finished run, or the run in part that it repeats if more cases succeeded there."""
    earlier = _known(api, progress.in_part.get(key))
    if earlier is None or _results(run) >= _results(earlier):
        progress.repeated(key)
        return run
    progress.keep(key)
    return earlier


def _results(run: dict[str, Any]) -> int:
    """How many cases of a finished run succeeded; -1 if none can be used."""
    return int(run["progress"]["succeeded"]) if run["outcome"] in _WITH_RESULTS else -1


def _known(api: Api, run_id: str | None) -> dict[str, Any] | None:
    """The run; None where there is none, as of a database that is gone."""
    if run_id is None:
        return None
    try:
        return dict(api.get(f"/runs/{run_id}"))
    except DemoError:
        return None


def _earlier(api: Api, progress: ArticleProgress, measured: Measured) -> dict[str, list[str]]:
    """By article runs of templates that are not measured this time: of what fails, or this cluster
    has not, or has besides. IPVS and IP-in-IP on one kernel, Cilium's routing on another cluster.
    """
    now = {one.template for one, run in measured if run is not None}
    runs: dict[str, list[str]] = {}
    for template, (run_id, *references) in progress.latest.items():
        run = _known(api, run_id) if template not in now else None
        if run is not None and run["outcome"] in _WITH_RESULTS:
            for reference in references:
                runs.setdefault(reference, []).append(run_id)
    return runs


def _beside(measured: Measured, earlier: dict[str, list[str]]) -> dict[str, list[str]]:
    """The runs that each article is set beside, those of this time first."""
    runs = {one: _runs_of(one, measured) + earlier.get(one, []) for one in ARTICLES}
    return {one: ids[:_MOST_RUNS] for one, ids in runs.items() if ids}


def _documents(api: Api, beside: dict[str, list[str]]) -> list[Reproduction]:
    return [
        _REPRODUCTION.validate_python(api.get(f"/references/{one}/reproduction", run_id=ids))
        for one, ids in beside.items()
    ]


def _runs_of(reference: str, measured: Measured) -> list[str]:
    return [
        str(run["id"]) for one, run in measured if run is not None and reference in one.references
    ]


def _shared(api: Api, beside: dict[str, list[str]]) -> str | None:
    """The link to all tables, frozen and redacted; None where there is no run."""
    asked = [{"reference_id": one, "run_ids": ids} for one, ids in beside.items()]
    if not asked:
        return None
    shared = api.post("/snapshots", {"title": _TITLE, "reproduction": asked})
    return str(shared["url"])


def _page(api: Api, beside: dict[str, list[str]]) -> str:
    """The address of all tables in the web UI."""
    choices = [f"{one}:{'.'.join(ids)}" for one, ids in beside.items()]
    return f"{api.url}/references/reproduced?of={quote(','.join(choices))}"


def _leave_nothing(
    console: Console,
    settings: Settings,
    progress: ArticleProgress,
    testbed: Testbed | None,
    kubectl: Kubectl,
    *,
    switch: bool,
) -> None:
    """Cancel what is in progress, and end what was started for this."""
    api = Api(f"http://{settings.host}:{settings.port}")
    if api.ready():
        api, _ = stack.ensure(settings)
        for run_id in progress.runs.values():
            run = _known(api, run_id)
            if run is not None and run["state"] != "finished":
                if run["cancel_requested_at"] is None:
                    api.post(f"/runs/{run_id}/cancel")
                for _ in api.events(run_id):
                    pass
        # Those of a testbed that was started for this go with it.
        if _RIGHTS in progress.started and not (testbed and _TESTBED in progress.started):
            words = ("delete", "--ignore-not-found", "--filename", "-")
            kubectl.run(*words, stdin=manifest(api, kubectl, switch=switch))
            progress.started.remove(_RIGHTS)
    if testbed is not None and _TESTBED in progress.started:
        testbed.down()
        progress.started = [one for one in progress.started if one not in (_TESTBED, _RIGHTS)]
    if _STACK in progress.started and down(settings):
        console.print("the stack is stopped")
        progress.started.remove(_STACK)
    progress.write()
