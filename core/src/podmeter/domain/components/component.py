"""What a component of a cluster whose mode can be switched says of itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from podmeter.domain.guards import Guard
    from podmeter.domain.rights import Right


@dataclass(frozen=True, slots=True)
class Component:
    """A component by which an axis is switched, and all that follows from it.

    `name` is what people call it, and what a saved mode is kept under. `rights` are what
    switching it takes in addition to what every switch does, and `guards` what it is held to while
    it uses them. `devices` are patterns of the network
    devices that come and go with its modes. `follows` are the fields of a fingerprint that its
    modes change, `absent_with` those that one mode has and another has not; both are patterns of
    dotted names.
    """

    name: str
    axis: str
    rights: tuple[Right, ...]
    guards: tuple[Guard, ...]
    devices: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()
    absent_with: tuple[str, ...] = ()

    @property
    def fields(self) -> tuple[str, ...]:
        """All fields that may differ with its mode, its devices' MTUs among them."""
        return (*self.follows, *(f"nodes.*.mtus.{device}" for device in self.devices))
