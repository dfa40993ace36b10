"""No text is missing, unused or badly parametrised, in any language.

The catalog and the web UI's own texts are checked together: they have one format.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import get_args

import pytest
from babel import Locale

from podmeter.db.models.accounts import AddressProof, Role
from podmeter.db.models.audit import Via
from podmeter.db.models.clusters import PreflightState, ReplacementState
from podmeter.db.repositories.marks import Order
from podmeter.domain import comparability, measurement
from podmeter.domain.axes import AxisRole, AxisScope
from podmeter.domain.experiment import Profile, Repetition, UntilDecided
from podmeter.domain.ports import Access, LogLevel
from podmeter.domain.run import CaseStatus, Outcome, RunState, Step
from podmeter.domain.trial import TrialStatus
from podmeter.kinds.limits import LimitedBy
from podmeter.kinds.registry import every, metrics_of
from podmeter.rbac.capabilities import Capability
from podmeter.references.document import ClaimVerdict, How
from podmeter.references.library import references
from podmeter.services.audit.read import LogFormat
from podmeter.services.exports.formats import Format
from podmeter.services.quotas import Quota
from podmeter.services.reproduction.document import OurVerdict, WhyNot
from podmeter.services.run_results.runs import OVERHEAD, MetricChoice
from podmeter.services.snapshots.document import SubjectName
from podmeter.statistics.comparison import Method
from podmeter.statistics.trend import Shape
from podmeter.statistics.verdict import Reason, Verdict
from podmeter.statistics.warnings import WarningCode
from podmeter.templates.library import templates
from podmeter.texts import ENGLISH, catalog, group, holes, languages
from podmeter.texts.render import term_key

REPOSITORY = Path(__file__).resolve().parents[3]
#: Texts that only the web UI has, a file each namespace.
UI = REPOSITORY / "frontend" / "src" / "i18n"
OTHERS = [one for one in languages() if one != ENGLISH]
SOURCES = [
    path
    for package in ("core", "backend", "worker")
    for path in sorted((REPOSITORY / package / "src").rglob("*.py"))
]

#: Which group of words names the members of an enumeration that the API sends.
ENUMS: dict[str, type[StrEnum]] = {
    "access": Access,
    "axis_role": AxisRole,
    "axis_scope": AxisScope,
    "capability": Capability,
    "case_status": CaseStatus,
    "claim_verdict": ClaimVerdict,
    "direction": measurement.Direction,
    "format": Format,
    "gate": comparability.Comparability,
    "how": How,
    "limited_by": LimitedBy,
    "log_format": LogFormat,
    "log_level": LogLevel,
    "method": Method,
    "metric_choice": MetricChoice,
    "order": Order,
    "our_verdict": OurVerdict,
    "outcome": Outcome,
    "preflight_state": PreflightState,
    "profile": Profile,
    "quota": Quota,
    "reason": Reason,
    "address_proof": AddressProof,
    "replacement_state": ReplacementState,
    "role": Role,
    "run_state": RunState,
    "shape": Shape,
    "step": Step,
    "trial_status": TrialStatus,
    "unit": measurement.Unit,
    "verdict": Verdict,
    "via": Via,
    "warning": WarningCode,
    "why_not_told": WhyNot,
}
#: The same by the name that the API's document gives the enumeration; some are the API's own.
OF_THE_API = {"Keep": "keep", "KindName": "kind", "Reopening": "step"}
API_ENUMS = OF_THE_API | {members.__name__: group for group, members in ENUMS.items()}
#: Files are named by their extensions alone.
WITHOUT_WORDS = {"RowsFormat"}
#: Enumerations of one page, which has their words: what their keys begin with.
OF_PAGES = {
    "Fix": "experiments.fix.",
    "Level": "experiments.level.",
    "LineKind": "imports.kind_",
}
#: English counts what is not named, Chinese all.
OF_ITS_OWN = ("phrase.more_fields",)
#: Enumerations that the page of articles beside our figures has the words of.
OF_REPRODUCTION = ("claim_verdict", "how", "our_verdict", "why_not_told")
FINDINGS = (
    "not_comparable",
    "crossover",
    "degrades_more",
    "no_crossover",
    "loss",
    "loss_unknown",
    "slowest_link",
    "slowest_links",
    "no_link_apart",
    "mtu_differs",
    "mtu_same",
    "mtu_too_large",
    "mtu_unused",
    *(f"mode_{one}" for one in Verdict),
    *(f"curve_{one}" for one in Shape),
)


def terms() -> Iterator[tuple[str, str]]:
    """Every (group, term) that a page may have to name."""
    for name, members in ENUMS.items():
        yield from ((name, member.value) for member in members)
    yield from (("finding", code) for code in FINDINGS)
    yield from (("metric", OVERHEAD.name), ("metric_description", OVERHEAD.name))
    for setting in ("profile", *Repetition.model_fields, *UntilDecided.model_fields):
        yield from (("repetition", setting), ("repetition_description", setting))
    for kind in every():
        yield from (("kind", kind.name), ("kind_description", kind.name))
        for metric in metrics_of(kind.name).values():
            yield from (("metric", metric.name), ("metric_description", metric.name))
            yield from (("axis_value", part) for part in metric.parts)
        for axis in kind.axes:
            yield from (("axis", axis.name), ("axis_description", axis.name))
            yield from (("axis_value", choice) for choice in axis.choices)
        for parameter in kind.parameters.model_fields:
            yield from (("parameter", parameter), ("parameter_description", parameter))
        for schema in kind.parameters.model_json_schema()["properties"].values():
            yield from (("axis_value", choice) for choice in schema.get("enum", ()))


@cache
def ui(language: str) -> dict[str, str]:
    """The texts of the web UI alone, by namespace and key."""
    found: dict[str, str] = {}
    for path in sorted((UI / language).glob("*.json")):
        found |= flat(json.loads(path.read_text(encoding="utf-8")), f"{path.stem}.")
    return found


def flat(texts: Mapping[str, object], prefix: str = "") -> dict[str, str]:
    found: dict[str, str] = {}
    for key, text in texts.items():
        name = prefix + key
        found |= flat(text, f"{name}.") if isinstance(text, dict) else {name: str(text)}
    return found


@cache
def every_text(language: str) -> dict[str, str]:
    return {**catalog(language), **{f"ui.{key}": text for key, text in ui(language).items()}}


@cache
def plural_stems() -> set[str]:
    """The keys of texts that follow a number: English has two forms of each."""
    known = every_text(ENGLISH)
    stems = {key.removesuffix("_one") for key in known if key.endswith("_one")}
    return {stem for stem in stems if f"{stem}_other" in known}


def expected_keys(language: str) -> set[str]:
    """English's keys, with the plural forms of the language in the place of English's."""
    stems = plural_stems()
    forms = {*Locale.parse(language).plural_form.tags, "other"}
    english = {f"{stem}_{form}" for stem in stems for form in ("one", "other")}
    return (every_text(ENGLISH).keys() - english) | {
        f"{stem}_{form}" for stem in stems for form in forms
    }


def english_of(key: str) -> str:
    """The English text of a key of any language."""
    known = every_text(ENGLISH)
    return known.get(key) or known[f"{key.rpartition('_')[0]}_other"]


#: The functions that take the code of a text.
TAKING_CODES = {"say": "message", "sentence": "sentence"}


@dataclass
class Used:
    """What the source says of texts; its trees are too large to keep."""

    #: Every string, and the name of every argument.
    words: set[str] = field(default_factory=set)
    arguments: set[str] = field(default_factory=set)
    #: How each f-string begins.
    beginnings: set[str] = field(default_factory=set)
    #: Every call of a function that takes a code, with where it is.
    calls: list[tuple[str, str, ast.Call]] = field(default_factory=list)

    def read(self, name: str, source: str) -> None:
        """Take what a file uses."""
        for node in ast.walk(ast.parse(source)):
            match node:
                case ast.Constant(value=str(word)):
                    self.words.add(word)
                case ast.keyword(arg=str(argument)):
                    self.arguments.add(argument)
                case ast.JoinedStr(values=[ast.Constant(value=str(begun)), *_]):
                    self.beginnings.add(begun)
                case ast.Call(func=ast.Name(id=called)) if called in TAKING_CODES:
                    self.calls.append((called, f"{name}:{node.lineno}", node))


@cache
def used() -> Used:
    """By the whole source."""
    found = Used()
    for path in SOURCES:
        found.read(path.name, path.read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("language", OTHERS)
def test_a_language_has_every_text(language: str) -> None:
    found = every_text(language).keys()
    assert sorted(expected_keys(language) - found) == []
    assert sorted(found - expected_keys(language)) == []


@pytest.mark.parametrize("language", OTHERS)
def test_a_text_has_the_parameters_of_the_english_one(language: str) -> None:
    wrong = [
        key
        for key, text in every_text(language).items()
        if key not in OF_ITS_OWN and holes(text) - {"count"} != holes(english_of(key)) - {"count"}
    ]
    assert wrong == []


@pytest.mark.parametrize("language", languages())
def test_no_text_is_blank_and_every_parameter_is_well_formed(language: str) -> None:
    for key, text in every_text(language).items():
        assert text.strip() or key == "sign.sentences", key
        assert text.count("{{") <= len(re.findall(r"{{\w+(?:, \w+)*}}", text)), key


@pytest.mark.parametrize("language", languages())
def test_parameters_are_named_by_groups_of_words_that_exist(language: str) -> None:
    texts = catalog(language)
    groups = {key.partition(".")[0] for key in texts}
    listed = {
        names for text in texts.values() for names in re.findall(r"{{\w+((?:, \w+)+)}}", text)
    }
    named = {name for names in listed for name in names.split(", ")[1:]}
    assert named <= groups
    assert len(named) > 5 or language == ENGLISH


@pytest.mark.parametrize(("function", "kind"), TAKING_CODES.items())
def test_every_use_is_of_a_code_with_its_parameters(function: str, kind: str) -> None:
    known = group(ENGLISH, kind)
    seen = 0
    for called, where, call in used().calls:
        code = call.args[0]
        if called != function or not isinstance(code, ast.Constant) or len(call.args) > 1:
            continue
        seen += 1
        assert code.value in known, where
        given = {keyword.arg for keyword in call.keywords}
        if None not in given:
            assert given == holes(known[str(code.value)]), where
    assert seen > 20


#: Sentences of documents that an older version stored.
OLDER = {"sentence.loss_unseen"}


def test_every_text_is_used() -> None:
    """By its code or key in the source, or by how its key begins; pydantic's types name theirs."""
    words = {part for one in used().words for part in (one, *one.split("."))} | used().arguments
    begun = tuple(one.rpartition(".")[2] for one in used().beginnings if one.endswith("_"))
    groups = ("message", "sentence", "phrase", "sign", "public_page")
    unused = [
        f"{name}.{term}"
        for name in groups
        for term in group(ENGLISH, name)
        if term not in words
        and not (name == "phrase" and term.startswith(begun))
        and not term.startswith("input_")
    ]
    assert set(unused) == OLDER


