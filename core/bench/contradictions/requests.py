"""Whether what ab, curl, vegeta and a watch of Services printed contradicts what was read of it."""

from __future__ import annotations

import base64
import json
import math
from typing import TYPE_CHECKING

from core.bench.contradictions.commands import run_lines
from core.bench.contradictions.figures import far, faults

if TYPE_CHECKING:
    from podmeter.drivers import ab as ab_driver
    from podmeter.drivers import curl as curl_driver
    from podmeter.drivers import service_watch as watch_driver
    from podmeter.drivers import vegeta as vegeta_driver


def ab(options: ab_driver.Options, text: str, answer: ab_driver.Answer) -> str:
    """Every label once, requests by time the rate, and all of it as asked."""
    labelled: dict[str, list[str]] = {}
    for line in text.split("\n"):
        label, _, rest = line.partition(":")
        labelled.setdefault(label, []).append(rest.split("(")[0].split("[")[0].strip())
    said = {label: values[0].split(" ")[0] for label, values in labelled.items()}
    seconds, rate = float(said["Time taken for tests"]), float(said["Requests per second"])
    # Times have a resolution of one millisecond, which is coarse for a short run.
    slack = 0.0006 / seconds
    return faults(
        twice=any(len(labelled[label]) > 1 for label in ("Requests per second", "Document Length")),
        rate=answer.requests_per_second != rate or far(rate, options.requests / seconds, slack),
        seconds=answer.seconds != seconds,
        mean=far(answer.mean_seconds, options.concurrency / rate, 0.0006 / answer.mean_seconds),
        count=float(said["Complete requests"]) != options.requests,
        failed=float(said["Failed requests"]) != 0,
        length=answer.document_bytes != options.document_bytes,
        bodies=float(said["HTML transferred"]) < options.requests * options.document_bytes,
        descending=list(answer.percentiles) != sorted(answer.percentiles),
    )


HEADS = ("begin", "told", "asked", "ended", "gap")


def service_watch(text: str, answer: watch_driver.Watched) -> str:
    """Every line's times are there once, in order within each Service, between begin and end."""
    lines = [line.split(" ") for line in text.split("\n")[:-2]]
    heads = {name: float(value) for name, value in lines[: len(HEADS)]}
    looks = [line for line in lines if line[0] in ("ok", "fail")]
    told = [one for stretches in answer.services for one in stretches]
    times = [[time for one in found for time in (one.first, one.last)] for found in answer.services]
    return faults(
        heads=heads != {name: getattr(answer, name) for name in HEADS},
        looks=[(one.works, one.first, one.last, one.looks) for one in told]
        != [(word == "ok", float(a), float(b), int(count)) for word, a, b, count in looks],
        order=any(one != sorted(one) for one in times),
        outside=any(not answer.begin <= t <= answer.ended for one in times for t in one),
        end=not text.endswith("\nend\n"),
    )


def curl(options: curl_driver.Options, text: str, answer: tuple[curl_driver.Request, ...]) -> str:
    """Phases ascend within the process's own time; every answer was 2xx and as long as it must be;
    the first is left out where it does not count.
    """
    left_out = options.made - options.requests
    runs = run_lines(text)[left_out:]
    said = [json.loads(line) for line in text.split("\n") if line.startswith("{")][left_out:]
    figures = list(zip(answer, runs, said, strict=True))
    return faults(
        order=any(
            not 0 <= one.namelookup <= one.connect <= one.pretransfer
            or not one.pretransfer <= one.starttransfer <= one.total <= one.process
            for one in answer
        ),
        size=any(told["size"] != options.body_bytes for _, _, told in figures),
        who=any((one.address, one.server) != (t["address"], t["server"]) for one, _, t in figures),
        process=any(one.process != float(run[2]) or int(run[1]) != 0 for one, run, _ in figures),
        total=any(one.total != told["time_total"] for one, _, told in figures),
        status=any(not 200 <= told["http_code"] < 300 for _, _, told in figures),
        none=any(not (one.total > 0 and math.isfinite(one.process)) for one in answer),
    )


def waited(text: str, answer: float | None) -> str:
    """The microseconds of the text, unless the first attempt was answered."""
    vain, microseconds, _ = text.split(" ")
    expected = int(microseconds) / 1e6 if int(vain) else None
    return faults(seconds=answer != expected)


def silent(text: str, answer: curl_driver.Silence) -> str:
    """The microseconds of the text; nothing was answered later than it was silent."""
    answered, since, last, _ = text.split(" ")
    expected = int(last) / 1e6 if int(answered) else None
    return faults(
        since=answer.since != int(since) / 1e6,
        answered=answer.answered != expected,
        order=int(last) < int(since),
    )


def vegeta(text: str, answer: vegeta_driver.Answer) -> str:
    """Every request's time is in a line of its own, and their sum and ends in the report."""
    report, headers, *lines, _ = text.removesuffix("\n").split("\n")
    told = json.loads(report)
    rows = sorted([int(word) for word in line.split()] for line in lines)
    taken = [row[3] for row in rows]
    seconds = (rows[-1][1] - rows[0][1]) / 1e9
    announced = base64.b64decode(headers.split()[1]).decode("latin-1").lower()
    return faults(
        taken=[round(one * 1e9) for one in answer.seconds] != taken,
        total=told["latencies"]["total"] != sum(taken) or told["requests"] != len(taken),
        ends=[told["latencies"][one] for one in ("min", "max")] != [min(taken), max(taken)],
        numbers=[row[0] for row in rows] != list(range(len(rows))),
        status={row[2] for row in rows} != {200},
        rate=far(answer.requests_per_second, (len(rows) - 1) / seconds),
        length="content-length: 512\r" not in announced,
    )


def reached(text: str, answer: tuple[bool | None, ...]) -> str:
    """A code for each that was asked; 0 was answered."""
    codes = [int(word) for word in text.split()[:-1]]
    told = [{0: True, 7: False, 28: False}.get(code) for code in codes]
    return faults(codes=told != list(answer), count=len(answer) != 3)
