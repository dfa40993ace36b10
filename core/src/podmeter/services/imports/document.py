"""What was recognised in a paste, before it is kept. Values are in base units."""

from dataclasses import dataclass

from podmeter.domain.axes import AxisValue
from podmeter.domain.messages import Message
from podmeter.drivers.pasted.read import LineKind

Point = dict[str, AxisValue]


@dataclass(frozen=True, slots=True)
class RecognisedFigure:
    """A figure and what says so in the text: its words, '' for a mean of several, and its line."""

    metric: str
    subject: str
    unit: str
    value: float
    printed: str
    line: int


@dataclass(frozen=True, slots=True)
class RecognisedConnection:
    """A connection that an output is of, as one of its ends sees it: `address:port` of both."""

    local: str
    remote: str


@dataclass(frozen=True, slots=True)
class PastedLines:
    """Consecutive lines of one kind, with the outputs that they belong to.

    `text` is the first of these lines, cut to a maximum length.
    """

    first_line: int
    last_line: int
    kind: LineKind
    outputs: list[int]
    text: str


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """The first line that cannot be read, and why. Nothing below it was read."""

    line: int
    text: str
    why: Message


@dataclass(frozen=True, slots=True)
class RecognisedOutput:
    """One run of a tool: the lines that it is of, what it measured, and at which point.

    `told` is the part of the point that the text itself tells. `requests` and `samples` are how
    many its figures are the mean of, where it says so. `connections` are the first of those that it
    was measured over.
    """

    output: int
    tool: str
    version: str
    first_line: int
    last_line: int
    command: str
    told: Point
    point: Point
    case: str
    requests: int | None
    samples: int | None
    figures: list[RecognisedFigure]
    notes: list[Message]
    connections: list[RecognisedConnection]


@dataclass(frozen=True, slots=True)
class ImportAxis:
    """An axis that an output can be placed on; without choices it takes whole numbers.

    `variant` alone takes any words.
    """

    name: str
    choices: list[str]
    minimum: int | None
    maximum: int | None


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """What an import would be: its outputs, and what each line is.

    With `refused` it cannot be kept as it is: the outputs are those above that line.

    `environment` is what the outputs say of it themselves, for who has given nothing.
    """

    outputs: list[RecognisedOutput]
    skipped_lines: list[int]
    environment: dict[str, str]
    axes: list[ImportAxis]
    lines: list[PastedLines]
    refused: RefusedLine | None
