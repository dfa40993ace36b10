"""Write the OpenAPI document to docs/openapi.json: `python -m podmeter_api.export_openapi`."""

import argparse
import json
from pathlib import Path

from podmeter.settings import Settings
from podmeter_api.app import create_app

DEFAULT = Path(__file__).resolve().parents[3] / "docs" / "openapi.json"


def render() -> str:
    """The document; the same for the same code."""
    app = create_app(Settings.model_construct(frontend_dir=None))
    return json.dumps(app.openapi(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", nargs="?", type=Path, default=DEFAULT)
    path: Path = parser.parse_args().path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(render(), encoding="utf-8")


if __name__ == "__main__":
    main()
