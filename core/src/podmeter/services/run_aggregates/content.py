"""Digests as JSON text: written of a run that was measured, read again for less than measuring."""

import hashlib
import uuid
from collections.abc import Mapping
from dataclasses import astuple
from functools import cache
from typing import Any

from pydantic import TypeAdapter
from pydantic_core import from_json, to_json

from podmeter.db.repositories.digests import Digest
from podmeter.domain.measurement import MetricDefinition
from podmeter.kinds.limits import CaseLimits, LimitedBy
from podmeter.kinds.registry import KINDS, metrics_of
from podmeter.results.projected import Projected
from podmeter.services.headlines.document import Answer, Headline, Sentence, answer_of
from podmeter.services.headlines.headline import ALPHA, NOISE
from podmeter.services.headlines.text import statements
from podmeter.services.run_results.blocks import CaseBlocks, FigureBlocks, case_blocks
from podmeter.services.run_results.runs import KeptSamples, MeasuredRun, MeasuredSample
from podmeter.services.summaries.losses import losses
from podmeter.statistics import METHOD_VERSION, FloorArm, Sample, Squares

_LOSSES = TypeAdapter(list[Projected])
#: How digests are written. An older one is made again, as one by another method is.
_FORM = 6


@cache
def version_of(kind: str) -> str:
    """What a kind's digests are computed by: another method, metric, sentence or form makes them
    again.
    """
    told = [repr(one) for one in metrics_of(kind).values()]
    text = repr((_FORM, METHOD_VERSION, NOISE, ALPHA, kind, told, statements()))
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def versions() -> tuple[str, ...]:
    """Those of all kinds."""
    return tuple(version_of(kind) for kind in KINDS)


def digest_of(measured: MeasuredRun, headline: Headline | None = None) -> Digest:
    """The digest of a finished run, read with its main metrics alone.

    Without its headline, which takes longer, it has no answer yet.
    """
    run = measured.run
    samples = [
        (one.case_id, one.metric.name, one.subject, *_arrays(one))
        for members in measured.by_case.values()
        for one in members
    ]
    limits = [(case_id, dict(one.counts)) for case_id, one in measured.limits.items()]
    return Digest(
        run_id=run.id,
        last_event=run.last_event,
        version=version_of(run.kind),
        samples=to_json([samples, limits]).decode(),
        losses=_LOSSES.dump_json(losses(measured, NOISE, ALPHA)).decode(),
        blocks=to_json([_written(one) for one in case_blocks(measured)]).decode(),
        answer=None if headline is None else _answer(headline),
    )


def _answer(headline: Headline) -> str:
    """Its answer, as documents keep sentences; "" where nothing is compared."""
    answer = answer_of(headline)
    if answer is None:
        return ""
    kept = [(one.code, one.parameters) for one in (answer.sentence, *answer.caveats)]
    return to_json(kept).decode()


def read_answer(text: str | None) -> Answer | None:
    """The answer of a run; None where there is none."""
    if not text:
        return None
    first, *caveats = (Sentence(code, parameters) for code, parameters in from_json(text))
    return Answer(first, caveats)


def _arrays(one: MeasuredSample) -> tuple[object, ...]:
    return one.sample.rounds, one.trials, one.sample.groups


def read_samples(text: str, kind: str) -> KeptSamples:
    """The samples by case, and what limited the cases."""
    metrics = metrics_of(kind)
    found: dict[int, list[MeasuredSample]] = {}
    samples, limits = from_json(text)
    for case_id, metric, subject, rounds, trials, groups in samples:
        sample = Sample(tuple(map(tuple, rounds)), tuple(groups))
        one = MeasuredSample(case_id, metrics[metric], subject, sample, tuple(map(tuple, trials)))
        found.setdefault(case_id, []).append(one)
    return KeptSamples(
        {case_id: tuple(members) for case_id, members in found.items()},
        {
            case_id: CaseLimits({LimitedBy(code): count for code, count in counts.items()})
            for case_id, counts in limits
        },
    )


def read_losses(text: str) -> list[Projected]:
    """The losses by the default thresholds."""
    return _LOSSES.validate_json(text)


def read_blocks(text: str, kind: str) -> tuple[CaseBlocks, ...]:
    """What a noise floor takes."""
    metrics = metrics_of(kind)
    return tuple(_case(one, metrics) for one in from_json(text))


def _written(case: CaseBlocks) -> Any:
    figures = [
        (
            *(one.metric.name, one.subject, one.main, one.arm.medians, astuple(one.arm.trials)),
            None if one.arm.logarithms is None else astuple(one.arm.logarithms),
        )
        for one in case.figures
    ]
    return case.point, case.placement, sorted(case.fingerprints, key=str), figures


def _case(written: Any, metrics: Mapping[str, MetricDefinition]) -> CaseBlocks:
    point, placement, fingerprints, figures = written
    return CaseBlocks(
        point,
        placement,
        frozenset(None if one is None else uuid.UUID(one) for one in fingerprints),
        tuple(
            FigureBlocks(
                metrics[metric],
                subject,
                main,
                FloorArm(
                    tuple(medians),
                    Squares(*trials),
                    None if logarithms is None else Squares(*logarithms),
                ),
            )
            for metric, subject, main, medians, trials, logarithms in figures
        ),
    )