def test_every_way_to_use_a_text_is_found() -> None:
    found = Used()
    found.read("a.py", 'say("code", what=f"begins_{here}")\nother(sentence("that"))')
    assert found.words == {"code", "begins_", "that"}
    assert (found.arguments, found.beginnings) == ({"what"}, {"begins_"})
    assert [(called, where) for called, where, _ in found.calls] == [
        ("say", "a.py:1"),
        ("sentence", "a.py:2"),
    ]


@pytest.mark.parametrize("language", languages())
def test_every_term_has_a_word(language: str) -> None:
    known, pages = catalog(language), ui(language)
    missing = [
        key
        for name, term in terms()
        for key in [f"{name}.{term_key(term)}"]
        if key not in known and not (name in OF_REPRODUCTION and f"reproduction.{key}" in pages)
    ]
    assert missing == []


@pytest.mark.parametrize("language", languages())
def test_every_term_has_words_for_sentences(language: str) -> None:
    known = catalog(language)
    for kind in every():
        for metric in kind.metrics:
            assert not metric.main or f"metric_in_sentence.{metric.name}" in known, metric.name
        for axis in kind.axes:
            assert f"axis_in_sentence.{axis.name}" in known, axis.name
            for choice in axis.choices:
                assert f"axis_value_in_sentence.{term_key(choice)}" in known, choice


