"""A language is files and nothing else; both renderers make the same texts of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from podmeter.domain.messages import Message, say
from podmeter.services.headlines.document import Sentence, sentence
from podmeter.services.headlines.terms import value
from podmeter.services.search.synonyms import stored_words
from podmeter.texts import CatalogText, documents_in, languages, render
from podmeter.texts import catalog as texts_of
from podmeter.texts.loader import files

RENDERED = json.loads((Path(__file__).parent / "rendered.json").read_text(encoding="utf-8"))


def write(root: Path, language: str, texts: dict[str, Any], name: str = "test") -> None:
    folder = root / "texts" / language
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(texts), encoding="utf-8")


@pytest.mark.parametrize(
    "case", RENDERED["cases"], ids=lambda case: f"{case['language']} {case['text']}"
)
def test_texts_are_rendered_as_the_web_ui_renders_them(
    case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`frontend/src/i18n/rendered.test.ts` reads the same cases."""
    write(tmp_path, case["language"], RENDERED["texts"][case["language"]])
    monkeypatch.setattr("podmeter.texts.loader.ROOT", tmp_path)
    assert render(case["language"], case["key"], **case["parameters"]) == case["text"]


def test_a_text_has_one_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "en", {"message": {"a": "A"}}, "one")
    write(tmp_path, "en", {"message": {"a": "B"}}, "two")
    monkeypatch.setattr("podmeter.texts.loader.ROOT", tmp_path)
    with pytest.raises(ValueError, match=r"message\.a is in .*one\.json and in .*two\.json"):
        texts_of("en")


def test_texts_beside_code_are_found(tmp_path: Path) -> None:
    write(tmp_path, "en", {})
    for name in ("kinds/one/texts.en.json", "tools/two.texts.en.json", "tools/two.texts.zh.json"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    found = [path.relative_to(tmp_path).as_posix() for path in files(tmp_path, "en")]
    assert found == ["kinds/one/texts.en.json", "texts/en/test.json", "tools/two.texts.en.json"]


def test_a_third_language_is_more_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every English text in angle brackets, with Polish plural forms."""
    english, chinese = dict(texts_of("en")), dict(texts_of("zh"))

    def nested(texts: dict[str, str], mark: str) -> dict[str, Any]:
        tree: dict[str, Any] = {}
        for key, text in texts.items():
            *path, last = key.split(".")
            place = tree
            for part in path:
                place = place.setdefault(part, {})
            place[last] = mark.format(text)
        return tree

    polish = {**english}
    for key in [key for key in english if key.startswith("counted.") and key.endswith("_one")]:
        stem = key.removesuffix("_one")
        polish |= {f"{stem}_few": "kilka {{number}}", f"{stem}_many": "wiele {{number}}"}
    write(tmp_path, "en", nested(english, "{}"))
    write(tmp_path, "zh", nested(chinese, "{}"))
    write(tmp_path, "pl", nested(polish, "‹{}›"))
    monkeypatch.setattr("podmeter.texts.loader.ROOT", tmp_path)

    assert languages() == ("en", "pl", "zh")
    why = say("kernel_no_ipvs", nodes=["a", "b"])
    with documents_in("pl"):
        shown = TypeAdapter(Message).dump_python(say("on_node", node="n", what=why))
        headline = TypeAdapter(Sentence).dump_python(
            sentence("others", count=value("streams", 3).plain, counts="")  # type: ignore[arg-type]
        )
        subject = TypeAdapter(CatalogText).dump_python(
            CatalogText("reference.calico-modes-2024.subject")
        )
    assert shown["text"].startswith("‹n: ‹the kernel of a‹, ›b has no ip_vs")
    assert "‹kilka 3›" in headline["text"]
    assert subject["text"] == "‹What the modes of Calico cost, and latency by path›"
    assert stored_words()["‹Transport›"] == ("transport",)
