"""Pasted texts, and what is read of them."""

from pathlib import Path

import pytest

from podmeter.drivers.pasted.read import read
from podmeter.drivers.pasted.text import PasteError

FIXTURES = Path(__file__).parents[1] / "fixtures"
PASTED = FIXTURES / "pasted"


def text(name: str) -> str:
    return (PASTED / f"{name}.txt").read_text()


def figures(pasted: str) -> list[dict[str, float]]:
    """What each output of a text measured, by metric, with its subject where it has one."""
    return [
        {f"{one.metric} {one.subject}".strip(): one.value for one in output.figures}
        for output in read(pasted).outputs
    ]


def refused(pasted: str) -> PasteError:
    with pytest.raises(PasteError) as caught:
        read(pasted)
    return caught.value
