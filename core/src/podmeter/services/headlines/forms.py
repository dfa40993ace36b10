"""How the parts of sentences are said: a document keeps which form a part has, and of what.

A part is a text that is the same in every language, a number, or `{"form": ..., ...}` with what its
function below takes.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from inspect import signature

from pydantic import JsonValue

from podmeter.domain.axes import AxisValue
from podmeter.domain.measurement import Unit
from podmeter.domain.node_pairs import NODE_PAIR
from podmeter.services.run_results import words
from podmeter.statistics import format_change, format_factor, format_figure
from podmeter.texts import Language, catalog, render, word

_Point = Mapping[str, AxisValue]

_PATH = "path"
#: Written with a capital wherever they stand.
_NAMES = frozenset({"Service", "Services"})
#: So many fields that differ are named.
_MOST_FIELDS = 3


def say(part: JsonValue, language: Language) -> str:
    """A part of a sentence. Raises KeyError, TypeError for a form that is not."""
    if isinstance(part, dict):
        given = {name: one for name, one in part.items() if name != "form"}
        return _FORMS[str(part["form"])](language, **given)
    if isinstance(part, float):
        return f"{part:,g}"
    return f"{part:,}" if isinstance(part, int) else str(part or "")


def _phrase(language: Language, name: str, /, **parts: object) -> str:
    return render(language, f"phrase.{name}", **parts)


def _sign(language: Language, name: str) -> str:
    return catalog(language)[f"sign.{name}"]


def _in_brackets(text: str, inside: str, language: Language) -> str:
    return _phrase(language, "in_brackets", text=text, inside=inside)


def _axis(language: Language, axis: str) -> str:
    return word(language, "axis_in_sentence", axis) or _plain(axis)


@lru_cache(maxsize=1000)
def _value(language: Language, axis: str, value: AxisValue) -> str:
    if not isinstance(value, int):
        return word(language, "axis_value_in_sentence", value) or words.value(axis, value)
    number = f"{value:,}"
    if f"counted.{axis}_other" in catalog(language):
        return render(language, f"counted.{axis}", count=value, number=number)
    return _phrase(language, "number_on_axis", number=number, name=_axis(language, axis))


def _metric(language: Language, metric: str, subject: str) -> str:
    label = word(language, "metric", metric) or _plain(metric)
    name = word(language, "metric_in_sentence", metric) or _inside_sentence(label)
    return _in_brackets(name, subject, language) if subject else name


def _inside_sentence(label: str) -> str:
    """A label without its capital, unless its first word is a name or an abbreviation."""
    first = label.partition(" ")[0]
    return label[0].lower() + label[1:] if first.istitle() and first not in _NAMES else label


def _what(language: Language, metric: str, subject: str, point: _Point) -> str:
    name = of = _metric(language, metric, subject)
    if _PATH in point:
        name = f"{_value(language, _PATH, point[_PATH])} {name}"
    rest = _sign(language, "comma").join(
        value
        for axis in words.in_order(point)
        if axis != _PATH and not _repeats(value := _value(language, axis, point[axis]), of)
    )
    return _in_brackets(name, rest, language) if rest else name


def _repeats(value: str, metric: str) -> bool:
    """Whether the metric's name says the value already: latency, of request latency."""
    return re.search(rf"(?<![A-Za-z-]){re.escape(value)}(?![A-Za-z-])", metric) is not None


def _point(language: Language, point: _Point) -> str:
    return _values(language, tuple(point.items()))


@lru_cache(maxsize=1000)
def _values(language: Language, point: tuple[tuple[str, AxisValue], ...]) -> str:
    """A point's values in words: the sentences of all runs in a list have the same few points."""
    values = dict(point)
    said = (_value(language, axis, values[axis]) for axis in words.in_order(values))
    return _sign(language, "comma").join(said)


def _in_cases(language: Language, what: JsonValue, count: int) -> str:
    return _phrase(language, "in_cases", text=say(what, language), cases=count)


def _list(language: Language, of: Sequence[JsonValue], sign: str) -> str:
    return _sign(language, sign).join(say(one, language) for one in of)


def _some(language: Language, of: Sequence[JsonValue], more: int) -> str:
    """The first of several, with how many there are besides."""
    named = _list(language, of, "semicolon")
    return _phrase(language, "and_more", named=named, more=more) if more else named


def _begun(language: Language, of: Sequence[JsonValue], whole: bool) -> str:
    """The first of several, or all of them."""
    named = _list(language, of, "semicolon")
    return named if whole else f"{named}{_sign(language, 'semicolon')}…"


def _amount(
    language: Language,
    value: float,
    low: float | None,
    high: float | None,
    unit: str,
    least: bool = False,
) -> str:
    return _interval(language, format_figure(value, low, high, unit), least)


def _difference(
    language: Language,
    value: float,
    low: float | None,
    high: float | None,
    unit: str,
    least: bool = False,
) -> str:
    return _interval(language, words.difference_texts(value, low, high, unit, language), least)


