"""What may be displayed, and what an error says of a character that may not."""

import pytest
from pydantic import TypeAdapter, ValidationError

from podmeter.domain.displayed import STORED, Name, Text
from podmeter.domain.untrusted_text import printable

NAME, TEXT = TypeAdapter(Name), TypeAdapter(Text)
STEERING = [*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0), 0x61C, 0x200E, 0x200F]
STEERING += [*range(0x2028, 0x202F), *range(0x2066, 0x206A), 0xFEFF, 0x200B, 0x2060, 0xAD, 0xE0041]


@pytest.mark.parametrize("code", STEERING, ids=hex)
def test_what_steers_or_hides_is_refused_and_cleaned(code: int) -> None:
    text = f"ab{chr(code)}cd"
    for adapter in (NAME, TEXT):
        with pytest.raises(ValidationError) as refused:
            adapter.validate_python(text)
        said = str(refused.value)
        assert f"U+{code:04X}" in said
        assert "position 3" in said
    assert TEXT.validate_python(text, context={STORED: True}) == "ab\ufffdcd"


@pytest.mark.parametrize(
    "text",
    ["node 1", "名称", "Grüße", "👩\u200d💻", "می\u200cخواهم", "a\u00a0b", "é", "→ 10 %", "❤️"],
)
def test_what_people_write_is_taken(text: str) -> None:
    assert NAME.validate_python(text) == text
    assert printable(text) == text


def test_lines_are_for_texts_of_several() -> None:
    assert TEXT.validate_python("a\n\tb") == "a\n\tb"
    with pytest.raises(ValidationError):
        NAME.validate_python("a\nb")


@pytest.mark.parametrize("text", ["ad\u200cmin", "admin\u200d", "\u200dadmin"])
def test_a_joiner_that_joins_nothing_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        NAME.validate_python(text)
