import pytest

from podmeter.domain.errors import InvalidSpecError
from podmeter.services.experiments.document import MAX_BYTES, parse_json, parse_yaml
from podmeter.services.experiments.plan import SWITCHING_SECONDS, measuring_seconds, plan_document

from .builders import AXES, SPEC

BILLION_LAUGHS = b"a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"


def test_yaml_and_json_say_the_same() -> None:
    text = b"name: two paths\nkind: throughput\naxes: {streams: [1, 8]}\n"
    as_json = b'{"name": "two paths", "kind": "throughput", "axes": {"streams": [1, 8]}}'
    assert parse_yaml(text) == parse_json(as_json)


@pytest.mark.parametrize(
    "text",
    [
        b"a: [",
        b"\xff",
        b"!!python/object/apply:os.system ['true']",
        BILLION_LAUGHS,
        b"[" * 10_000,
        b"x" * (MAX_BYTES + 1),
        b"a: 1\n---\nb: 2\n",
    ],
)
def test_yaml_that_is_broken_or_hostile_is_refused(text: bytes) -> None:
    with pytest.raises(InvalidSpecError):
        parse_yaml(text)


@pytest.mark.parametrize("text", [b"", b"{", b"NaN", b"\xff", b"[" * 100_000, b"9" * 10_000])
def test_json_that_is_broken_is_refused(text: bytes) -> None:
    with pytest.raises(InvalidSpecError):
        parse_json(text)


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        (b'{"a": {"b/c": ["x", "\\u0000"]}}', "/a/b~1c/1"),
        (b'{"a": "\\ud800"}', "/a"),
        (b'{"\\u0000": 1}', ""),
    ],
)
def test_text_that_cannot_be_stored_is_named(text: bytes, pointer: str) -> None:
    with pytest.raises(InvalidSpecError) as refused:
        parse_json(text)
    assert [one.pointer for one in refused.value.problems] == [pointer]


def test_a_plan_counts_switches_in_the_order_of_blocks() -> None:
    axes = {**AXES, "kube_proxy_mode": ["iptables", "nftables"]}
    plan = plan_document({**SPEC, "axes": axes, "repetition": {"rounds": 2, "trials": 3}})
    assert [(s.block, s.value) for s in plan.switches] == [
        (0, "iptables"),
        (1, "nftables"),
        (2, "iptables"),
        (3, "nftables"),
    ]
    assert plan.switching_seconds == SWITCHING_SECONDS * 5
    assert plan.trials == sum(len(block.trials) for block in plan.blocks)
    assert measuring_seconds(plan) > 0


def test_a_plan_without_modes_switches_nothing() -> None:
    plan = plan_document(SPEC)
    assert plan.switches == ()
    assert plan.switching_seconds == 0
