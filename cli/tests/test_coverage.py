"""The command line does what the web UI does, or its how-to guide says why it does not."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator

from .conftest import ROOT

DOCUMENT = json.loads((ROOT / "docs/openapi.json").read_text())
_OF_CLIENT = {
    "get": "GET",
    "pages": "GET",
    "text": "GET",
    "download": "GET",
    "post": "POST",
    "put": "PUT",
    "patch": "PATCH",
    "delete": "DELETE",
}
_UI_CALL = re.compile(r"\bapi\.(GET|POST|PUT|PATCH|DELETE)\(\s*\"(/api/v1[^\"]*)\"")
#: Paths that the UI has in strings alone: event streams and files that a browser fetches.
_UI_PATH = re.compile(r"[`\"](/api/v1/[^`\"?]*)")
_BY_BROWSER = {"stream_events", "export_run", "export_run_rows", "export_comparison"}
_BY_BROWSER |= {"export_comparison_rows", "export_audit", "export_public_snapshot"}


def operations() -> dict[tuple[str, str], str]:
    """The id of each operation by method and path, whose parameters have no names."""
    return {
        (method.upper(), unnamed(path.removeprefix("/api/v1"))): operation["operationId"]
        for path, methods in DOCUMENT["paths"].items()
        for method, operation in methods.items()
    }


def unnamed(path: str) -> str:
    return re.sub(r"\$?\{[^}]*\}", "{}", path)


def of_ui() -> set[str]:
    """The operations that the UI's sources name."""
    known = operations()
    found: set[str] = set()
    for file in (ROOT / "frontend/src").rglob("*.ts*"):
        if file.name == "schema.d.ts" or ".test." in file.name:
            continue
        text = file.read_text()
        for method, path in _UI_CALL.findall(text):
            found.add(known[method, unnamed(path.removeprefix("/api/v1"))])
        for path in _UI_PATH.findall(text):
            one = known.get(("GET", unnamed(path.removeprefix("/api/v1"))))
            found |= {one} & _BY_BROWSER if one else set()
    return found


def of_cli() -> set[str]:
    """The operations that the command line's sources call by name."""
    known = operations()
    found: set[str] = set()
    for file in (ROOT / "cli/src/podmeter_cli").rglob("*.py"):
        tree = ast.parse(file.read_text())
        variables = dict(assigned(tree))
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            method, arguments = _OF_CLIENT.get(node.func.attr, ""), node.args
            if node.func.attr == "stream":
                method, arguments = "GET", node.args[1:]
            if method and arguments:
                paths = template(arguments[0], variables)
                found |= {known[method, path] for path in paths if (method, path) in known}
    return found


def assigned(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id, node.value


def template(node: ast.expr, variables: dict[str, ast.expr]) -> Iterator[str]:
    """The paths that an expression may be, without the names of what is filled in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield f"/{node.value.removeprefix('/')}"
    elif isinstance(node, ast.Name) and node.id in variables:
        yield from template(variables[node.id], variables)
    elif isinstance(node, ast.IfExp):
        yield from template(node.body, variables)
        yield from template(node.orelse, variables)
    elif isinstance(node, ast.JoinedStr):
        paths = [""]
        for part in node.values:
            if isinstance(part, ast.Constant):
                paths = [path + str(part.value) for path in paths]
            elif isinstance(part, ast.FormattedValue):
                inner = part.value
                known = isinstance(inner, ast.Name) and inner.id in variables
                filled = list(template(inner, variables)) if known else []
                paths = [path + one for path in paths for one in filled or ["{}"]]
        yield from (f"/{path.removeprefix('/')}" for path in paths)


def left_out() -> set[str]:
    """The operations that docs/how-to/use-the-command-line.md lists with the reason."""
    text = (ROOT / "docs/how-to/use-the-command-line.md").read_text()
    rows = text[text.index("## What has no command") :].splitlines()
    listed = [row.split("|") for row in rows if row.startswith("| `")]
    assert all(cells[2].strip() for cells in listed)
    return {one for cells in listed for one in re.findall(r"`(\w+)`", cells[1])}


def test_every_operation_of_the_ui_is_a_command_or_listed_with_the_reason() -> None:
    ui, cli, listed = of_ui(), of_cli(), left_out()
    # So that sources that are not read do not look like operations that are covered.
    assert {"create_run", "get_summaries", "create_cluster", "export_run"} <= ui
    assert {
        "create_run",
        "get_summaries",
        "cancel_run",
        "retry_run",
        "export_run",
        "stream_events",
    } <= cli
    assert ui - cli - listed == set()
    # Nothing is listed that has a command, or that is not there.
    assert listed & cli == set()
    assert listed - set(operations().values()) == set()
