"""Weight and speed of the web UI in a real browser, against a stack and a scripted cluster."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path

from bench.row import PROJECT, BenchEnvironment, BenchError, Row, Section


def _measure(_: BenchEnvironment) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="podmeter-bench-") as folder:
        written = Path(folder, "figures.json")
        ended = subprocess.run(
            ("npm", "--prefix", "frontend", "run", "bench"),
            cwd=PROJECT,
            env={**os.environ, "BENCH_JSON": str(written)},
            check=False,
        )
        if ended.returncode != 0 or not written.exists():
            raise BenchError(f"the browser's figures ended with {ended.returncode}")
        return [Row(**one) for one in json.loads(written.read_text())]


SECTION = Section("ui", "web UI", needs_testbed=False, measure=_measure)
