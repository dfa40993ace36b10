"""Requests for imports."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from podmeter.domain.axes import AxisValue
from podmeter.domain.errors import InvalidSpecError
from podmeter.kinds.imported.environment import GivenEnvironment

#: Characters of a paste: an article has 20,000, a thousand runs of iperf3 a million.
LONGEST_TEXT = 1_000_000


class InvalidImportError(InvalidSpecError):
    """What was pasted cannot be read, or what was given with it does not fit; by JSON pointer."""

    code = "invalid_import"


@dataclass(frozen=True)
class Placed:
    """What one output, numbered from 1 as it was recognised, was measured at."""

    output: int
    at: Mapping[str, AxisValue]


@dataclass(frozen=True)
class ImportRequest:
    """A paste, and where it was measured.

    `at` holds for all outputs that neither say otherwise themselves nor are placed apart.
    """

    name: str
    text: str
    environment: GivenEnvironment = field(default_factory=GivenEnvironment)
    at: Mapping[str, AxisValue] = field(default_factory=dict)
    outputs: tuple[Placed, ...] = ()
