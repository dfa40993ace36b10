"""Stored documents are read by the version of their form."""

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from podmeter.domain.displayed import Name
from podmeter.domain.stored import StoredDocumentError, StoredForm


class _Toy(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: Name


def _named(body: dict[str, Any]) -> dict[str, Any]:
    return {"name": body["title"]}


FORM: StoredForm[_Toy] = StoredForm("comparison", _Toy, version=3, upgrades={2: _named})


def test_what_is_stamped_is_read() -> None:
    assert FORM.read(FORM.stamp({"name": "a"})) == _Toy(name="a")
    assert FORM.stamp_text('{"name":"a"}') == '{"format":3,"name":"a"}'


def test_an_older_form_is_upgraded() -> None:
    assert FORM.read({"format": 2, "title": "a"}) == _Toy(name="a")


@pytest.mark.parametrize(
    "stored",
    [
        {"name": "a"},
        {"format": 1, "name": "a"},
        {"format": 2, "other": "a"},
        {"format": 4, "name": "a"},
        {"format": "3", "name": "a"},
        {"format": True, "name": "a"},
        {"format": 3},
        {},
        [],
        None,
    ],
)
def test_any_other_is_refused_with_what_to_do(stored: object) -> None:
    with pytest.raises(StoredDocumentError) as refused:
        FORM.read(stored)
    assert refused.value.document == "comparison"
    assert refused.value.said.code == "stored_comparison"


def test_a_stored_name_is_cleaned_and_not_refused() -> None:
    assert FORM.read({"format": 3, "name": "a\u202eb"}).name == "a\ufffdb"


@pytest.mark.parametrize("titles", [[], None, "", [1], {}])
def test_a_body_that_a_step_cannot_read_is_refused(titles: object) -> None:
    def first(body: dict[str, Any]) -> dict[str, Any]:
        return {"name": body["titles"][0].lower()}

    form: StoredForm[_Toy] = StoredForm("comparison", _Toy, version=2, upgrades={1: first})
    assert form.read({"titles": ["A"]}) == _Toy(name="a")
    with pytest.raises(StoredDocumentError):
        form.read({"titles": titles})
