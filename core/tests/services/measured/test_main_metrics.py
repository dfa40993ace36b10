import pytest

from podmeter.domain.experiment import KindName
from podmeter.domain.measurement import Direction
from podmeter.experiments.registry import KINDS
from podmeter.services.measured.main_metrics import MAIN_METRICS


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_says_what_its_cases_are_about(kind: KindName) -> None:
    directions = {one.name: one.direction for one in KINDS[kind].metrics}
    assert MAIN_METRICS[kind]
    for name in MAIN_METRICS[kind]:
        assert directions[name] is not Direction.NONE
