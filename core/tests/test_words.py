"""The web UI has a word, in every language, for each term that the API sends."""

from __future__ import annotations

import json
import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import podmeter
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
from podmeter.experiments.registry import every, metrics_of
from podmeter.rbac.capabilities import Capability
from podmeter.references.document import ClaimVerdict, How
from podmeter.services.audit.read import LogFormat
from podmeter.services.exports.formats import Format
from podmeter.services.measured.runs import OVERHEAD, MetricChoice
from podmeter.services.quotas import Quota
from podmeter.services.reproduction.document import OurVerdict, WhyNot
from podmeter.statistics.comparison import Method
from podmeter.statistics.trend import Shape
from podmeter.statistics.verdict import Reason, Verdict
from podmeter.statistics.warnings import WarningCode

if TYPE_CHECKING:
    from collections.abc import Iterator

I18N = Path(__file__).resolve().parents[2] / "frontend" / "src" / "i18n"
LANGUAGES = ("en", "zh")

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
#: Enumerations of one page, which has their words: its file, and what their keys begin with.
OF_PAGES = {
    "Fix": ("experiments.json", "fix."),
    "Level": ("experiments.json", "level."),
    "LineKind": ("imports.json", "kind_"),
}
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
    for group, members in ENUMS.items():
        yield from ((group, member.value) for member in members)
    yield from (("finding", code) for code in FINDINGS)
    yield from (("metric", OVERHEAD.name), ("metric_description", OVERHEAD.name))
    for field in ("profile", *Repetition.model_fields, *UntilDecided.model_fields):
        yield from (("repetition", field), ("repetition_description", field))
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


def words(language: str) -> dict[str, dict[str, Any]]:
    """The words of a language by group."""
    loaded: dict[str, dict[str, Any]] = {}
    for file in ("words.json", "definitions.json", "reproduction.json"):
        found = json.loads((I18N / language / file).read_text(encoding="utf-8"))
        loaded |= {group: terms for group, terms in found.items() if isinstance(terms, dict)}
    return loaded


def key(term: str) -> str:
    """As `useWords` looks a term up: a dot would part the key."""
    return term.replace(".", "_")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_term_has_a_word(language: str) -> None:
    known = words(language)
    missing = [
        f"{group}.{term}" for group, term in terms() if not known.get(group, {}).get(key(term))
    ]
    assert missing == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fact_of_a_trial_has_a_word(language: str) -> None:
    """Read from the source: what a trial found around it is named where it is found."""
    source = Path(podmeter.__file__).parent
    named = {
        name
        for path in (source / "experiments").rglob("*.py")
        for name in re.findall(r'facts\["(\w+)"\]', path.read_text())
    }
    assert {"route", "load", "way_to_rung"} <= named
    assert sorted(named - set(words(language)["fact"])) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_enumeration_of_the_api_has_its_words(language: str) -> None:
    document = Path(__file__).resolve().parents[2] / "docs" / "openapi.json"
    schemas = json.loads(document.read_text())["components"]["schemas"]
    known = words(language)
    missing = [
        f"{name} {value}"
        for name, schema in schemas.items()
        for value in schema.get("enum", [])
        if name not in WITHOUT_WORDS | OF_PAGES.keys()
        and value not in known.get(API_ENUMS.get(name, ""), {})
    ]
    for name, (file, prefix) in OF_PAGES.items():
        page = json.loads((I18N / language / file).read_text(encoding="utf-8"))
        group, _, rest = prefix.rpartition(".")
        keys = page[group] if group else page
        missing += [f"{name} {v}" for v in schemas[name]["enum"] if f"{rest}{v}" not in keys]
    assert missing == []


def test_descriptions_are_what_the_kinds_say() -> None:
    """A description that changed in a kind has to change for its readers too."""
    known = words("en")
    for kind in every():
        assert known["kind_description"][kind.name] == kind.description
        for metric in metrics_of(kind.name).values():
            assert known["metric_description"][metric.name] == metric.description
