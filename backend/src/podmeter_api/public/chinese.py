"""What Podmeter says, in Chinese: by the web UI's sentences and words, which it brings along."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pydantic import JsonValue

from podmeter.domain.messages import Message
from podmeter.domain.messages.catalog import TEXT
from podmeter_api.public.headline_view import CHINESE, ENGLISH, TAGS
from podmeter_api.public.markup import Html, element

Speak = Callable[[Message], Html]
_NAME = "chinese.json"
#: Of a checkout that runs as it is.
_SOURCES = Path(__file__).parents[4] / "frontend" / "src" / "i18n"
#: As `src/i18n/messages.ts` has it: a parameter, the groups of words that have its terms, and the
#: blanks that part it from Chinese.
_HOLE = re.compile(
    r"(?P<before>(?<=[一-鿿]) )?{{(?P<name>\w+)(?P<groups>(?:, \w+)*)}}(?P<after> (?=[一-鿿]))?"
)


@dataclass(frozen=True, slots=True)
class Chinese:
    """Sentences by code, and words by group and term."""

    messages: dict[str, str]
    words: dict[str, dict[str, JsonValue]]

    def said(self, code: str, params: dict[str, JsonValue]) -> str | None:
        """The sentence of a code with its parameters; None where there is none."""
        sentence = self.messages.get(code)
        if sentence is None:
            return None
        return _HOLE.sub(lambda hole: self._filled(hole, params), sentence)

    def _filled(self, hole: re.Match[str], params: dict[str, JsonValue]) -> str:
        groups = hole["groups"].split(", ")[1:]
        text = self._parameter(params.get(hole["name"]), groups)
        before, after = hole["before"] or "", hole["after"] or ""
        if groups:
            before = "" if re.match("[一-鿿]", text) else before
            after = "" if re.search("[一-鿿]$", text) else after
        return f"{before}{text}{after}"

    def _parameter(self, value: JsonValue, groups: list[str]) -> str:
        if isinstance(value, list):
            texts = [self._parameter(one, groups) for one in value]
            if not any(isinstance(one, dict) for one in value):
                return "、".join(texts)
            # Whole sentences are parted by their own ends.
            return ("" if all(one.endswith("。") for one in texts) else "；").join(texts)
        if isinstance(value, dict):
            inner = Message.read(value)
            return self.said(inner.code, inner.params) or str(inner)
        spelled = f"{value:g}" if isinstance(value, float) else str(value)
        words = (self.words.get(group, {}).get(spelled.replace(".", "_")) for group in groups)
        return next((word for word in words if isinstance(word, str)), spelled)


def speaker(language: str, frontend: Path | None) -> Speak:
    """Gives what is said as a piece of a page, marked with the language that it is in.

    In Chinese where there is a sentence: a message of another version may have none, bare text is
    quoted as it is, and an installation without the web UI has none at all.
    """
    chinese = _read(frontend) if language == CHINESE else None

    def speak(message: Message) -> Html:
        text = None
        if chinese is not None and message.code != TEXT:
            text = chinese.said(message.code, message.params)
        if text is None:
            return element("span", str(message), lang=ENGLISH)
        return element("span", text, lang=TAGS[CHINESE])

    return speak


@lru_cache(maxsize=1)
def _read(frontend: Path | None) -> Chinese | None:
    built = None if frontend is None else frontend / _NAME
    if built is not None and built.is_file():
        return Chinese(**json.loads(built.read_text(encoding="utf-8")))
    if not _SOURCES.is_dir():
        return None
    parts = {"messages": "messages/zh.json", "words": "zh/words.json"}
    return Chinese(
        **{
            name: json.loads((_SOURCES / path).read_text(encoding="utf-8"))
            for name, path in parts.items()
        }
    )
