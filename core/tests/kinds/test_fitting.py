"""What is left of a template on a cluster whose modes cannot be switched."""

import pytest

from podmeter.domain.axes import MODE_AXES
from podmeter.domain.feasibility import Feasibility, Obstacle
from podmeter.domain.messages import say
from podmeter.kinds.fitting import fitted
from podmeter.kinds.registry import read_spec
from podmeter.templates.library import templates

SWITCHING = [
    one for one in templates().values() if any(axis in one.quick_spec.axes for axis in MODE_AXES)
]


@pytest.mark.parametrize("one", SWITCHING, ids=lambda one: one.id)
def test_what_is_left_without_switching_is_an_experiment(one):
    cause = say("nothing_left_to_decide", cluster="c")
    remedy = say("fix_nothing_left_to_decide")
    refused = Feasibility((Obstacle("c", "switch_not_allowed", cause, remedy),))
    left = fitted(one.quick_spec, refused)
    assert read_spec(left.model_dump(mode="json")) == left
    assert not any(axis in left.axes for axis in MODE_AXES)
