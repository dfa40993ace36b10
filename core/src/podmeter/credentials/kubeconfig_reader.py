"""Walk a kubeconfig's named lists; collect faults by JSON pointer."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from podmeter.credentials.errors import CredentialProblem
from podmeter.credentials.refused_fields import NOT_EMBEDDED, RefusedField, normalized
from podmeter.domain.messages import Message, say

_MAX_NAME = 253
_EXPORT = say("remedy_export")
#: What `kubectl config view` prints in place of secrets, unless it is given --raw.
_REDACTED = ("DATA+OMITTED", "REDACTED")


@dataclass
class Faults:
    """The problems found so far; `noted` counts those too that are one with another."""

    found: list[CredentialProblem] = field(default_factory=list)
    noted: int = 0
    _redacted: bool = False
    _refused: dict[str, list[str]] = field(default_factory=dict)

    def add(self, pointer: str, code: str, message: Message, remedy: Message) -> None:
        """Note one problem."""
        self.noted += 1
        self.found.append(CredentialProblem(pointer, code, message, remedy))

    def refuse(self, pointer: str, rule: RefusedField) -> None:
        """Note a refused field; those refused for the same reason are one problem."""
        names = self._refused.setdefault(rule.reason, [])
        names.append(rule.name)
        remedy = say("remedy_token_file") if NOT_EMBEDDED in names else rule.remedy
        message = say(rule.reason, fields=names)
        if len(names) == 1:
            self.add(pointer, "refused_field", message, remedy)
            return
        self.noted += 1
        at = next(i for i, one in enumerate(self.found) if one.message.code == rule.reason)
        self.found[at] = replace(self.found[at], message=message, remedy=remedy)

    def redact(self, pointer: str) -> None:
        """Note once that kubectl left the secrets out."""
        if self._redacted:
            self.noted += 1
            return
        self._redacted = True
        self.add(pointer, "redacted", say("secrets_left_out"), _EXPORT)


@dataclass(frozen=True, eq=False)
class Record:
    """One entry of contexts, clusters or users: its name, and the fields under its one word."""

    pointer: str
    word: str
    name: str | None
    fields: dict[str, object]

    def at(self, name: str) -> str:
        """Give the pointer of a known field."""
        return f"{self.pointer}/{self.word}/{name}"


def records(root: dict[str, object], plural: str, word: str, faults: Faults) -> list[Record]:
    """Read a list like ``clusters: [{name: …, cluster: {…}}]``; malformed entries are faults."""
    entries = root.get(plural)
    if not isinstance(entries, list) or not entries:
        faults.add(f"/{plural}", "missing", say("list_missing", list=plural), _EXPORT)
        return []
    found = []
    for index, entry in enumerate(entries):
        pointer = f"/{plural}/{index}"
        name = entry.get("name") if isinstance(entry, dict) else None
        fields = entry.get(word) if isinstance(entry, dict) else None
        if not _is_name(name) or not isinstance(fields, dict):
            message, remedy = say("entry_malformed", list=plural), say("remedy_entry", entry=word)
            faults.add(pointer, "malformed", message, remedy)
            continue
        found.append(Record(pointer, word, str(name), fields))
    return found


def choose_context(entries: Sequence[Record], wanted: str | None, faults: Faults) -> Record | None:
    """Find the one context to use; where it is not clear, say so."""
    if not entries:
        return None
    if wanted is None and len(entries) > 1:
        faults.add("/contexts", "pick_context", say("contexts_several"), say("remedy_pick"))
        return None
    matching = [one for one in entries if wanted is None or one.name == wanted]
    if len(matching) == 1:
        return matching[0]
    if matching:
        message, remedy = say("context_twice"), say("remedy_own_names")
        faults.add(matching[1].pointer, "duplicate_name", message, remedy)
    else:
        message, remedy = say("context_unknown"), say("remedy_pick_listed")
        faults.add("/contexts", "unknown_context", message, remedy)
    return None


def named(entries: Sequence[Record], context: Record, word: str, faults: Faults) -> Record | None:
    """Find the cluster or user that a context names."""
    name = context.fields.get(word)
    if not isinstance(name, str) or not name:
        message = say("context_names_none", entry=word)
        faults.add(context.at(word), "missing", message, say("remedy_name_entry", entry=word))
        return None
    matching = [one for one in entries if one.name == name]
    if len(matching) == 1:
        return matching[0]
    if matching:
        message, remedy = say("entry_twice", entry=word), say("remedy_own_names")
        faults.add(matching[1].pointer, "duplicate_name", message, remedy)
    else:
        faults.add(context.at(word), "not_found", say("entry_unknown", entry=word), _EXPORT)
    return None


def refuse_by_name(
    record: Record, refused: dict[str, RefusedField], kept: Sequence[str], faults: Faults
) -> list[tuple[str, Message]]:
    """Note refused fields that are set, and give (pointer, reason) of what is dropped."""
    dropped: list[tuple[str, Message]] = []
    order = list(refused)
    known = [name for name in record.fields if normalized(name) in refused]
    for name in sorted(known, key=lambda name: order.index(normalized(name))):
        rule, value = refused[normalized(name)], record.fields[name]
        if value in (None, "", False, [], {}):
            dropped.append((record.at(rule.name), say("dropped_not_set")))
        else:
            faults.refuse(record.at(rule.name), rule)
    unknown = len(set(record.fields) - set(known) - set(kept))
    if unknown:
        pointer = f"{record.pointer}/{record.word}"
        dropped.append((pointer, say("dropped_fields", count=unknown)))
    return dropped


def text_field(record: Record, name: str, faults: Faults) -> str | None:
    """Give a text field stripped of white space around it; None where it is absent or faulty."""
    value = record.fields.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        message, remedy = say("field_not_text", field=name), say("remedy_quote")
        faults.add(record.at(name), "not_text", message, remedy)
        return None
    if value.strip() in _REDACTED:
        faults.redact(record.at(name))
        return None
    return value.strip() or None


def _is_name(name: object) -> bool:
    return isinstance(name, str) and 0 < len(name) <= _MAX_NAME and name.isprintable()
