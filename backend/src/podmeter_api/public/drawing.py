"""Drawing a link's picture. Imported when one is asked for: Pillow is large."""

import io
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from podmeter.domain.told import printable
from podmeter_api.public.picture import HEIGHT, WIDTH, Words

_FOLDERS = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"))
#: The first that has all characters is taken: common fonts of Latin letters, then such of Chinese.
_FONTS = re.compile(
    r"(?P<a>DejaVuSans)|(?P<b>NotoSans-Regular)|(?P<c>LiberationSans-Regular)"
    r"|(?P<d>NotoSans(?:CJK(?:sc)?|SC)-Regular)|(?P<e>wqy-(?:micro|zen)hei)"
    r"|(?P<f>DroidSansFallback(?:Full)?)|(?P<g>NotoSerif(?:CJK(?:sc)?|SC)-(?:Regular|Bold))"
)
_MARGIN = 64
_LINE = 1.25
_GROUND, _INK, _QUIET, _BRAND, _CAVEAT = "#ffffff", "#1a1b1e", "#495057", "#1864ab", "#c75000"
#: What stands for signs that a font of few characters lacks, and for all other characters.
_PLAIN = {"−": "-", "–": "-", "—": "-", "·": "-", "×": "x", "µ": "u", "±": "+-", "…": "..."}
_PLAIN |= {"’": "'", "‘": "'", "“": '"', "”": '"', "→": "to"}
_MISSING = "..."
_Font = ImageFont.FreeTypeFont


def draw(candidates: Sequence[Words]) -> bytes:
    """A PNG of the first of the words that can be written with a font that is there.

    The last is written anyway: what cannot be, of names that people gave, is left out visibly.
    """
    words, path = _chosen([_on_one_line(one) for one in candidates])
    picture = Image.new("RGB", (WIDTH, HEIGHT), _GROUND)
    pen = ImageDraw.Draw(picture)
    pen.rectangle((0, 0, 16, HEIGHT), fill=_BRAND)
    bottom = HEIGHT - _MARGIN
    small = _sized(path, 26)
    pen.text((_MARGIN, bottom - 26), _written(f"Podmeter · {words.taken}", small), _QUIET, small)
    y = _lines(pen, _MARGIN - 8, words.title, _sized(path, 32), _QUIET, most=1)
    limit = bottom - 56
    first, *rest = words.said or [""]
    sizes = (60, 50, 42, 34)
    fitting = (one for one in sizes if _height(first, _sized(path, one)) < (limit - y) * 0.6)
    font = _sized(path, next(fitting, sizes[-1]))
    y = _lines(pen, y + 22, first, font, _INK, most=5) + 14
    font = _sized(path, 28)
    more = [*((one, _INK) for one in rest), *((one, _CAVEAT) for one in words.caveats)]
    for text, color in more:
        if y + _height(text, font) <= limit:
            y = _lines(pen, y, text, font, color, most=3) + 8
    out = io.BytesIO()
    picture.quantize(32).save(out, "PNG", optimize=True)
    return out.getvalue()


def _on_one_line(words: Words) -> Words:
    """Blanks of every kind are one, so that lines end where they are wrapped alone."""

    def plain(text: str) -> str:
        return " ".join(text.split())

    said, caveats = ([plain(one) for one in each] for each in (words.said, words.caveats))
    return Words(plain(words.title), said, caveats, plain(words.taken))


def _chosen(candidates: Sequence[Words]) -> tuple[Words, str]:
    """The words, and the font: of what Podmeter itself says nothing may be missing."""
    for one in candidates:
        said = "".join([*one.said, *one.caveats, one.taken])
        for text in (one.title + said, said):
            found = _font_for(text)
            if found is not None:
                return one, found
    return candidates[-1], ""


def _lines(
    pen: ImageDraw.ImageDraw, y: float, text: str, font: _Font, color: str, *, most: int
) -> float:
    """Write at most so many lines; where the next may begin."""
    lines = _wrapped(_written(text, font), font)
    if len(lines) > most:
        lines = [*lines[: most - 1], f"{lines[most - 1][:-3].rstrip()}{_MISSING}"]
    for line in lines:
        pen.text((_MARGIN, y), line, color, font)
        y += font.size * _LINE
    return y


def _height(text: str, font: _Font) -> float:
    return len(_wrapped(_written(text, font), font)) * font.size * _LINE


def _wrapped(text: str, font: _Font) -> list[str]:
    """Lines that fit; Chinese breaks between any two characters."""
    lines = [""]
    for part in _breakable(text):
        longer = lines[-1] + part
        if font.getlength(longer.rstrip()) <= WIDTH - 2 * _MARGIN:
            lines[-1] = longer
        else:
            lines.append(part.lstrip())
    return [line.rstrip() for line in lines if line.strip()]


def _breakable(text: str) -> Iterator[str]:
    for part in re.findall(r"[\u2e80-\uffef][，。；：、）]?|[^\s\u2e80-\uffef]+\s*|\s+", text):
        # A name without blanks may be longer than a line.
        yield from (part[at : at + 40] for at in range(0, len(part), 40))


def _written(text: str, font: _Font) -> str:
    """The text as far as the font has it."""
    text = printable(text)
    lacking = _lacking(text, font)
    if not lacking:
        return text
    kept = "".join(_PLAIN.get(one, "\0") if one in lacking else one for one in text)
    return re.sub("\0+", _MISSING, kept)


def _font_for(text: str) -> str | None:
    """The font that has all of the text; "" is Pillow's own."""
    text = "".join(one for one in text if one not in _PLAIN)
    return next((path for path in (*_paths(), "") if not _lacking(text, _sized(path, 20))), None)


def _lacking(text: str, font: _Font) -> set[str]:
    """Characters that the font draws as the sign for none."""
    none = bytes(font.getmask("\U0010ffff"))
    return {one for one in set(text) if not one.isspace() and bytes(font.getmask(one)) == none}


@lru_cache(maxsize=1)
def _paths() -> tuple[str, ...]:
    found = [
        (match.lastgroup or "", str(path))
        for folder in _FOLDERS
        for path in sorted(folder.glob("**/*.[to]t[fc]"))
        if (match := _FONTS.fullmatch(path.stem)) is not None
    ]
    return tuple(path for _, path in sorted(found))


def _sized(path: str, size: int) -> _Font:
    if path:
        # Of collections for Chinese, Japanese and Korean the third is of simplified Chinese.
        return ImageFont.truetype(
            path, size, index=2 if path.endswith(".ttc") and "CJK" in path else 0
        )
    own = ImageFont.load_default(size)
    if not isinstance(own, _Font):
        raise TypeError("this Pillow draws no fonts")
    return own
