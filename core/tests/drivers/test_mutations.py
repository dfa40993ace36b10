"""No parser raises anything but its own error, or gives a number that its text contradicts.

`make bench ONLY=parsers` does the same with 100,000 mutations of each.
"""

import contextlib
import functools
import importlib
import json
import pkgutil
from dataclasses import replace

import pytest
from core.bench.mutations import parsers, tried
from core.tests.sampling import sampled
from hypothesis import given
from hypothesis import strategies as st

import podmeter.drivers
from podmeter.domain.errors import PodmeterError, ToolError
from podmeter.domain.ports import CommandOutput

PARSERS = {parser.name: parser for parser in parsers()}
SOME = sampled(PARSERS, 12)


@pytest.mark.parametrize("name", PARSERS)
def test_the_captured_answer_itself_is_read_and_agrees_with_its_text(name):
    parser = PARSERS[name]
    assert not parser.contradicted(parser.captured.stdout, parser.parse(parser.captured))


def test_every_parser_of_a_driver_is_tried():
    """Pasted texts go through one reader, whose forms `PASTED` of the mutations lists."""
    there = {
        f"{module.name}.{name}"
        for module in pkgutil.walk_packages(podmeter.drivers.__path__, "podmeter.drivers.")
        if not module.name.startswith("podmeter.drivers.pasted")
        for name, parse in vars(importlib.import_module(module.name)).items()
        if name.startswith("parse") and parse.__module__ == module.name
    }
    tried_ones = {parsed_by(parser) for parser in PARSERS.values()}
    assert there - tried_ones == set(), (
        "add a Parser of each of these to parsers() in core/bench/mutations.py, with a captured "
        "output and a check by other means in core/bench/contradictions"
    )


def parsed_by(parser):
    """The function of a driver that a parser calls."""
    parse = parser.parse
    while isinstance(parse, functools.partial):
        parse = parse.func
    return f"{parse.__module__}.{parse.__name__}"


@pytest.mark.parametrize("name", SOME)
def test_a_mutated_answer_is_refused_or_read_as_it_stands(name):
    # All pastes go through one reader, which looks for every tool in them.
    tally = tried(PARSERS[name], mutations=200 if name.startswith("pasted ") else 600, seed=11)
    assert (tally.foreign, tally.contradicted) == (0, 0), tally.first
    # Else the mutations would be too coarse to tell anything.
    assert tally.read > 0


@pytest.mark.parametrize("name", SOME)
@given(st.text(), st.text(), st.sampled_from([0, 0, 0, 1, -9, 127]))
def test_any_text_at_all_is_refused_or_read(name, text, complaint, exit_code):
    with contextlib.suppress(PodmeterError):
        PARSERS[name].parse(CommandOutput(text, complaint, exit_code, 1.0))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
DOCUMENTS = [name for name in PARSERS if name.startswith("iperf3") and "version" not in name]


def parts(value):
    """Every place of a document: its holder, and the key or index there."""
    if isinstance(value, (dict, list)):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield value, key
            yield from parts(inner)


@pytest.mark.parametrize("name", sampled(DOCUMENTS, 3))
@given(st.data())
def test_any_json_in_the_place_of_any_part_is_refused_or_read(name, data):
    parser = PARSERS[name]
    document = json.loads(parser.captured.stdout)
    holder, key = data.draw(st.sampled_from(list(parts(document))))
    holder[key] = data.draw(JSON)
    text = json.dumps(document)
    try:
        answer = parser.parse(replace(parser.captured, stdout=text))
    except ToolError:
        return
    assert not parser.contradicted(text, answer)
