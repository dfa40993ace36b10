"""What people say of runs, experiments and clusters, and the words by which things are found.

None of it is measured: it changes no result, and has a version of its own.
"""

from typing import ClassVar

from sqlalchemy import DDL, Computed, Text, event, text
from sqlalchemy.dialects.postgresql import ARRAY, TSVECTOR
from sqlalchemy.orm import Mapped, declared_attr, mapped_column

from podmeter.db.base import Base

#: So many characters of a word are kept and looked for.
LONGEST_WORD = 40
#: Of names every end of every word, so that a part of a word is found as the beginning of an end,
#: by an index that needs no extension; of prose the words.
SOUGHT_WORDS = """
CREATE FUNCTION sought_words(named text[], chosen jsonb, prose text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT array_to_tsvector(ARRAY(
  SELECT left(substr(word, place), LONGEST_WORD)
  FROM (SELECT unnest(named) UNION ALL SELECT jsonb_array_elements_text(chosen)) AS said(name),
    regexp_split_to_table(lower(name), '[\\s\u3000]+') AS word,
    generate_series(1, length(word)) AS place
  UNION
  SELECT left(word, LONGEST_WORD)
  FROM regexp_split_to_table(lower(prose), '[\\s\u3000,.;:!?()，。；：！？、（）]+') AS word
  WHERE word <> ''
))
$$
""".replace("LONGEST_WORD", str(LONGEST_WORD))
event.listen(Base.metadata, "before_create", DDL(SOUGHT_WORDS))  # type: ignore[no-untyped-call]


class Findable:
    """Found by words: `sought` is written by the database itself, from what `_sought` says."""

    _sought: ClassVar[str]

    @declared_attr
    @classmethod
    def sought(cls) -> Mapped[str]:
        """What is looked for in it; read by no one but the database."""
        return mapped_column(TSVECTOR, Computed(cls._sought, persisted=True), deferred=True)


class Marked(Findable):
    """Tags and notes, which the organization shares. `marks_version` is theirs alone."""

    tags: Mapped[list[str]] = mapped_column(
        ARRAY(Text), default=list, server_default=text("'{}'::text[]")
    )
    notes: Mapped[str] = mapped_column(Text, default="", server_default="")
    marks_version: Mapped[int] = mapped_column(default=1, server_default="1")
