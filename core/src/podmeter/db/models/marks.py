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
#: by an index that needs no extension; of prose the words. In steps: setting up one query of all
#: this took six times as long.
SOUGHT_WORDS = """
CREATE FUNCTION sought_words(named text[], chosen jsonb, prose text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  names text[] := coalesce(named, ARRAY[]::text[]);
  said text;
  word text;
  found text[] := ARRAY[]::text[];
BEGIN
  FOR place IN 0 .. coalesce(jsonb_array_length(chosen), 0) - 1 LOOP
    names := names || (chosen ->> place);
  END LOOP;
  FOREACH said IN ARRAY names LOOP
    CONTINUE WHEN said IS NULL;
    FOREACH word IN ARRAY regexp_split_to_array(lower(said), '[\\s\u3000]+') LOOP
      FOR place IN 1 .. length(word) LOOP
        found := found || left(substr(word, place), LONGEST_WORD);
      END LOOP;
    END LOOP;
  END LOOP;
  IF prose <> '' THEN
    FOREACH word IN ARRAY
      regexp_split_to_array(lower(prose), '[\\s\u3000,.;:!?()，。；：！？、（）]+')
    LOOP
      IF word <> '' THEN
        found := found || left(word, LONGEST_WORD);
      END IF;
    END LOOP;
  END IF;
  RETURN array_to_tsvector(found);
END
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
