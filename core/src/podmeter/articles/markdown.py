"""docs/explanation/articles.md: which of the articles' claims our own runs confirm."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from podmeter.articles import previous_run
from podmeter.articles.experiments import Experiment
from podmeter.articles.previous_run import RepeatedVerdicts
from podmeter.services.exports.markdown import Markdown, bullets, code, escape, heading, table
from podmeter.services.exports.reproduction_files import article
from podmeter.services.reproduction.document import Reproduction

_Document = dict[str, Any]
_HEAD = """# The five articles, measured

`make articles` writes this page from its own runs. Our figures are medians of a case with their
intervals, and [the usual rules](verdicts.md) give the verdicts. A claim *holds* if its whole
interval agrees with it, and *does not hold* if no part does. In between, or where the comparison is
undecided, it *cannot be told*. [References](references.md) explains how claims are computed."""
_ONE_MACHINE = (
    "**The nodes of this cluster are one machine.** Between them nothing crosses a real network, "
    "and they share its CPUs: figures are not those of the articles' machines, and only shapes "
    "(what is above what, what falls and what does not) can be set beside theirs."
)


def page(
    cluster: _Document,
    documents: Sequence[Reproduction],
    found: Sequence[tuple[Experiment, _Document | None]],
    repeated: Sequence[RepeatedVerdicts] = (),
) -> str:
    """The whole page."""
    parts = [_HEAD, *_where(cluster, documents), _runs(found), *_earlier(documents, found)]
    if repeated:
        lines = bullets(f"{one.name}, {previous_run.summary_line(one)}" for one in repeated)
        parts.append(f"{heading('Against the time before')}\n{lines}")
    for document in documents:
        parts += article(document)
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _where(cluster: _Document, documents: Sequence[Reproduction]) -> Iterator[str]:
    seen = cluster["capabilities"] or {}
    nodes = seen.get("nodes") or []
    machines = dict.fromkeys(
        f"{node['cpus']} CPUs, {node['os']}, Linux {node['kernel']}" for node in nodes
    )
    version = seen.get("kubernetes_version")
    lines = [f"Kubernetes {version}, {len(nodes)} nodes: {'; '.join(machines)}"]
    cni = seen.get("cni") or {}
    if cni.get("name"):
        lines.append(f"pod network: {cni['name']} {cni.get('version') or ''}")
    yield f"{heading('Where')}\n{bullets(lines)}"
    if any(run.shared_host for document in documents for run in document.runs):
        yield _ONE_MACHINE


def _runs(found: Sequence[tuple[Experiment, _Document | None]]) -> str:
    rows = []
    for one, run in found:
        outcome, began, took = "failed", "", ""
        if run is not None:
            outcome = run["outcome"]
            if outcome != "succeeded" and run["reason"]:
                outcome += f": {run['reason']['text']}"
            began = run["started_at"][:16].replace("T", " ")
            took = f"{_seconds(run) / 60:.1f} min"
        articles = Markdown(", ".join(code(name) for name in one.references))
        named = Markdown(f"{escape(one.spec['name'])} ({code(one.template)})")
        rows.append([named, articles, outcome, began, took, one.narrowed])
    header = ["experiment", "articles", "outcome", "began (UTC)", "took", "against the article"]
    return f"{heading('What was run')}\n{table(header, rows)}"


def _earlier(
    documents: Sequence[Reproduction], found: Sequence[tuple[Experiment, _Document | None]]
) -> Iterator[str]:
    """Runs of another time that are beside the articles, too."""
    now = {run["id"] for _, run in found if run is not None}
    runs = {str(run.run_id): run for document in documents for run in document.runs}
    lines = [
        f"{run.name}, on {', '.join(run.clusters)}, {run.started_at:%Y-%m-%d %H:%M} UTC"
        for id_, run in runs.items()
        if id_ not in now and run.started_at is not None
    ]
    if lines:
        yield f"Measured before, and not this time:\n\n{bullets(lines)}"


def _seconds(run: _Document) -> float:
    begun, ended = (datetime.fromisoformat(run[name]) for name in ("started_at", "finished_at"))
    return (ended - begun).total_seconds()
