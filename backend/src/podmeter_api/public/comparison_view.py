"""A comparison on the public page."""

from podmeter.services.comparisons.document import Comparison, Contender, Effect, Pair
from podmeter.services.exports.comparison_files import centre, change
from podmeter.services.measured import words
from podmeter_api.public.chinese import Speak
from podmeter_api.public.headline_view import ENGLISH
from podmeter_api.public.markup import Html, element, fragment, table
from podmeter_api.public.wording import REASONS, said, word

#: What a comparison may show, by its verdict.
GATES = {
    "comparable": "Comparable: nothing differs but what follows from {axes}.",
    "confounded": "Confounded: besides {axes} other things differ, named below.",
    "refused": "Refused: the environments differ in what is not compared, named below.",
}


def render(comparison: Comparison, language: str, speak: Speak) -> Html:
    """All contenders against the baseline."""
    return fragment(
        element("p", said(language, "Baseline: "), element("strong", comparison.baseline.label)),
        element(
            "p",
            said(
                language,
                "Effects up to {threshold} of the baseline count as noise; "
                "intervals are of {level} or a little more.",
                threshold=f"{comparison.noise_threshold:.1%}",
                level=f"{1 - comparison.alpha:.0%}",
            ),
        ),
        [_contender(one, language, speak) for one in comparison.contenders],
    )


def _contender(one: Contender, language: str, speak: Speak) -> Html:
    main = [(pair, each) for pair in one.pairs for each in pair.effects if each.main]
    rest = [(pair, each) for pair in one.pairs for each in pair.effects if not each.main]
    others = said(language, "Other metrics")
    silent = [pair for pair in one.pairs if not pair.effects]
    return element(
        "section",
        element("h2", said(language, "Contender: {label}", label=one.side.label)),
        _gate(one, language),
        _effects(said(language, "Main metrics"), main, language) if main else "",
        element("ul", [element("li", curve.text) for curve in one.curves], lang=ENGLISH)
        if one.curves
        else "",
        _more(others, _effects(others, rest, language)) if rest else "",
        table(
            said(language, "Not compared"),
            (said(language, "case"), said(language, "why")),
            [(words.point(pair.shared), _why(pair, language, speak)) for pair in silent],
        )
        if silent
        else "",
        _alone(one, language),
    )


def _why(pair: Pair, language: str, speak: Speak) -> Html:
    """Why a pair has no effects."""
    if pair.comparability == "refused":
        return fragment(said(language, "The environments differ."))
    sides = (("baseline", pair.baseline), ("contender", pair.contender))
    states = [
        fragment(
            said(language, side),
            f" {word(language, case.status)}",
            fragment(": ", speak(case.reason)) if case.reason else "",
        )
        for side, case in sides
    ]
    return fragment(states[0], "; ", states[1])


def _gate(one: Contender, language: str) -> Html:
    axes = ", ".join(one.compared_axes) or said(language, "no axis")
    sentence = said(language, GATES[one.gate.verdict], axes=axes)
    against = [found for found in one.gate.differences if found.axis is None]
    follows = [found for found in one.gate.differences if found.axis is not None]
    header = (
        said(language, "field"),
        said(language, "baseline"),
        said(language, "contender"),
        said(language, "follows from"),
    )
    differs, nothing = said(language, "What differs"), said(language, "nothing compared")
    rows = [
        (found.field, str(found.baseline), str(found.contender), found.axis or nothing)
        for found in (*against, *follows)
    ]
    return fragment(
        element("p", sentence, class_=one.gate.verdict),
        element("p", said(language, "Main metrics: {tally}.", tally=_tally(one, language))),
        _more(differs, table(differs, header, rows), open_=bool(against)) if rows else "",
    )


def _tally(one: Contender, language: str) -> str:
    if language == ENGLISH:
        return words.tally(one.tally)
    counts = (f"{getattr(one.tally, name)} {word(language, name)}" for name in words.VERDICTS)
    return "，".join(counts)


def _effects(caption: str, found: list[tuple[Pair, Effect]], language: str) -> Html:
    header = (
        said(language, "case"),
        said(language, "metric"),
        said(language, "baseline"),
        said(language, "contender"),
        said(language, "change"),
        said(language, "p"),
        said(language, "verdict"),
    )
    return table(caption, header, [_row(pair, effect, language) for pair, effect in found])


def _row(pair: Pair, effect: Effect, language: str) -> tuple[str | Html, ...]:
    verdict = element("span", word(language, effect.verdict), class_=effect.verdict)
    reasons = words.REASONS if language == ENGLISH else REASONS
    return (
        words.point(pair.shared),
        words.metric(effect.metric, effect.subject),
        centre(effect.baseline, effect),
        centre(effect.contender, effect),
        change(effect),
        _tested(effect, language),
        fragment(verdict, f": {reasons[effect.reason]}"),
    )


def _tested(effect: Effect, language: str) -> str:
    if language == ENGLISH or effect.adjusted_p is None or effect.looked_at < 2:
        return words.tested(effect.p, effect.adjusted_p, effect.looked_at)
    one, all_ = words.p_value(effect.p), words.p_value(effect.adjusted_p)
    return f"{one}（所看的 {effect.looked_at} 项之一：{all_}）"


def _alone(one: Contender, language: str) -> Html | str:
    cases = [*one.unpaired_baseline, *one.unpaired_contender]
    if not cases:
        return ""
    items = [element("li", words.point(case.point)) for case in cases]
    return _more(said(language, "Cases without a counterpart"), element("ul", items))


def _more(title: str, inner: Html, *, open_: bool = False) -> Html:
    return element("details", element("summary", title), inner, open="" if open_ else None)
