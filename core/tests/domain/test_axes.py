import pytest

from podmeter.domain.axes import (
    CLUSTER_AXIS,
    AxisDefinition,
    axis_problems,
    complete,
    mode_axes,
)

HEIGHT = AxisDefinition(
    name="height", description="", minimum=1, maximum=100, default=(10, 2), ladder=True
)
PATH = AxisDefinition(name="path", description="", choices=("a", "b"), default=("a",))
KNOWN = (*mode_axes(), CLUSTER_AXIS, PATH, HEIGHT)


@pytest.mark.parametrize(
    ("axes", "where"),
    [
        ({"nowhere": (1,)}, "/axes/nowhere"),
        ({"path": ("a", "c")}, "/axes/path/1"),
        ({"path": (1,)}, "/axes/path/0"),
        ({"path": ("a", "a")}, "/axes/path/1"),
        ({"height": (0,)}, "/axes/height/0"),
        ({"height": (101,)}, "/axes/height/0"),
        ({"height": ("10",)}, "/axes/height/0"),
        ({"kube_proxy_mode": ("iptables", "ebpf")}, "/axes/kube_proxy_mode/1"),
        ({"encapsulation": ("gre",)}, "/axes/encapsulation/0"),
        ({"cluster": (7,)}, "/axes/cluster/0"),
    ],
)
def test_a_value_that_is_not_on_its_axis_is_named(axes, where):
    assert [problem.pointer for problem in axis_problems(axes, KNOWN)] == [where]


def test_good_values_have_no_problem():
    axes = {"path": ("b",), "height": (1, 100), "encapsulation": ("host-gw",), "cluster": ("c1",)}
    assert axis_problems(axes, KNOWN) == ()


def test_defaults_fill_in_and_ladders_ascend():
    found = complete({"path": ("b", "a")}, KNOWN, quick=False)
    assert [(axis.name, axis.values) for axis in found] == [
        ("path", ("b", "a")),
        ("height", (2, 10)),
    ]
    assert [axis.ladder for axis in found] == [False, True]


def test_modes_that_are_not_named_are_left_as_they_stand():
    assert "kube_proxy_mode" not in {axis.name for axis in complete({}, KNOWN, quick=True)}


def test_the_quick_profile_has_defaults_of_its_own_where_an_axis_says_so():
    both = HEIGHT.model_copy(update={"quick": (3, 1)})
    for quick, values in ((True, (1, 3)), (False, (2, 10))):
        assert [axis.values for axis in complete({}, [both], quick=quick)] == [values]
        assert [axis.values for axis in complete({}, [HEIGHT], quick=quick)] == [(2, 10)]
        assert [axis.values for axis in complete({"height": (7,)}, [both], quick=quick)] == [(7,)]
