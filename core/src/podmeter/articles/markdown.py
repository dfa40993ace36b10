"""docs/articles.md, written of what was measured: what came out like it, and what did not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from podmeter.articles import again, said
from podmeter.articles.again import Again
from podmeter.articles.experiments import Experiment

_Document = dict[str, Any]
_HEAD = """# The five articles, measured

Written by `make articles` of its own runs, and by nothing else: every figure beside an article's is
the median of a case with its interval, every verdict that of [measuring.md](measuring.md) and never
stronger. A claim *holds* where the whole interval of what it computes is what it allows, *does not
hold* where none of it is, and cannot be told in between, or where the comparison is inconclusive.
What the articles print, and how their claims are computed of their own figures, is in
[references.md](references.md)."""
_ONE_MACHINE = (
    "**The nodes of this cluster are one machine.** Between them nothing crosses a real network, "
    "and they share its CPUs: figures are not those of the articles' machines, and only shapes "
    "(what is above what, what falls and what does not) can be set beside theirs."
)


def page(
    cluster: _Document,
    documents: Sequence[_Document],
    found: Sequence[tuple[Experiment, _Document | None]],
    repeated: Sequence[Again] = (),
) -> str:
    """The whole page."""
    parts = [_HEAD, *_where(cluster, documents), _runs(found)]
    if repeated:
        lines = [f"- {one.name}, {again.said(one)}" for one in repeated]
        parts.append("\n".join(["## Against the time before", "", *lines]))
    for document in documents:
        parts += _article(document)
    return "\n\n".join(parts) + "\n"


def _where(cluster: _Document, documents: Sequence[_Document]) -> Iterator[str]:
    seen = cluster["capabilities"] or {}
    nodes = seen.get("nodes") or []
    machines = dict.fromkeys(
        f"{node['cpus']} CPUs, {node['os']}, Linux {node['kernel']}" for node in nodes
    )
    lines = [
        "## Where",
        "",
        f"- Kubernetes {seen.get('kubernetes_version')}, {len(nodes)} nodes: {'; '.join(machines)}",
    ]
    cni = seen.get("cni") or {}
    if cni.get("name"):
        lines.append(f"- pod network: {cni['name']} {cni.get('version') or ''}".rstrip())
    yield "\n".join(lines)
    if any(run["shared_host"] for document in documents for run in document["runs"]):
        yield _ONE_MACHINE


def _runs(found: Sequence[tuple[Experiment, _Document | None]]) -> str:
    lines = [
        "## What was run",
        "",
        "| experiment | articles | outcome | began (UTC) | took | against the article |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for one, run in found:
        outcome, began, took = "failed", "", ""
        if run is not None:
            outcome = run["outcome"]
            if outcome != "succeeded" and run["reason"]:
                outcome += f": {run['reason']['text']}"
            began = run["started_at"][:16].replace("T", " ")
            took = f"{_seconds(run) / 60:.1f} min"
        articles = ", ".join(f"`{name}`" for name in one.references)
        cells = (f"{one.spec['name']} (`{one.template}`)", articles, outcome, began, took)
        lines.append(_row(*cells, one.narrowed))
    return "\n".join(lines)


def _article(document: _Document) -> Iterator[str]:
    title = document["title"]
    named = f"[{title}]({document['url']})" if document["url"] else title
    yield f"## {document['subject']['en']}\n\n{named}"
    if document["stand_ins"]:
        told = [
            f"`{one['measured']}` stands in the place of its `{one['published']}`"
            for one in document["stand_ins"]
        ]
        yield f"{'; '.join(told)}: a claim about the one is told here of the other."
    claims = [
        "| claim | of its own figures | of ours | verdict |",
        "| --- | --- | --- | --- |",
        *(
            _row(
                f"{one['said']['en']} ({one['where']})",
                said.PUBLISHED[one["published"]],
                said.results(one),
                said.verdict(one),
            )
            for one in document["claims"]
        ),
    ]
    yield "\n".join(claims)
    for table in document["tables"]:
        if table["measured"]:
            yield _table(table)
    missing = [one for one in document["tables"] if not one["measured"]]
    if missing:
        lines = [
            f"- {one['title']['en']} ({one['where']}): {said.WHY_NOT[one['why_not']]}"
            for one in missing
        ]
        yield "\n".join(["Not reproduced:", "", *lines])


def _table(table: _Document) -> str:
    """A published table, ours below each figure that we have; rows without one are left out."""
    rows = [row for row in table["rows"] if any(cell["ours"] for cell in row["cells"])]
    places = [
        place
        for place in range(len(table["columns"]))
        if any(row["cells"][place]["ours"] for row in rows)
    ]
    columns = [table["columns"][place]["printed"] or "value" for place in places]
    lines = [
        f"### {table['title']['en']} ({table['where']})",
        "",
        _row("", *(f"{one}, {side}" for one in columns for side in ("published", "ours"))),
        _row(*["---"] * (1 + 2 * len(places))),
    ]
    for row in rows:
        cells = []
        for place in places:
            cell = row["cells"][place]
            ours = f"{said.median(cell['ours'])}, n = {cell['ours']['n']}" if cell["ours"] else ""
            cells += [said.quoted(cell), ours]
        lines.append(_row(row["printed"] or row["id"], *cells))
    left = table["figures"] - table["measured"]
    if left:
        lines += ["", f"{left} of its {table['figures']} figures have none of ours beside them."]
    return "\n".join(lines)


def _row(*cells: str) -> str:
    return "| " + " | ".join(one.replace("|", "\\|").replace("\n", " ") for one in cells) + " |"


def _seconds(run: _Document) -> float:
    begun, ended = (datetime.fromisoformat(run[name]) for name in ("started_at", "finished_at"))
    return (ended - begun).total_seconds()
