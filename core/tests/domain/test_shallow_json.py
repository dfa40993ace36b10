"""JSON that nests deep is refused before anything calls itself for each level."""

import gc
import json
import random
import sys
from collections.abc import Iterator

import pytest

from podmeter.domain.shallow_json import MAX_DEPTH, check_depth, loads

DEEP = MAX_DEPTH + 1


def nested(levels: int, inner: str = "") -> str:
    return "[" * levels + inner + "]" * levels


@pytest.mark.parametrize(
    "text",
    [
        nested(DEEP),
        nested(DEEP).replace("]", ""),
        '{"a":' * DEEP,
        f'{{"a": "{"]" * DEEP}", "b": {nested(MAX_DEPTH)}}}',
        r'{"a": "\\", "b": ' + nested(MAX_DEPTH) + "}",
        r'["\"]", ' * DEEP,
        nested(100_000),
    ],
)
def test_what_is_too_deep_is_refused(text: str) -> None:
    for given in (text, text.encode()):
        with pytest.raises(ValueError, match=f"nested more than {MAX_DEPTH} levels deep"):
            loads(given)


@pytest.mark.parametrize(
    "text",
    [
        nested(MAX_DEPTH),
        json.dumps([[]] * 5000),
        json.dumps({"a": nested(DEEP), 'b"': '"' + "{" * DEEP, "c\\": ["{"] * DEEP}),
        json.dumps(["ż" * 300, "[" * DEEP], ensure_ascii=False),
    ],
)
def test_what_is_not_is_read(text: str) -> None:
    assert loads(text) == loads(text.encode()) == json.loads(text)


def test_only_the_value_that_begins_there_counts() -> None:
    check_depth("[" * DEEP + ' {"a": 1} ' + "[" * DEEP, DEEP + 1)
    with pytest.raises(ValueError, match="levels deep"):
        check_depth('{"a": 1} ' + "[" * DEEP, 9)


def test_what_follows_the_value_is_not_looked_at() -> None:
    """Or a paste of many documents would be looked through once for each."""

    class Looked(str):
        def __getitem__(self, place: object) -> str:
            raise AssertionError("it is copied")

        def count(self, *_: object) -> int:
            raise AssertionError("it is counted")

    check_depth(Looked('{"a": [1]}\n' * 1000))


def test_depth_is_that_of_the_parser() -> None:
    chosen = random.Random(7)

    def value(levels: int) -> object:
        if not levels:
            return "".join(chosen.choices('[]{}"\\ x', k=6))
        inner = [value(0), value(levels - 1), value(0)]
        return (
            inner if chosen.random() < 0.5 else {f'{key}["': one for key, one in enumerate(inner)}
        )

    for _ in range(200):
        levels = chosen.choice([MAX_DEPTH - 1, MAX_DEPTH, MAX_DEPTH + 1])
        text = json.dumps(value(levels))
        try:
            loads(text)
        except ValueError:
            assert levels > MAX_DEPTH
        else:
            assert levels <= MAX_DEPTH


def test_what_is_not_utf8_is_refused() -> None:
    with pytest.raises(ValueError, match="utf-8"):
        loads(json.dumps({"a": "b"}).encode("utf-16"))


def test_garbage_is_finalised_with_room_to_do_so() -> None:
    """What holds something lets it go, wherever the collector finds it while deep JSON is read."""
    released = []

    def holding() -> Iterator[None]:
        try:
            yield
        finally:
            released.append(sorted([2, 1], key=lambda number: number))

    kept = gc.get_threshold()
    gc.freeze()
    made = range(1, sys.getrecursionlimit(), 2)
    try:
        for allocations in made:
            gc.collect()
            cycle: list[object] = [generator := holding()]
            next(generator)
            cycle.append(cycle)
            gc.set_threshold(allocations, 1, 1)
            del cycle, generator
            with pytest.raises(ValueError, match="deep"):
                loads("[" * 100_000)
    finally:
        gc.set_threshold(*kept)
        gc.unfreeze()
    gc.collect()
    gc.freeze()  # as the root conftest.py leaves it
    assert len(released) == len(made)
