"""Measure, print, write: `make bench`, `make bench ONLY=api,footprint`, `make bench QUICK=1`."""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack

from bench import document, testbed
from bench.row import BenchEnvironment, BenchError
from bench.sections import SECTIONS


def main() -> int:
    """0 if every bar that was measured is met."""
    given = _arguments()
    chosen = [section for section in SECTIONS if section.name in given.only]
    site = BenchEnvironment(given.quick, testbed.KUBECONFIG, testbed.KUBECTL)
    measured: dict[str, list[str]] = {}
    good = True
    with ExitStack() as stack:
        if any(section.needs_testbed for section in chosen):
            stack.enter_context(testbed.ready())
        for section in chosen:
            print(f"\n== {section.title}", flush=True)
            try:
                rows = section.measure(site)
            except BenchError as error:
                print(f"not measured: {error}", file=sys.stderr)
                good = False
                continue
            good = good and all(row.met for row in rows)
            measured[section.name] = document.lines(section, rows)
            if not given.quick:
                # At once: what was measured is kept whatever becomes of the next one.
                document.write(document.table(SECTIONS, measured))
    print(f"\n{document.table(chosen if given.quick else SECTIONS, measured)}")
    said = "quick, so not written" if given.quick else f"written to {document.DOCUMENT}"
    print(f"\n{said}")
    return 0 if good else 1


def _arguments() -> argparse.Namespace:
    names = [section.name for section in SECTIONS]
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--only", default=",".join(names), help=f"of {', '.join(names)}")
    parser.add_argument("--quick", action="store_true", help="shortened, only to see that it works")
    given = parser.parse_args()
    given.only = given.only.split(",")
    if unknown := sorted(set(given.only) - set(names)):
        parser.error(f"no section is called {', '.join(unknown)}; there are {', '.join(names)}")
    return given


if __name__ == "__main__":
    sys.exit(main())
