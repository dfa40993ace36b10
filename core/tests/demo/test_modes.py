import pytest

from podmeter.demo.modes import as_it_stands, compared_axis, fitted
from podmeter.demo.runs import experiment

AXIS = "kube_proxy_mode"


def plan(left, *, code="mode_unavailable"):
    """What the API answers of a cluster that can have these modes of the demo's experiment."""
    wanted = experiment("service_scale")
    gone = [one for one in wanted["axes"][AXIS] if one not in left]
    if not gone:
        return {"fitted": None, "obstacles": []}
    spec = {**wanted, "axes": {**wanted["axes"], AXIS: left}} if left else as_it_stands(wanted)
    cause = {"text": f"no {' or '.join(gone)} here"}
    refused = {"axis": AXIS, "code": code, "level": "refused", "cause": cause}
    note = {**refused, "code": "switched_everywhere", "level": "note", "cause": {"text": "noted"}}
    return {"fitted": spec, "obstacles": [refused, note]}


@pytest.mark.parametrize("left", [["iptables", "nftables"], ["iptables", "ipvs", "nftables"], []])
def test_the_demo_compares_the_modes_that_the_plan_leaves(left):
    wanted = experiment("service_scale")
    found = fitted(plan(left), wanted)
    assert sorted(found.spec["axes"].get(AXIS, [])) == left
    assert found.compares == bool(left)
    assert compared_axis(found.spec) == (AXIS if left else None)
    assert len(found.left_out) == (len(left) < 3)
    assert "noted" not in found.left_out
    # Nothing but modes is left out.
    assert as_it_stands(found.spec) == as_it_stands(wanted)


def test_modes_of_another_component_are_known_as_such():
    wanted = experiment("service_scale")
    assert fitted(plan(["iptables"], code="mode_unknown"), wanted).foreign
    assert not fitted(plan(["iptables"]), wanted).foreign


def test_what_else_stands_against_a_run_is_no_reason_to_leave_modes_out():
    spec = {"axes": {"path": ["pod-pod"]}}
    old = {
        "axis": None,
        "code": "preflight_old",
        "level": "refused",
        "cause": {"text": "it is old"},
    }
    found = fitted({"fitted": None, "obstacles": [old]}, spec)
    assert (found.spec, found.left_out) == (spec, ())