def _interval(language: Language, texts: tuple[str, str, str], least: bool) -> str:
    told = words.with_interval(*texts, language)
    return _phrase(language, "at_least", amount=told) if least else told


def _times(
    language: Language, value: float, low: float | None, high: float | None, least: bool = False
) -> str:
    told = _phrase(language, "times", number=format_factor(value))
    if low is not None and high is not None:
        most = _phrase(language, "times", number=format_factor(high))
        told = words.with_interval(told, format_factor(low), most, language)
    return _phrase(language, "at_least", amount=told) if least else told


def _change(language: Language, value: float, low: float | None, high: float | None) -> str:
    """A change as a share, with its sign."""
    return words.with_interval(*format_change(value, low, high), language)


def _share(_language: Language, value: float) -> str:
    return _without_zero(format_figure(value, None, None, Unit.RATIO)[0])


def _limit(language: Language, value: float, unit: str) -> str:
    return _without_zero(words.difference_texts(value, None, None, unit, language)[0])


def _without_zero(text: str) -> str:
    """What somebody has set is a whole number as often as not: 3 %."""
    return text.replace(".0 ", " ")


def _bound(language: Language, value: float) -> str:
    """An end of a ratio's interval."""
    share = _share(language, abs(value - 1))
    return _phrase(language, "lower" if value < 1 else "higher", share=share)


def _counted(language: Language, **counts: int) -> str:
    parts = (_phrase(language, name, cases=count) for name, count in counts.items() if count)
    return _sign(language, "and").join(parts)


def _verdicts(language: Language, worse: int, better: int, same: int, undecided: int) -> str:
    return _counted(
        language,
        count_worse=worse,
        count_better=better,
        count_same=same,
        count_undecided=undecided,
    )


def _answers(language: Language, yes: int, no: int, open: int) -> str:  # noqa: A002
    return _counted(language, answer_yes=yes, answer_no=no, answer_open=open)


def _fields(language: Language, fields: Sequence[str]) -> str:
    if not fields:
        return _phrase(language, "environments")
    named, more = ", ".join(fields[:_MOST_FIELDS]), len(fields) - _MOST_FIELDS
    if more <= 0:
        return named
    return _phrase(language, "more_fields", named=named, more=more, all=len(fields))


def _links(language: Language, what: str, value: str) -> str:
    # A node by itself is no term, whatever it is called.
    return _phrase(language, f"links_{what}", value=words.value(NODE_PAIR, value))


def _controlled(language: Language) -> str:
    return _phrase(language, "controlled")


def _bytes(_language: Language, value: int) -> str:
    """An MTU as it is written everywhere: 1500."""
    return str(value)


def _places(language: Language, cases: Sequence[_Point], whole: bool) -> str:
    """What a finding holds for, in brackets; nothing where it does so everywhere."""
    points = [_point(language, point) for point in cases if point]
    if not any(points):
        return ""
    named = _sign(language, "semicolon").join(points if whole else [*points, "…"])
    return _in_brackets("", named, language)


def _path(language: Language, along: _Point, besides: _Point, run: JsonValue = None) -> str:
    """A case by the value it has instead of its baseline's, and what tells it from others."""
    told = [_point(language, besides), say(run, language)]
    path, rest = _point(language, along), _sign(language, "comma").join(filter(None, told))
    return _in_brackets(path, rest, language) if rest else path


def _term(language: Language, group: str, term: str) -> str:
    return word(language, group, term) or _plain(term)


def _published(language: Language, title: str) -> str:
    return _in_brackets(title, _phrase(language, "published"), language)


def _imported(language: Language, title: str) -> str:
    return _in_brackets(title, _phrase(language, "imported"), language)


def _phrase_of(language: Language, name: str, **parts: JsonValue) -> str:
    texts = {part: say(value, language) for part, value in parts.items()}
    return _phrase(language, name, **texts)


def _plain(name: str) -> str:
    return name.replace("_", " ")


_FORMS: dict[str, Callable[..., str]] = {
    "axis": _axis,
    "value": _value,
    "metric": _metric,
    "what": _what,
    "point": _point,
    "in_cases": _in_cases,
    "list": _list,
    "some": _some,
    "begun": _begun,
    "amount": _amount,
    "difference": _difference,
    "times": _times,
    "change": _change,
    "share": _share,
    "limit": _limit,
    "bound": _bound,
    "verdicts": _verdicts,
    "answers": _answers,
    "fields": _fields,
    "links": _links,
    "controlled": _controlled,
    "bytes": _bytes,
    "places": _places,
    "path": _path,
    "term": _term,
    "published": _published,
    "imported": _imported,
    "phrase": _phrase_of,
}


def vocabulary() -> Iterable[str]:
    """What forms and their parts are called in documents."""
    yield "form"
    for name, form in _FORMS.items():
        yield name
        yield from list(signature(form).parameters)[1:]
