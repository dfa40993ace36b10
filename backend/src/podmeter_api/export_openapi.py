"""Write what is generated from the API: `python -m podmeter_api.export_openapi`.

docs/openapi.json is the OpenAPI document. frontend/src/api/registry.json is what the UI has to know
of the kinds where no API answers, as on shared pages: the values of every axis in their declared
order, which decides on their colours, which axes are of modes, and the main metrics, the one in
question first.
docs/reference has the pages that are made from the code.
"""

import argparse
import json
from pathlib import Path

from podmeter.domain.axes import BLOCK_AXES, MODE_AXES
from podmeter.kinds.registry import KINDS, metrics_of
from podmeter.settings import Settings
from podmeter_api import export_reference
from podmeter_api.app import create_app

PROJECT = Path(__file__).resolve().parents[3]
DEFAULT = PROJECT / "docs" / "openapi.json"
REFERENCE = PROJECT / "docs" / "reference"
REGISTRY = PROJECT / "frontend" / "src" / "api" / "registry.json"


def render() -> str:
    """The document; the same for the same code."""
    app = create_app(Settings.model_construct(frontend_dir=None))
    return json.dumps(app.openapi(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def render_registry() -> str:
    """Axes of the same name share their values."""
    values: dict[str, list[str]] = {}
    for kind in KINDS.values():
        for axis in kind.axes:
            met = values.setdefault(axis.name, [])
            met += [one for one in axis.choices if one not in met]
    named = {axis: words for axis, words in values.items() if words}
    mains = {
        kind: [metric.name for metric in metrics_of(kind).values() if metric.main] for kind in KINDS
    }
    document = {
        "axis_values": named,
        "mode_axes": MODE_AXES,
        "block_axes": BLOCK_AXES,
        "main_metrics": mains,
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", nargs="?", type=Path, default=DEFAULT)
    path: Path = parser.parse_args().path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(render(), encoding="utf-8")
    export_reference.write(REFERENCE)
    REGISTRY.write_text(render_registry(), encoding="utf-8")


if __name__ == "__main__":
    main()
