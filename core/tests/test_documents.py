"""What the documents point to is there: links, their headings, and files named by their path."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from podmeter.kinds.registry import metrics_of, names

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [
    str(path.relative_to(ROOT))
    for folder in ("*.md", "docs/**/*.md", "frontend/src/**/*.md")
    for path in sorted(ROOT.glob(folder))
]
#: Made by a command, so that a fresh clone does not have it; so is what begins with a dot, but .ci.
MADE = {"frontend/dist"}
FOLDERS = {
    path.name
    for path in ROOT.iterdir()
    if path.is_dir() and (path.name == ".ci" or not path.name.startswith("."))
}
#: Says how it was, under the names of then.
HISTORY = re.compile(r"CHANGELOG\.md|docs/adr/")
MODULES = {path.name for one in FOLDERS - {"frontend"} for path in (ROOT / one).rglob("*.py")}
TARGETS = set(re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def prose(document: str) -> str:
    """The document without its code blocks."""
    return re.sub(r"```.*?```", "", (ROOT / document).read_text(encoding="utf-8"), flags=re.DOTALL)


def anchors(path: Path) -> set[str]:
    """What headings are linked by, as GitHub makes it of them."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_somewhere(document: str) -> None:
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(document)):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = link.partition("#")
        path = (ROOT / document).parent / file if file else ROOT / document
        if not path.exists() or (anchor and anchor not in anchors(path)):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_files_that_are_named_exist(document: str) -> None:
    missing = []
    for named in re.findall(r"`([^`\s]+/[^`\s]*)`", prose(document)):
        if named.partition("/")[0] not in FOLDERS or named in MADE:
            continue
        # `<kind>` and NAME stand for whatever is there, `{a,b}` for each of them.
        path = re.sub(r"<\w+>|\b[A-Z]{4,}\b(?=/)", "*", named)
        several = re.search(r"{([^}]*)}", path)
        every = [path.replace(several[0], one) for one in several[1].split(",")] if several else []
        missing += [one for one in every or [path] if not any(ROOT.glob(one.rstrip("/")))]
    assert missing == []


@pytest.mark.parametrize("document", [one for one in DOCUMENTS if not HISTORY.match(one)])
def test_modules_and_targets_that_are_named_exist(document: str) -> None:
    text = prose(document)
    modules = set(re.findall(r"`(\w+\.py)`", text)) - MODULES
    targets = set(re.findall(r"`make ([a-z][\w-]*)", text)) - TARGETS
    assert (modules, targets) == (set(), set())


def test_every_threshold_of_noise_is_in_the_table() -> None:
    text = (ROOT / "docs/explanation/verdicts.md").read_text(encoding="utf-8")
    rows = text.partition("| metric | absolute threshold |\n")[2].partition("\n\n")[0]
    named = {name for row in rows.splitlines() for name in re.findall(r"`(\w+)`", row)}
    metrics = [metric for kind in names() for metric in metrics_of(kind).values()]
    assert named == {metric.name for metric in metrics if metric.noise}


def test_there_are_documents_to_look_at() -> None:
    assert {"README.md", "CONTRIBUTING.md", "docs/explanation/architecture.md"} <= set(DOCUMENTS)
