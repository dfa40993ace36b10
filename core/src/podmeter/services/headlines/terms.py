"""What sentences of headlines are made of: axes, values, metrics, points."""

from collections.abc import Collection, Iterable

from pydantic import JsonValue

from podmeter.domain.axes import AxisValue
from podmeter.services.comparisons.document import ComparedRun, Point
from podmeter.services.headlines.text import Text, text

#: Part of what is measured rather than of where.
_PATH = "path"


def axis(name: str) -> Text:
    """An axis."""
    return text("axis", axis=name)


def value(on: str, at: AxisValue) -> Text:
    """A value on an axis: VXLAN, 500 Services."""
    return text("value", axis=on, value=at)


def metric(name: str, subject: str = "") -> Text:
    """A metric, with what it was measured of."""
    return text("metric", metric=name, subject=subject)


def what(name: str, subject: str, where: Point, telling: Collection[str]) -> Text:
    """A metric and where it was measured, on the axes that tell cases apart; the path always."""
    told: dict[str, JsonValue] = {
        one: at for one, at in where.items() if one == _PATH or one in telling
    }
    return text("what", metric=name, subject=subject, point=told)


def point(where: Point) -> Text:
    """A point: VXLAN, 500 Services."""
    return text("point", point=dict(where))


def side(compared: ComparedRun) -> Text:
    """A side of a comparison by its label; what Podmeter did not measure is always called so."""
    return _marked(compared.label, compared)


def run(compared: ComparedRun) -> Text:
    """The same by its name, without its part."""
    return _marked(compared.name, compared)


def _marked(title: str, compared: ComparedRun) -> Text:
    if compared.reference_id is not None:
        return text("published", title=title)
    return text("imported", title=title) if compared.imported else Text(title)


def telling(points: Iterable[Point]) -> set[str]:
    """The axes on which points differ."""
    every = list(points)
    names = {name for one in every for name in one}
    return {name for name in names if len({str(one.get(name)) for one in every}) > 1}
