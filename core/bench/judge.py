"""What the simulations have in common: an error share's bound, and the command that judges."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.row import Row
from scipy import stats


def upper_end(wrong: int, runs: int) -> float:
    """The upper end of the 95 % interval of a share (Clopper and Pearson), in percent."""
    return 100.0 if wrong == runs else 100 * float(stats.beta.ppf(0.975, wrong + 1, runs - wrong))


def main(document: str, measure: Callable[[int], list[dict[str, Any]]], runs: int) -> None:
    """Simulate, print, judge. `document` is the caller's docstring, `runs` the default per line."""
    parser = argparse.ArgumentParser(description=document.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=runs, help="of each line")
    parser.add_argument("--json", type=Path, help="write the figures there too")
    given = parser.parse_args()
    found = measure(given.runs)
    rows = [Row(**one) for one in found]
    for row in rows:
        missed = "" if row.met else "MISSED "
        sys.stdout.write(f"{missed}{row.what}: {row.value:.1f} {row.unit}  {row.note}\n")
    if given.json:
        given.json.write_text(json.dumps(found, indent=2) + "\n")
    sys.exit(0 if all(row.met for row in rows) else 1)
