"""What parsers make of mutated answers: `python -m core.bench.parsers [--mutations 100000]`.

Each parser reads so many mutations of what its tool really printed. It fails where one of them
raises anything but the parser's own error, or is read as a number that its text contradicts; exits
with 1 then. The mutations follow from the seed.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from core.bench.mutations import Tally, parsers, tried


def _try(number: int, mutations: int, seed: int) -> Tally:
    return tried(list(parsers())[number], mutations, seed)


def _row(name: str, tally: Tally) -> dict[str, Any]:
    faults = tally.foreign + tally.contradicted
    note = f"{tally.mutations:,} mutations, {tally.read:,} of them read"
    if faults:
        note += f"; {tally.foreign} other errors, {tally.contradicted} contradicted: {tally.first}"
    # A bar in a table is no place for what a hostile text may contain.
    note = note.encode("ascii", "replace").decode().replace("|", "/").replace("\n", " ")
    return {"what": f"{name}, wrong answers", "value": faults, "unit": "", "bar": 0, "note": note}


def rows(mutations: int, seed: int = 1) -> Iterator[dict[str, Any]]:
    """A row of the table for each parser, printed as soon as it is known."""
    names = [parser.name for parser in parsers()]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        tasks = [pool.submit(_try, number, mutations, seed) for number in range(len(names))]
        for name, task in zip(names, tasks, strict=True):
            row = _row(name, task.result())
            print(f"{row['value']:>6}  {row['what']}: {row['note']}", flush=True)
            yield row


def main() -> int:
    """0 if no parser was taken in."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--mutations", type=int, default=100_000, help="of each parser")
    reader.add_argument("--seed", type=int, default=1)
    given = reader.parse_args()
    found = list(rows(given.mutations, given.seed))
    return int(any(row["value"] > 0 for row in found))


if __name__ == "__main__":
    sys.exit(main())
