"""How the parts of sentences are said: a document keeps which form a part has, and of what.

A part is a text that is the same in every language, a number, or `{"form": ..., ...}` with what its
function below takes.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from inspect import signature

from pydantic import JsonValue

from podmeter.domain.axes import AxisValue
from podmeter.domain.node_pairs import NODE_PAIR
from podmeter.results.spoken import Language
from podmeter.services.headlines.names import AXES, METRICS, VALUES
from podmeter.services.measured import words
from podmeter.statistics import format_figure

_Point = Mapping[str, AxisValue]

_PATH = "path"
#: What is between the parts of a list.
_SIGNS = {
    "comma": (", ", "，"),
    "and": (", ", "、"),
    "semicolon": ("; ", "；"),
    "colon": (": ", "："),
    "plus": (" + ", " + "),
}
_VERDICTS = {
    "worse": ("{} worse", "{} 个变差"),
    "better": ("{} better", "{} 个变好"),
    "same": ("{} the same", "{} 个相同"),
    "undecided": ("{} undecided", "{} 个尚无定论"),
}
#: Whether a mode costs no more than what matters: in how many cases it does not, does, or may.
_ANSWERS = {
    "yes": ("true in {}", "{} 个用例成立"),
    "no": ("false in {}", "{} 个用例不成立"),
    "open": ("undecided in {}", "{} 个用例尚无定论"),
}
#: Links that stand out together.
_LINKS = {
    "both_ways": ("Both directions of {}", "{}的两个方向"),
    "node": ("The links of {}", "{}的链路"),
    "from_node": ("The links from {}", "从{}发出的链路"),
    "to_node": ("The links to {}", "到{}的链路"),
}
_CONTROLLED = (", against the control of each rung", "（相对于每一级的对照）")
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


def _chosen(texts: Sequence[str], language: Language) -> str:
    return texts[language == "zh"]


def _in_brackets(text: str, inside: str, language: Language) -> str:
    return f"{text}（{inside}）" if language == "zh" else f"{text} ({inside})"


def _axis(language: Language, axis: str) -> str:
    return _chosen(AXES.get(axis, (_plain(axis),) * 2), language)


@lru_cache(maxsize=1000)
def _value(language: Language, axis: str, value: AxisValue) -> str:
    if isinstance(value, int):
        name = _axis(language, axis)
        if language == "zh":
            return f"{name} {value:,}"
        return f"{value:,} {name.removesuffix('s') if value == 1 else name}"
    return _chosen(VALUES.get(value, (words.value(axis, value),) * 2), language)


def _metric(language: Language, metric: str, subject: str) -> str:
    name = _chosen(METRICS.get(metric, (_plain(metric),) * 2), language)
    return _in_brackets(name, subject, language) if subject else name


def _what(language: Language, metric: str, subject: str, point: _Point) -> str:
    name = _metric(language, metric, subject)
    if _PATH in point:
        name = f"{_value(language, _PATH, point[_PATH])} {name}"
    rest = _point(language, {axis: at for axis, at in point.items() if axis != _PATH})
    return _in_brackets(name, rest, language) if rest else name


def _point(language: Language, point: _Point) -> str:
    values = (_value(language, axis, point[axis]) for axis in words.in_order(point))
    return _chosen(_SIGNS["comma"], language).join(values)


def _in_cases(language: Language, what: JsonValue, count: int) -> str:
    text = say(what, language)
    return f"{count} 个用例的{text}" if language == "zh" else f"{text} in {count} cases"


def _list(language: Language, of: Sequence[JsonValue], sign: str) -> str:
    return _chosen(_SIGNS[sign], language).join(say(one, language) for one in of)


def _some(language: Language, of: Sequence[JsonValue], more: int) -> str:
    """The first of several, with how many there are besides."""
    named = _list(language, of, "semicolon")
    if not more:
        return named
    return f"{named}；另有 {more} 个" if language == "zh" else f"{named}; {more} more"


def _begun(language: Language, of: Sequence[JsonValue], whole: bool) -> str:
    """The first of several, or all of them."""
    named = _list(language, of, "semicolon")
    return named if whole else f"{named}{_chosen(_SIGNS['semicolon'], language)}…"


def _amount(
    language: Language, value: float, low: float | None, high: float | None, unit: str
) -> str:
    text, *ends = (one.replace("-", "−") for one in format_figure(value, low, high, unit))
    if not all(ends):
        return text
    return f"{text} [{_chosen((' to ', ' 至 '), language).join(ends)}]"


def _share(_language: Language, value: float) -> str:
    return format_figure(value, None, None, "ratio")[0].replace(".0 %", " %")


def _bound(language: Language, value: float) -> str:
    """An end of a ratio's interval."""
    share = _share(language, abs(value - 1))
    if value < 1:
        return _chosen((f"{share} lower", f"低 {share}"), language)
    return _chosen((f"{share} higher", f"高 {share}"), language)


def _counted(
    texts: Mapping[str, tuple[str, str]], counts: Mapping[str, int], language: Language
) -> str:
    parts = (
        _chosen(both, language).format(counts[name]) for name, both in texts.items() if counts[name]
    )
    return _chosen(_SIGNS["and"], language).join(parts)


def _verdicts(language: Language, worse: int, better: int, same: int, undecided: int) -> str:
    counts = {"worse": worse, "better": better, "same": same, "undecided": undecided}
    return _counted(_VERDICTS, counts, language)


def _answers(language: Language, yes: int, no: int, open: int) -> str:  # noqa: A002
    return _counted(_ANSWERS, {"yes": yes, "no": no, "open": open}, language)


def _fields(language: Language, fields: Sequence[str]) -> str:
    if not fields:
        return _chosen(("their environments", "环境"), language)
    named, more = ", ".join(fields[:_MOST_FIELDS]), len(fields) - _MOST_FIELDS
    if more <= 0:
        return named
    return _chosen(
        (f"{named} and {more} more fields", f"{named} 等 {len(fields)} 个字段"), language
    )


def _links(language: Language, what: str, value: str) -> str:
    # A node by itself is no term, whatever it is called.
    return _chosen(_LINKS[what], language).format(words.value(NODE_PAIR, value))


def _controlled(language: Language) -> str:
    return _chosen(_CONTROLLED, language)


def _bytes(_language: Language, value: int) -> str:
    """An MTU as it is written everywhere: 1500."""
    return str(value)


def _places(language: Language, cases: Sequence[_Point], whole: bool) -> str:
    """What a finding holds for, in brackets; nothing where it does so everywhere."""
    points = [_point(language, point) for point in cases if point]
    if not any(points):
        return ""
    named = _chosen(_SIGNS["semicolon"], language).join(points if whole else [*points, "…"])
    return _in_brackets("", named, language)


def _path(language: Language, along: _Point, besides: _Point) -> str:
    """A case by the value it has instead of its baseline's, and what tells it from others."""
    path, rest = _point(language, along), _point(language, besides)
    return _in_brackets(path, rest, language) if rest else path


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
    "share": _share,
    "bound": _bound,
    "verdicts": _verdicts,
    "answers": _answers,
    "fields": _fields,
    "links": _links,
    "controlled": _controlled,
    "bytes": _bytes,
    "places": _places,
    "path": _path,
}


def vocabulary() -> Iterable[str]:
    """What forms and their parts are called in documents."""
    yield "form"
    for name, form in _FORMS.items():
        yield name
        yield from list(signature(form).parameters)[1:]
