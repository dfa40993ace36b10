"""What findings rest on: kept documents stay readable, and what may not be shared is not."""

from dataclasses import replace
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from podmeter.services.comparisons.document import FieldDifference, Gate
from podmeter.services.snapshots.freeze import _withhold_uids
from podmeter.services.summaries.document import Finding, RunReport
from podmeter.services.summaries.evidence import Evidence, GateEvidence

from .documents import run_report

EVIDENCE: TypeAdapter[Any] = TypeAdapter(Evidence)
REPORT = TypeAdapter(RunReport)
EFFECT = {
    "metric": "throughput",
    "subject": "",
    "unit": "bit/s",
    "direction": "higher",
    "main": True,
    "verdict": "worse",
    "reason": "none",
    "baseline": {"n": 1, "median": None, "values": [[1.0]]},
    "contender": {"n": 1, "median": None, "values": [[2.0]]},
    "shift": None,
    "ratio": None,
    "p": None,
    "least_p": None,
    "method": None,
    "rounds": 1,
    "round_shifts": [],
    "warnings": [],
    "axis": "encapsulation",
    "comparability": "comparable",
}


def holds(written: Any, kept: Any) -> bool:
    """Whether all that was kept is written again; fields that came later may stand beside it."""
    if isinstance(kept, dict):
        return all(name in written and holds(written[name], one) for name, one in kept.items())
    return bool(written == kept)


@pytest.mark.parametrize(
    ("kind", "kept"),
    [
        ("effect", EFFECT),
        ("effect", {**EFFECT, "baseline_value": "host-gw", "contender_value": "vxlan"}),
        ("gate", {"gate": {"verdict": "refused", "differences": []}}),
    ],
)
def test_evidence_that_was_kept_without_its_kind_is_read(kind: str, kept: dict[str, Any]) -> None:
    found = EVIDENCE.validate_python(kept)
    assert found.kind == kind
    written = EVIDENCE.dump_python(found, mode="json")
    assert holds(written, kept)
    assert EVIDENCE.validate_python(written) == found


def test_evidence_of_nothing_known_is_refused() -> None:
    with pytest.raises(ValidationError):
        EVIDENCE.validate_python({"something": 1})


def test_the_uid_in_a_finding_is_withheld() -> None:
    differences = [
        FieldDifference("cluster_uid", "uid-1", "uid-2", None),
        FieldDifference("kernel", "6.1", "6.8", None),
    ]
    evidence = GateEvidence(kind="gate", gate=Gate("refused", differences))
    finding = Finding("not_comparable", "", {}, evidence)
    report = replace(run_report(), findings=[*run_report().findings, finding])
    content = {"run": REPORT.dump_python(report, mode="json"), "comparison": None}
    _withhold_uids(content)
    uid, kernel = content["run"]["findings"][-1]["evidence"]["gate"]["differences"]
    assert (uid["baseline"], uid["contender"]) == ("withheld", "withheld")
    assert (kernel["baseline"], kernel["contender"]) == ("6.1", "6.8")
