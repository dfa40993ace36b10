"""The load that an experiment puts on a cluster at most, and the limits that its owner sets."""

from __future__ import annotations

from dataclasses import dataclass

_PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


@dataclass(frozen=True, slots=True)
class Load:
    """The most at any moment of a trial; None where a tool sends as fast as the path allows.

    `requests_per_second` counts HTTP requests, messages that wait for an answer, and new
    connections; `bits_per_second` is payload of all streams in one direction. `connections` is how
    many a trial opens: connection tracking has an entry for each until it is drained.
    `rate_parameters` and `bandwidth_parameters` name what sets them; none where the tool cannot
    limit itself.
    """

    requests_per_second: float | None = 0.0
    bits_per_second: float | None = 0.0
    connections: int = 0
    rate_parameters: tuple[str, ...] = ()
    bandwidth_parameters: tuple[str, ...] = ()

    def or_more(self, other: Load) -> Load:
        """What is the most of both."""
        return Load(
            _most(self.requests_per_second, other.requests_per_second),
            _most(self.bits_per_second, other.bits_per_second),
            max(self.connections, other.connections),
            tuple(dict.fromkeys((*self.rate_parameters, *other.rate_parameters))),
            tuple(dict.fromkeys((*self.bandwidth_parameters, *other.bandwidth_parameters))),
        )


#: Of what sends nothing.
NO_LOAD = Load()
#: Of what nothing is known: it is refused where there is a limit.
UNPACED = Load(None, None)


@dataclass(frozen=True, slots=True)
class LoadLimits:
    """What runs may put on a cluster; None is unlimited."""

    requests_per_second: int | None = None
    bits_per_second: int | None = None


UNLIMITED = LoadLimits()


def bandwidth_text(bits_per_second: float) -> str:
    """`1.5 Gbit/s`."""
    return _scaled(bits_per_second, "bit/s")


def rate_text(requests_per_second: float) -> str:
    """`2,500`."""
    return f"{requests_per_second:,.0f}"


def _scaled(value: float, unit: str) -> str:
    factor, prefix = next((one for one in _PREFIXES if value >= one[0]), (1.0, ""))
    return f"{value / factor:.4g} {prefix}{unit}"


def _most(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else max(one, other)
