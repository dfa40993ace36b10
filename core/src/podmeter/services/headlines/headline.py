"""The headline of a document: the one place where it is made."""

from collections.abc import Sequence

from pydantic import JsonValue

from podmeter.services.comparisons.document import Comparison
from podmeter.services.headlines import effects, side_pairs, single_run
from podmeter.services.headlines.document import Advised, Headline, Sentence, sentence
from podmeter.services.headlines.recommendation import recommendation
from podmeter.services.headlines.run_losses import LostWithin, lost_within
from podmeter.services.headlines.text import ALIKE, DIFFERENT, text
from podmeter.services.run_results.loss import shares
from podmeter.services.summaries.document import RunReport
from podmeter.statistics import METHOD_VERSION

#: What a run's own findings take for noise: the same as a comparison that does not say otherwise.
NOISE, ALPHA = 0.03, 0.05
#: Verdicts from before it are repeated by no headline.
_FIRST_TRUSTED = 2


def of_report(report: RunReport, method_version: int = METHOD_VERSION) -> Headline:
    """What a run found: what its modes change, how its curves run, what its paths lose."""
    if method_version < _FIRST_TRUSTED:
        return _of_older(method_version, report)
    pairs = side_pairs.of_report(report)
    lost = LostWithin(shares(report.losses))
    sentences = [
        *_ordered([said for one in pairs for said in effects.sentences(one, NOISE, ALPHA)]),
        *_ordered(
            [
                *single_run.link_sentences(report.findings),
                *single_run.curve_sentences(report.findings),
                *single_run.loss_sentences(lost, NOISE),
            ]
        ),
    ]
    if not sentences:
        counted = sum(1 for one in report.cases if one.counted)
        sentences.append(sentence("measured", cases=counted) if counted else sentence("nothing"))
    return Headline(
        sentences,
        [*_caveats(report), *single_run.mtu_sentences(report.findings)],
        _recommended(pairs, report, [lost], NOISE, sentences[0]),
    )


def of_comparison(comparison: Comparison) -> Headline:
    """What a comparison found, and what its runs found within themselves."""
    if comparison.method_version < _FIRST_TRUSTED:
        return _of_older(comparison.method_version, comparison)
    sides = side_pairs.of_comparison(comparison)
    noise, alpha = comparison.noise_threshold, comparison.alpha
    lost = lost_within(comparison)
    sentences = [
        *_ordered([said for one in sides for said in effects.sentences(one, noise, alpha)]),
        *_ordered([said for one in lost for said in single_run.loss_sentences(one, noise)]),
    ]
    sentences = sentences or [sentence("nothing")]
    return Headline(
        sentences,
        _caveats(comparison),
        _recommended(sides, comparison, lost, noise, sentences[0]),
    )


def _of_older(version: int, of: RunReport | Comparison) -> Headline:
    return Headline([sentence("older_method", version=version)], _caveats(of))


def _caveats(of: RunReport | Comparison) -> list[Sentence]:
    known = {"shared_host": of.shared_host, "services_by_cni": of.services_by_cni}
    found = [sentence(code) for code, holds in known.items() if holds]
    if rungs := of.one_assignment:
        told: list[JsonValue] = [dict(one) for one in rungs]
        found.append(sentence("one_assignment", where=text("places", cases=told, whole=True)))
    return found


def _recommended(
    pairs: list[side_pairs.SidePair],
    of: RunReport | Comparison,
    lost: Sequence[LostWithin],
    noise: float,
    first: Sentence,
) -> list[Advised]:
    """Advice; the largest difference is named unless the first sentence has told it."""
    # Where Cilium answers pods, what they met recommends no mode of kube-proxy.
    judged = side_pairs.but_of_services(pairs) if of.services_by_cni else pairs
    told = first.parameters.get("amount", first.parameters.get("factor"))
    return [
        one
        for one in recommendation(judged, lost, noise)
        if one.code != "largest" or one.parameters["amount"] != told
    ]


def _ordered(sentences: Sequence[Sentence]) -> list[Sentence]:
    """What differs first, then what is alike, then what is not clear.

    It orders the sentences of one question. What the modes change comes before all else, even
    where it is undecided: this is what was asked. A sentence that continues from the one before
    it stays behind it.
    """
    groups: list[list[Sentence]] = []
    for one in sentences:
        if one.code in _GOES_ON and groups:
            groups[-1].append(one)
        else:
            groups.append([one])
    return [one for group in sorted(groups, key=lambda group: _rank(group[0])) for one in group]


_GOES_ON = frozenset(
    {"others", "budget", "small_more", "small_less", "confounded"}
    | {"losses_more", "path_more", "path_less"}
)


def _rank(one: Sentence) -> int:
    if one.code in DIFFERENT:
        return 0
    return 1 if one.code in ALIKE else 2