@pytest.mark.parametrize("language", languages())
def test_every_fact_of_a_trial_has_a_word(language: str) -> None:
    """Read from the source: what a trial found around it is named where it is found."""
    named = {
        name
        for path in (REPOSITORY / "core/src/podmeter/kinds").rglob("*.py")
        for name in re.findall(r'facts\["(\w+)"\]', path.read_text())
    }
    assert {"route", "load", "way_to_rung"} <= named
    assert sorted(named - group(language, "fact").keys()) == []


@pytest.mark.parametrize("language", languages())
def test_every_enumeration_of_the_api_has_its_words(language: str) -> None:
    document = REPOSITORY / "docs" / "openapi.json"
    schemas = json.loads(document.read_text())["components"]["schemas"]
    known = {key.removeprefix("reproduction.") for key in ui(language)} | catalog(language).keys()
    prefixes = {**{name: f"{words}." for name, words in API_ENUMS.items()}, **OF_PAGES}
    missing = [
        f"{name} {value}"
        for name, schema in schemas.items()
        for value in schema.get("enum", [])
        if name not in WITHOUT_WORDS and f"{prefixes.get(name)}{value}" not in known
    ]
    assert missing == []


@pytest.mark.parametrize("language", languages())
def test_every_template_and_reference_has_its_texts(language: str) -> None:
    known = catalog(language)
    needed = {f"public_subject.{one}" for one in get_args(SubjectName)}
    for template in templates().values():
        of_article = ["narrowed"] if template.published else []
        needed |= {f"template.{template.id}.{one}" for one in ("title", "question", *of_article)}
    for published in references().values():
        one = published.reference
        needed |= {
            f"reference.{one.id}.{key}"
            for key in (
                "subject",
                *(f"table.{table.id}" for table in one.tables),
                *(f"doubt.{place}" for place, _ in enumerate(one.doubts)),
                *(f"claim.{claim.id}.said" for claim in one.claims),
            )
        }
    assert sorted(needed - known.keys()) == []
