"""A text that was cut, doubled or mixed with others gives no figure that it does not hold.

`make test` tries a seeded part of the changes, `make test-full` all of them.
"""

import random

import pytest
from core.bench.pasted_contradictions import pasted as contradicted
from core.tests.sampling import sampled, seed

from podmeter.drivers.pasted.read import read
from podmeter.drivers.pasted.text import PasteError

from .pasted import PASTED, text

#: Captures and forms. The longest ones say no more than their like, and have thousands of changes.
NAMES = sorted(
    f"{one.parent.name}/{one.stem}" for one in PASTED.glob("*/*.txt") if one.stat().st_size < 8_000
)
#: A part of these tells other figures than the whole: of one end, of the words alone, of a while.
OF_PARTS = {
    *("forms/iperf3-both-logs", "forms/iperf3-behind-service", "forms/iperf3-server-output"),
    *("fortio-1.66.5/json", "vegeta-12.13.0/every"),
}


def held(pasted):
    """The figures of a text; None where it is refused. Nothing but PasteError may leave `read`."""
    try:
        answer = read(pasted)
    except PasteError:
        return None
    assert not contradicted(pasted, answer), pasted
    return {
        (one.metric, one.subject, one.value)
        for output in answer.outputs
        for one in output.figures
        # The mean of curl's requests is another one of fewer of them.
        if output.tool != "curl"
    }


def changes(name, others):
    """Every text that one change makes of a form, with what kind of change it is."""
    lines = text(name).split("\n")
    choose = random.Random(f"{seed()} {name}")
    for at in range(len(lines)):
        yield "cut", lines[:at]
        yield "begun late", lines[at:]
        yield "dropped", lines[:at] + lines[at + 1 :]
        yield "doubled", [*lines[: at + 1], *lines[at:]]
        yield "swapped", [*lines[:at], *lines[at : at + 2][::-1], *lines[at + 2 :]]
        mixed = list(lines)
        for _ in range(choose.randint(1, 3)):
            foreign = choose.choice(others).split("\n")
            mixed.insert(choose.randrange(len(mixed) + 1), choose.choice(foreign))
        yield "mixed", mixed


@pytest.mark.parametrize("name", NAMES)
def test_a_changed_text_gives_no_figure_that_it_does_not_hold(name):
    others = [text(one) for one in NAMES]
    whole = held(text(name))
    for kind, lines in sampled(changes(name, others), 4):
        found = held("\n".join(lines))
        if kind == "cut" and found is not None and whole is not None and name not in OF_PARTS:
            assert found <= whole, lines


@pytest.mark.parametrize("name", ["iperf3-twice", "qperf-loop", "iperf2-parallel", "fortio-max"])
def test_no_interval_or_part_is_taken_for_the_whole(name):
    lines = text(f"forms/{name}").split("\n")
    whole = held(text(f"forms/{name}"))
    assert all(
        found is None or found <= whole
        for found in (held("\n".join(lines[:end])) for end in range(len(lines)))
    )
