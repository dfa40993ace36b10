"""What marks a parameter as naming a host, which may be somebody's live one."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NamesHost:
    """Marks a parameter with the name or address of a host that requests, or an Ingress, go to."""
