"""Generic code knows no kind: what one needs is a hook of `Kind` that any other may use."""

import ast
import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import podmeter.drivers
from podmeter.drivers.tool import Tool
from podmeter.kinds.registry import IMPORTED, KINDS, metrics_of, tools

ROOT = Path(__file__).parents[3]
FOLDERS = ("core/src/podmeter", "backend/src/podmeter_api", "worker/src/podmeter_worker")
KINDS_FOLDER = ROOT / "core/src/podmeter/kinds"
#: Where kinds are named: the one line of each in the registry, published experiments and figures,
#: templates, and the demo. The generator of the reference shows an example.
NAMED = (
    "core/src/podmeter/kinds/registry.py",
    "core/src/podmeter/articles",
    "core/src/podmeter/references",
    "core/src/podmeter/templates",
    "core/src/podmeter/demo",
    "backend/src/podmeter_api/export_reference.py",
    # A feature of pod networks, which fingerprints call by the same word as a kind.
    "worker/src/podmeter_worker/kube/facts/cni.py",
)
#: A kind's word that is a metric's too says nothing.
WORDS = {
    kind.name
    for kind in KINDS.values()
    if not any(kind.name in metrics_of(name) for name in (*KINDS, IMPORTED.name))
}
DRIVERS = "podmeter.drivers"
#: Tools of which a kind reads figures; kinds and what they share import them. Rules of the kernel
#: are read by drivers in a folder of their own.
MEASURING_TOOLS = {
    module.name
    for module in pkgutil.iter_modules(podmeter.drivers.__path__)
    if isinstance(getattr(import_module(f"{DRIVERS}.{module.name}"), "TOOL", None), Tool)
}
#: asyncio has transports too.
IDENTIFIERS = WORDS - {"transport"} | {type(kind).__name__ for kind in KINDS.values()}
#: No file without one of these names a kind: most files are not parsed.
NAMES = re.compile("|".join(sorted({*WORDS, *IDENTIFIERS, *KINDS})))


def generic_files() -> Iterator[Path]:
    named = [ROOT / one for one in NAMED]
    own = [KINDS_FOLDER / kind for kind in KINDS]
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*.py")):
            if not any(file == one or one in file.parents for one in (*named, *own)):
                yield file


def kinds_named_in(source: str) -> set[str]:
    """The kinds that a module imports, or names in a string or an identifier."""
    found: set[str] = set()
    if not NAMES.search(source):
        return found
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            modules = [node.module, *(f"{node.module}.{one.name}" for one in node.names)]
            found |= {part for one in modules for part in _kind_of_module(one)}
        elif isinstance(node, ast.Import):
            found |= {part for one in node.names for part in _kind_of_module(one.name)}
        elif isinstance(node, ast.Constant) and node.value in WORDS:
            found.add(str(node.value))
        elif isinstance(node, ast.Name) and node.id in IDENTIFIERS:
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and node.attr in IDENTIFIERS:
            found.add(node.attr)
    return found


def tools_imported_in(source: str) -> set[str]:
    """The measuring tools whose modules a module imports."""
    found: set[str] = set()
    if DRIVERS not in source:
        return found
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module == DRIVERS:
            found |= {one.name for one in node.names} & MEASURING_TOOLS
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module.removeprefix(f"{DRIVERS}.")} & MEASURING_TOOLS
    return found


def _kind_of_module(name: str) -> set[str]:
    parts = name.split(".")
    inside = parts[:2] == ["podmeter", "kinds"]
    return {parts[2]} if inside and len(parts) > 2 and parts[2] in KINDS else set()


def test_no_kind_is_named_outside_its_folder() -> None:
    found = {
        str(file.relative_to(ROOT)): names
        for file in generic_files()
        if (names := kinds_named_in(file.read_text()))
    }
    assert found == {}


def test_no_measuring_tool_is_imported_but_by_kinds() -> None:
    shared = KINDS_FOLDER, ROOT / "core/src/podmeter/drivers"
    found = {
        str(file.relative_to(ROOT)): names
        for file in generic_files()
        if not any(one in file.parents for one in shared)
        and (names := tools_imported_in(file.read_text()))
    }
    assert found == {}
    assert tools_imported_in("from podmeter.drivers import ab, program") == {"ab"}
    assert tools_imported_in("from podmeter.drivers.ab import TOOL") == {"ab"}


def test_a_tool_is_named_as_its_driver_is() -> None:
    """So that the tests above know every tool that a kind declares."""
    names = {tool.name for tool in tools()}
    unknown = names - MEASURING_TOOLS - {"iptables", "nft"}
    assert not unknown, (
        f"{sorted(unknown)}: the driver core/src/podmeter/drivers/<tool>.py has TOOL, and the "
        "tool's name is the module's"
    )
    unused = MEASURING_TOOLS - names
    assert not unused, (
        f"{sorted(unused)}: name TOOL in the `tools` of the kinds that run it, so that "
        "fingerprints have its version"
    )


#: Where the web UI names a kind or a tool: data of tests, and the browsers that a session names.
NAMED_IN_WEB_UI = (
    "charts/report/example.ts",
    "comparison_view/testing.ts",
    "features/runs/samples.ts",
    "features/profile/browser_name.ts",
)


def test_the_web_ui_names_no_kind_and_no_measuring_tool() -> None:
    source = ROOT / "frontend/src"
    exempt = {source / one for one in NAMED_IN_WEB_UI}
    assert [one for one in exempt if not one.exists()] == []
    # A metric may have the name of a kind.
    names = "|".join(sorted(WORDS | MEASURING_TOOLS))
    literal = re.compile(rf"""["'`]({names})["'`]""")
    found = {
        str(file.relative_to(ROOT)): literal.findall(file.read_text())
        for file in sorted(source.rglob("*.ts*"))
        if ".test." not in file.name and file.name != "schema.d.ts" and file not in exempt
    }
    assert {file: names for file, names in found.items() if names} == {}


@pytest.mark.parametrize(
    "source",
    [
        "from podmeter.kinds.service_scale.axes import PROBE",
        "from podmeter.kinds import service_scale",
        "import podmeter.kinds.throughput.kind",
        "kind == 'service_scale'",
        "isinstance(kind, ServiceScale)",
    ],
)
def test_each_way_to_name_one_is_found(source: str) -> None:
    assert kinds_named_in(source)


@pytest.mark.parametrize("name", sorted({*WORDS, *IDENTIFIERS, *KINDS}))
def test_every_file_with_a_name_is_parsed(name: str) -> None:
    with pytest.raises(SyntaxError):
        kinds_named_in(f"no Python: {name}")
    assert kinds_named_in("no Python") == set()
