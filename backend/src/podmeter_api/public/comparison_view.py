"""A comparison on the public page."""

from podmeter.services.comparisons.document import Comparison, Contender, Effect, Pair
from podmeter.services.exports.comparison_files import centre, change, why
from podmeter.services.measured import words
from podmeter_api.public.markup import Html, element, fragment, table

_HEADER = ("case", "metric", "baseline", "contender", "change", "p", "verdict")


def render(comparison: Comparison) -> Html:
    """All contenders against the baseline."""
    return fragment(
        element("p", "Baseline: ", element("strong", comparison.baseline.label)),
        element(
            "p",
            f"Effects up to {comparison.noise_threshold:.1%} of the baseline count as noise; "
            f"intervals are of {1 - comparison.alpha:.0%} or a little more.",
        ),
        [_contender(one) for one in comparison.contenders],
    )


def _contender(one: Contender) -> Html:
    main = [(pair, each) for pair in one.pairs for each in pair.effects if each.main]
    rest = [(pair, each) for pair in one.pairs for each in pair.effects if not each.main]
    silent = [pair for pair in one.pairs if not pair.effects]
    return element(
        "section",
        element("h2", f"Contender: {one.side.label}"),
        _gate(one),
        table("Main metrics", _HEADER, [_row(*each) for each in main]) if main else "",
        element("ul", [element("li", curve.text) for curve in one.curves]) if one.curves else "",
        _more("Other metrics", table("Other metrics", _HEADER, [_row(*each) for each in rest]))
        if rest
        else "",
        table(
            "Not compared",
            ("case", "why"),
            [(words.point(pair.shared), why(pair)) for pair in silent],
        )
        if silent
        else "",
        _alone(one),
    )


def _gate(one: Contender) -> Html:
    axes = ", ".join(one.compared_axes) or "no axis"
    sentence = {
        "comparable": f"Comparable: nothing differs but what follows from {axes}.",
        "confounded": f"Confounded: besides {axes} other things differ, named below.",
        "refused": "Refused: the environments differ in what is not compared, named below.",
    }[one.gate.verdict]
    against = [found for found in one.gate.differences if found.axis is None]
    follows = [found for found in one.gate.differences if found.axis is not None]
    header = ("field", "baseline", "contender", "follows from")
    rows = [
        (found.field, str(found.baseline), str(found.contender), found.axis or "nothing compared")
        for found in (*against, *follows)
    ]
    return fragment(
        element("p", sentence, class_=one.gate.verdict),
        element("p", f"Main metrics: {words.tally(one.tally)}."),
        _more("What differs", table("What differs", header, rows), open_=bool(against))
        if rows
        else "",
    )


def _row(pair: Pair, effect: Effect) -> tuple[str | Html, ...]:
    verdict = element("span", effect.verdict, class_=effect.verdict)
    return (
        words.point(pair.shared),
        words.metric(effect.metric, effect.subject),
        centre(effect.baseline, effect),
        centre(effect.contender, effect),
        change(effect),
        words.tested(effect.p, effect.adjusted_p, effect.looked_at),
        fragment(verdict, f": {words.REASONS[effect.reason]}"),
    )


def _alone(one: Contender) -> Html | str:
    cases = [*one.unpaired_baseline, *one.unpaired_contender]
    if not cases:
        return ""
    items = [element("li", words.point(case.point)) for case in cases]
    return _more("Cases without a counterpart", element("ul", items))


def _more(title: str, inner: Html, *, open_: bool = False) -> Html:
    return element("details", element("summary", title), inner, open="" if open_ else None)
