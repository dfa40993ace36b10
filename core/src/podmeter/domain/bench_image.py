"""The image of the measuring pods: what it is called, and by which Secret nodes may pull it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from podmeter.domain.messages import say

#: As container engines read a reference (github.com/distribution/reference).
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_HOST = rf"(?:{_LABEL}(?:\.{_LABEL})*|\[[0-9a-fA-F:]+\])(?::[0-9]{{1,5}})?"
_PART = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_NAME = re.compile(rf"(?:{_HOST}/)?{_PART}(?:/{_PART})*")
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128}")
_SECRET = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
LONGEST_REFERENCE, LONGEST_SECRET = 512, 253
_LONGEST_NAME = 255


@dataclass(frozen=True, slots=True)
class BenchImage:
    """An image as pods name it; `pull_secret` is a Secret of their namespace, or None."""

    reference: str
    pull_secret: str | None = None

    @property
    def registry(self) -> str:
        """The host that it is pulled from, with its port."""
        first, slash, _ = self.reference.partition("/")
        named = bool(slash) and (any(sign in first for sign in ".:[") or first == "localhost")
        return first if named else "docker.io"


@dataclass(frozen=True, slots=True)
class OwnImage:
    """What a registered cluster has of its own; None where it has nothing."""

    reference: str | None = None
    pull_secret: str | None = None

    def or_else(self, default: str | None) -> BenchImage | None:
        """With the installation's image in its place; None where neither is set."""
        reference = self.reference or default
        return None if reference is None else BenchImage(reference, self.pull_secret)


NOTHING_OWN = OwnImage()


def image_reference(text: str) -> str:
    """The text, a reference to an image. Raises ValueError with what is wrong with it."""
    if "://" in text:
        raise ValueError(say("image_scheme"))
    if re.search(r"\s", text):
        raise ValueError(say("image_space"))
    named, at, digest = text.partition("@")
    if at and not _DIGEST.fullmatch(digest):
        raise ValueError(say("image_digest"))
    name, colon, tag = named.rpartition(":")
    if not colon or "/" in tag:
        name, tag = named, ""
    elif not _TAG.fullmatch(tag):
        raise ValueError(say("image_tag"))
    if not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME:
        upper = name != name.lower() and _NAME.fullmatch(name.lower())
        raise ValueError(say("image_upper_case" if upper else "image_malformed"))
    return text


def secret_name(text: str) -> str:
    """The text, a name that a Secret can have. Raises ValueError with what is wrong with it."""
    if text != text.lower() or not _SECRET.fullmatch(text) or len(text) > LONGEST_SECRET:
        raise ValueError(say("secret_name_malformed"))
    return text
