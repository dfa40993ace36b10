"""Whether a text that somebody pasted contradicts the figures that were read from it.

By other means than the readers' own, as `contradictions` does for what Podmeter's own tools print.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from core.bench.contradictions.figures import far

if TYPE_CHECKING:
    from podmeter.drivers.pasted.output import Output
    from podmeter.drivers.pasted.read import Pasted

#: What a unit is worth, by what it means: bits in 1000s, iperf3's bytes in 1024s.
_WORTH = {
    **{f"{p}bits/sec": 1000.0**n for n, p in enumerate(("", "K", "M", "G", "T"))},
    **{f"{p}Bytes/sec": 8 * 1024.0**n for n, p in enumerate(("", "K", "M", "G", "T"))},
    **{f"{p}B/sec": 8 * 1000.0**n for n, p in enumerate(("", "K", "M", "G", "T")) if p},
    **{f"{p}b/sec": 1000.0**n for n, p in enumerate(("", "K", "M", "G", "T")) if p},
    **{f"{p}/sec": 1000.0**n for n, p in enumerate(("", "K", "M", "G", "T"))},
    "bytes/sec": 8.0,
    "Mb/s": 1e6,
    "OP/s": 1.0,
    "Trans/s": 1.0,
    **{f"{p}bit/s": 1000.0**n for n, p in enumerate(("", "k", "M", "G"))},
    **{f"{p}Bytes/s": 8 * 1024.0**n for n, p in enumerate(("", "K", "M", "G"))},
    "Mibit/s": 2.0**20,
    "KiMibit/s": 1000 * 2.0**20,
    "µs": 1e-6,
    "[#/sec]": 1.0,
    "% cpus": 0.01,
    "ns": 1e-9,
    "us": 1e-6,
    "usec": 1e-6,
    "ms": 1e-3,
    "[ms]": 1e-3,
    "sec": 1.0,
    "secs": 1.0,
    "ns/GB": 1e-18,
    "us/GB": 1e-15,
    "ms/GB": 1e-12,
    "sec/GB": 1e-9,
    "%": 0.01,
    "": 1.0,
    "s": 1.0,
    "m": 60.0,
    "h": 3600.0,
}
#: Fields of documents that are not in a base unit.
_FIELDS = {"jitter_ms": 1e-3, "bandwidth": 1e6, "udpLossPercent": 0.01}

#: A name with its number, which an address or a time is not.
_NAMED = r'"?([a-z_]{4,})"?\s?[:=]\s*([0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?![0-9.:])'


def _worth(printed: str) -> float:
    """A figure's value by its own words."""
    if spans := re.fullmatch(r"(?:([0-9]+)m)?([0-9.]+)s", printed):
        return 60 * float(spans[1] or 0) + float(spans[2])
    if moved := re.fullmatch(r"([0-9.]+) ([KMGT]?Bytes) in ([0-9.]+)-([0-9.]+) sec", printed):
        seconds = float(moved[4]) - float(moved[3])
        return float(moved[1]) * _WORTH[f"{moved[2]}/sec"] / seconds
    if both := re.fullmatch(r"sent ([0-9]+), received ([0-9]+)", printed):
        return (float(both[1]) - float(both[2])) / float(both[1])
    if share := re.search(
        r"^([0-9]+)/([0-9]+)$|^lost_packets ([0-9]+), packets ([0-9]+)$", printed
    ):
        part, whole = (one for one in share.groups() if one is not None)
        return float(part) / float(whole)
    if field := re.fullmatch(r"([A-Za-z_.0-9]*[A-Za-z_]) ([0-9.e+-]+)(?: (\S+))?", printed):
        last = field[1].rpartition(".")[2]
        return float(field[2]) * (_WORTH[field[3]] if field[3] else _FIELDS.get(last, 1.0))
    form = r"([0-9.,]+(?:e[+-][0-9]+)?) ?(.*)"
    number, unit = re.fullmatch(form, printed).groups()  # type: ignore[union-attr]
    return float(number.replace(",", "")) * _WORTH[unit.removesuffix(" (mean)")]


def pasted(text: str, answer: Pasted) -> str:
    """Each figure is worth what it prints, on the line that it names; a mean is one of a column."""
    lines = text.replace("\r", "").removeprefix("\ufeff").split("\n")
    wrong = [one for output in answer.outputs for one in _figures_wrong(output, lines)]
    return ", ".join(wrong)


def _figures_wrong(output: Output, lines: list[str]) -> list[str]:
    block = lines[output.first - 1 : output.last]
    found = []
    names = {(one.metric, one.subject) for one in output.figures}
    if len(names) != len(output.figures) or not names:
        found.append("twice or nothing")
    if re.search(r"(?:Non-2xx\D{1,30}|Failed requests: *)[1-9]", "\n".join(block)):
        found.append("failures")
    for one in output.figures:
        if not math.isfinite(one.value) or one.value < 0:
            found.append(f"{one.metric} {one.value}")
        elif one.printed and far(one.value, _worth(one.printed), 1e-6):
            found.append(f"{one.metric} {one.value} of {one.printed}")
        elif one.printed and not _is_there(one.printed, block, lines[one.line - 1]):
            found.append(f"{one.printed} not there")
        elif not one.printed and not any(not far(one.value, mean) for mean in _means(block)):
            found.append(f"{one.metric} {one.value} no mean")
    return found


def _is_there(printed: str, block: list[str], line: str) -> bool:
    """Whether the words, or a document's number, are in the text."""
    if " ".join(printed.split()) in " ".join(line.split()):
        return True
    document = "\n".join(block)
    form = r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
    held = {float(one) for one in re.findall(form, document)}
    return all(float(one) in held for one in re.findall(form, printed))


def _means(block: list[str]) -> list[float]:
    """The means of a block's columns, or of what has one name in it."""
    columns: dict[object, list[float]] = {}
    for line in block:
        for name, number in re.findall(_NAMED, line):
            columns.setdefault(name, []).append(float(number))
    rows = [line.split() for line in block]
    tables = {len(row) for row in rows if row and all(map(_is_number, row))}
    for row in rows:
        # A column whose name is none of the tool's may hold anything.
        if len(row) in tables and sum(map(_is_number, row)) >= max(len(row) - 1, 1):
            for place, word in enumerate(row):
                if _is_number(word):
                    columns.setdefault(place, []).append(float(word.rstrip("s")))
    return [sum(values) / len(values) for values in columns.values()]


def _is_number(word: str) -> bool:
    return re.fullmatch(r"[0-9]+(?:\.[0-9]+)?s?", word) is not None
