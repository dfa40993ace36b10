"""`.ci/phrases` finds listed phrases in texts and comments, and bad commit subjects."""

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / ".ci"
LIST = "# a remark\n\\banew\\b\tagain\n\\bput(s)? back\\b\trestore\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository whose first commit adds the list of phrases."""
    (tmp_path / ".ci").mkdir()
    shutil.copy(SCRIPTS / "phrases", tmp_path / ".ci" / "phrases")
    (tmp_path / ".ci" / "phrases.txt").write_text(LIST)
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    commit(tmp_path, "started anew, before there was a list")
    return tmp_path


def git(tree: Path, *arguments: str) -> str:
    settings = ["-c", "user.name=Test", "-c", "user.email=test@example.com"]
    return subprocess.run(
        ["git", "-C", tree, *settings, *arguments],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    ).stdout


def commit(tree: Path, subject: str) -> str:
    git(tree, "add", "--all")
    git(tree, "commit", "--quiet", "--allow-empty", "--message", subject)
    return git(tree, "log", "-1", "--format=%h").strip()


def check(tree: Path, *names: str) -> list[str]:
    """What the check prints; it fails exactly when it prints something."""
    ended = subprocess.run(
        [tree / ".ci" / "phrases", *names], capture_output=True, text=True, timeout=60
    )
    assert ended.stderr == ""
    assert ended.returncode == (1 if ended.stdout else 0)
    return ended.stdout.splitlines()


def write(tree: Path, name: str, content: str) -> None:
    path = tree / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


#: Files with the numbers of the lines that the check reports.
FILES: dict[str, tuple[str, list[int]]] = {
    "a.py": ("# begin\n# Anew\nx = 1\n", [2]),
    "two_lines.py": ("# what is put\n# back here\n", [1]),
    "strings.py": ('def f():\n    """Puts\n    back."""\n    return "as anew"\n', [2, 4]),
    "names.py": ('anew = put_back  # `anew`\nx = f"{anew} anew {anew}"\n', [2]),
    "a/tests/test_a.py": (
        'x = {\n    "as anew": 1,\n}\n\n\ndef f():\n    """Do it anew."""\n    return 1  # anew\n',
        [7, 8],
    ),
    "a.ts": ('const anew = "anew" // anew\n/* it is\n * put back\n */\n', [1, 3]),
    "a.tsx": ("<p>don't</p>\n{/* anew */}\n", [2]),
    "a.go": ('// Start does so anew.\nvar text = "put back"\n', [1, 2]),
    "a_test.go": ('var text = "put back"\n', []),
    "src/i18n/en/a.json": (
        '{\n  "anew": "Start again",\n  "b": "Start anew",\n  "c": "{{anew}}"\n}\n',
        [3],
    ),
    "kinds/one/texts.en.json": ('{"b": "Start anew"}\n', [1]),
    "tools/two.texts.en.json": ('{"b": "Start anew"}\n', [1]),
    "texts/en/messages/a.json": ('{"b": "Start anew"}\n', [1]),
    "core/tests/texts/a.json": ('{"b": "Start anew"}\n', []),
    "a.json": ('{"b": "Start anew"}\n', []),
    "a.md": ("Old settings are put\nback.\n\nput\n\nback\n", [1]),
    "a.yaml": ("# Started anew\nkey: value\n", [1]),
    "Makefile": ("begin: ## start anew\n", [1]),
    "core/tests/fixtures/a.md": ("anew\n", []),
}


def test_each_kind_of_file(tree: Path) -> None:
    for name, (content, _) in FILES.items():
        write(tree, name, content)
    git(tree, "add", "--all")
    places = [line.split(":")[:2] for line in check(tree)]
    for name, (_, lines) in FILES.items():
        assert [int(line) for at, line in places if at == name] == lines, name


def test_a_complaint_has_the_suggestion(tree: Path) -> None:
    write(tree, "a.md", "Begin anew.\n")
    git(tree, "add", "--all")
    assert check(tree) == ['a.md:1: "anew": again']


def test_excluded_files_are_checked_when_named(tree: Path) -> None:
    write(tree, "docs/a.md", "Begin anew.\n")
    git(tree, "add", "--all")
    (tree / ".ci" / "phrases-excluded.txt").write_text("# later\ndocs/*\n")
    assert check(tree) == []
    assert check(tree, "docs/a.md") == ['docs/a.md:1: "anew": again']


#: Subjects with what is wrong with them.
SUBJECTS = {
    "Fix double-counted server output": None,
    "Process rows once": None,
    "Embed the schema": None,
    "Fixed the count": '"Fixed": begin with an imperative, such as "Fix" or "Add"',
    "Fixing the count": '"Fixing": begin with an imperative, such as "Fix" or "Add"',
    "Fixes the count": '"Fixes": begin with an imperative, such as "Fix" or "Add"',
    "fix the count": '"fix": begin with a capital letter',
    "Start the server anew": '"anew": again',
    "F" * 73: "73 characters: at most 72",
}


def test_subjects_since_the_list(tree: Path) -> None:
    expected = []
    for subject, complaint in SUBJECTS.items():
        added = commit(tree, subject)
        if complaint:
            expected.append(f"commit {added}:1: {complaint}")
    assert sorted(check(tree)) == sorted(expected)


def test_subjects_of_branches_from_before_the_list_are_not_checked(tmp_path: Path) -> None:
    (tmp_path / ".ci").mkdir()
    shutil.copy(SCRIPTS / "phrases", tmp_path / ".ci" / "phrases")
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    commit(tmp_path, "Begin")
    git(tmp_path, "switch", "--quiet", "--create", "older")
    commit(tmp_path, "did something")
    git(tmp_path, "switch", "--quiet", "main")
    (tmp_path / ".ci" / "phrases.txt").write_text(LIST)
    commit(tmp_path, "Add the list")
    git(tmp_path, "merge", "--quiet", "--no-edit", "older")
    assert check(tmp_path) == []
