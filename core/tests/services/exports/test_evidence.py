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
