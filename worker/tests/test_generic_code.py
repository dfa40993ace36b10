"""Generic code knows no switcher: what one needs is a hook of `Switcher` or of `Component`."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from podmeter.domain.components.registry import COMPONENTS

ROOT = Path(__file__).parents[2]
FOLDERS = ("core/src/podmeter", "backend/src/podmeter_api", "worker/src/podmeter_worker")
DECLARATIONS, STEPS = "podmeter.domain.components", "podmeter_worker.modes"
NAMES = {name.replace("-", "_") for name in COMPONENTS}
#: Who names a switcher, and why.
EXCEPTIONS = {
    # The line of each.
    "core/src/podmeter/domain/components/registry.py": NAMES,
    "worker/src/podmeter_worker/modes/registry.py": NAMES,
    # A fingerprint has kube-proxy's settings as fields of its own, whether it is switched or not.
    "worker/src/podmeter_worker/kube/facts/kube_proxy.py": {"kube_proxy"},
}


def own_files() -> set[Path]:
    declarations = ROOT / "core/src/podmeter/domain/components"
    steps = ROOT / "worker/src/podmeter_worker/modes"
    return {declarations / f"{name}.py" for name in NAMES} | {steps / name for name in NAMES}


def generic_files() -> Iterator[Path]:
    own = own_files()
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*.py")):
            if not own & {file, *file.parents}:
                yield file


def switchers_imported_in(source: str) -> set[str]:
    """The switchers of whose folder or declaration a module imports anything."""
    parents = (DECLARATIONS, STEPS)
    if not any(one in source for one in parents):
        return set()  # most files: they are not parsed
    modules: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            modules |= {node.module, *(f"{node.module}.{one.name}" for one in node.names)}
        elif isinstance(node, ast.Import):
            modules |= {one.name for one in node.names}
    return {
        name
        for name in NAMES
        if any(f"{module}.".startswith(f"{one}.{name}.") for module in modules for one in parents)
    }


def test_each_has_a_declaration_and_a_folder_of_one_name() -> None:
    assert [one for one in own_files() if not one.exists()] == []


def test_no_switcher_is_imported_outside_its_folders() -> None:
    found = {
        str(file.relative_to(ROOT)): names
        for file in generic_files()
        if (names := switchers_imported_in(file.read_text()))
    }
    assert found == EXCEPTIONS


@pytest.mark.parametrize(
    "source",
    [
        "from podmeter_worker.modes.kube_proxy import nodes",
        "from podmeter_worker.modes import kube_proxy",
        "import podmeter_worker.modes.kube_proxy.nodes",
        "from podmeter.domain.components.kube_proxy import CONFIGURATIONS",
        "from podmeter.domain.components import kube_proxy",
    ],
)
def test_each_way_to_import_one_is_found(source: str) -> None:
    assert switchers_imported_in(source) == {"kube_proxy"}


def test_a_name_that_begins_alike_is_another() -> None:
    assert switchers_imported_in("from podmeter_worker.modes import kube_proxy_like") == set()


@pytest.mark.parametrize("parent", [DECLARATIONS, STEPS])
def test_every_file_that_may_import_one_is_parsed(parent: str) -> None:
    with pytest.raises(SyntaxError):
        switchers_imported_in(f"no Python: {parent}")
    assert switchers_imported_in("no Python") == set()
