"""What the sanitizer keeps, drops and refuses."""

import json
import logging
import pickle
import traceback
from contextlib import suppress
from datetime import timedelta

import pytest
import yaml
from core.tests.sampling import sampled, takes_all
from hypothesis import given
from hypothesis import strategies as st

from podmeter.credentials import strict_yaml
from podmeter.credentials.address_policy import AddressPolicy
from podmeter.credentials.errors import KubeconfigRefusedError
from podmeter.credentials.kubeconfig import sanitize

from .kubeconfig_cases import CASES
from .kubeconfig_corpus import mutated, named
from .kubeconfig_maker import (
    CANARY,
    EXEC,
    NOW,
    TOUCH,
    certificate,
    good,
    jwt,
    keys,
    packed,
    pem,
    two_contexts,
    written,
)

STRICT = AddressPolicy()


def sanitized(raw, **more):
    return sanitize(raw, now=NOW, policy=more.pop("policy", STRICT), **more)


def test_there_are_enough_cases():
    assert len(CASES) >= 370


def test_mutations_bring_out_the_own_error_alone():
    refused, count = 0, 1500 if takes_all() else 500
    for _, raw in mutated(seed=7, count=count):
        try:
            sanitized(raw)
        except KubeconfigRefusedError:
            refused += 1
    assert count // 2 < refused < count  # some do no harm: so they get past the first check


def test_the_reader_takes_both_parsers_for_the_same(monkeypatch):
    """Where PyYAML has no libyaml its own parser reads; it only takes longer."""
    small = {name: raw for name, raw in named() if len(raw) < 20_000}
    documents = sampled(small.values(), 60)
    documents += sampled((raw for _, raw in mutated(seed=8, count=100)), 30)

    def outcomes():
        for raw in documents:
            try:
                yield sanitized(raw).kept_fields()
            except KubeconfigRefusedError as error:
                # Where they stumble over the same thing may differ.
                yield {one.pointer for one in error.problems}

    fast = list(outcomes())
    monkeypatch.setattr(strict_yaml, "_LOADER", yaml.SafeLoader)
    slow = list(outcomes())
    different = [raw for raw, one, two in zip(documents, fast, slow, strict=True) if one != two]
    assert len(different) <= len(documents) // 20, different


@pytest.mark.parametrize("name", CASES)
def test_bad_kubeconfigs_are_refused_with_what_is_wrong_and_how_to_mend_it(name, caplog):
    pointer, code, make = CASES[name]
    raw = make()
    assert name == "empty" or CANARY.encode() in raw, "without a canary it proves nothing"
    with caplog.at_level(logging.DEBUG), pytest.raises(KubeconfigRefusedError) as caught:
        sanitized(raw)
    error = caught.value
    assert (pointer, code) in {(one.pointer, one.code) for one in error.problems}
    for problem in error.problems:
        assert problem.message.endswith(".")
        assert problem.remedy.endswith((".", "…"))
    told = "".join(
        [
            str(error),
            repr(error),
            repr(error.problems),
            repr(error.__dict__),
            json.dumps(error.said.plain()),
            *traceback.format_exception(error),
            repr(error.__cause__),
            repr(error.__context__),
            caplog.text,
        ]
    )
    assert CANARY not in told


def test_a_client_certificate_is_kept_with_its_key_and_expiry():
    kept = sanitized(written(good()))
    own, _, client, authority = keys()
    assert kept.server == "https://10.0.0.5:6443"
    assert kept.certificate_authority.encode() == pem(authority)
    assert kept.client_certificate.encode() == pem(client)
    assert kept.client_key.encode() == pem(own)
    assert kept.token is None
    assert kept.expires_at == NOW + timedelta(days=29)
    assert kept.expires_what == "client_certificate"
    assert kept.context == "lab"
    assert kept.dropped == ()
    assert set(kept.kept_fields()) == {
        "server",
        "certificate_authority",
        "client_certificate",
        "client_key",
    }


def test_a_token_is_kept_with_its_unverified_expiry():
    kept = sanitized(written(good("token")))
    assert kept.expires_at == NOW + timedelta(days=3)
    assert kept.expires_what == "token"
    assert kept.client_key is None
    assert kept.kept_fields()["token"] == kept.token


@pytest.mark.parametrize(
    "token",
    [
        "opaque-token-0123456789",
        "abcdef.0123456789abcdef",
        jwt({}),
        jwt({"exp": None}),
        jwt({"exp": True}),
        jwt({"exp": "soon"}),
        jwt({"exp": 1e300}),
        jwt([1]),
        "a.b.c.d.e",
        "aaaa.!!!!.cccc",
    ],
)
def test_a_token_that_does_not_say_when_it_expires(token):
    document = good("token")
    document["users"][0]["user"]["token"] = token
    kept = sanitized(written(document))
    assert (kept.token, kept.expires_at, kept.expires_what) == (token, None, None)


def test_white_space_around_a_token_is_not_part_of_it():
    document = good("token")
    document["users"][0]["user"]["token"] = "opaque-token\n"
    assert sanitized(written(document)).token == "opaque-token"


def test_json_and_a_byte_order_mark_are_accepted():
    plain = sanitized(written(good()))
    assert sanitized(json.dumps(good(), indent="\t").encode()) == plain
    assert sanitized(b"\xef\xbb\xbf" + written(good())) == plain
    assert sanitized(b"---\n# a comment\n" + written(good())) == plain


def test_neither_repr_nor_str_shows_a_secret():
    kept = sanitized(written(good()))
    shown = repr(kept) + str(kept)
    assert "PRIVATE KEY" not in shown
    assert "BEGIN" not in shown
    token = sanitized(written(good("token")))
    assert token.token not in repr(token)


def test_of_several_contexts_one_is_picked_and_the_rest_dropped():
    document = good()
    two_contexts(document)
    with pytest.raises(KubeconfigRefusedError) as caught:
        sanitized(written(document))
    choices = caught.value.contexts
    assert [(one.name, one.current) for one in choices] == [("lab", True), ("other", False)]
    kept = sanitized(written(document), context="lab")
    assert kept.contexts == choices
    assert {one.pointer for one in kept.dropped} == {"/contexts/1", "/users/1"}
    with pytest.raises(
        KubeconfigRefusedError, match="exec is not supported: it would run a program"
    ):
        sanitized(written(document), context="other")
    with pytest.raises(KubeconfigRefusedError, match="No context has the chosen name"):
        sanitized(written(document), context=CANARY)


def test_what_is_dropped_is_said():
    document = good()
    document["preferences"] = {"colors": True}
    document["extra"] = TOUCH
    document["contexts"][0]["context"]["namespace"] = "team"
    document["clusters"][0]["cluster"]["insecure-skip-tls-verify"] = False
    document["clusters"][0]["cluster"]["extensions"] = [{"name": "x", "extension": {}}]
    document["users"][0]["user"]["exec"] = None
    kept = sanitized(written(document))
    assert {one.pointer for one in kept.dropped} == {
        "",
        "/preferences",
        "/contexts/0/context/namespace",
        "/clusters/0/cluster/insecure-skip-tls-verify",
        "/clusters/0/cluster",
        "/users/0/user/exec",
    }
    assert CANARY not in repr(kept.dropped)
    assert CANARY not in json.dumps([one.reason.plain() for one in kept.dropped])


def test_all_problems_are_found_at_once():
    document = good()
    document["clusters"][0]["cluster"] = {"server": "http://10.0.0.5", "proxy-url": "http://x"}
    document["users"][0]["user"] = {"exec": EXEC, "tokenFile": "/x"}
    with pytest.raises(KubeconfigRefusedError) as caught:
        sanitized(written(document))
    assert {one.pointer for one in caught.value.problems} == {
        "/clusters/0/cluster/server",
        "/clusters/0/cluster/proxy-url",
        "/users/0/user/exec",
        "/users/0/user/tokenFile",
    }


def test_an_operator_may_allow_the_testbeds_network():
    document = good()
    document["clusters"][0]["cluster"]["server"] = "https://127.0.0.1:6443"
    policy = AddressPolicy.of(allowed=["127.0.0.0/8"])
    assert sanitized(written(document), policy=policy).server == "https://127.0.0.1:6443"


def test_an_authority_in_rotation_needs_one_valid_certificate():
    document = good()
    bundle = pem(certificate(keys()[1], start=-40, days=30)) + b"# next\n" + pem(keys()[3])
    document["clusters"][0]["cluster"]["certificate-authority-data"] = packed(bundle)
    kept = sanitized(written(document))
    assert kept.certificate_authority.count("BEGIN CERTIFICATE") == 2
    assert "next" not in kept.certificate_authority


def test_the_kept_key_is_written_anew_without_what_stood_around_it():
    document = good()
    own = keys()[0]
    document["users"][0]["user"]["client-key-data"] = packed(b"junk\n" + pem(own) + b"more\n")
    assert sanitized(written(document)).client_key.encode() == pem(own)


@given(st.binary(max_size=400))
def test_any_bytes_are_refused_and_nothing_else_happens(raw):
    with pytest.raises(KubeconfigRefusedError):
        sanitized(raw)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=20),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3)
        ),
        max_leaves=20,
    ),
    st.sampled_from(["contexts", "clusters", "users", "current-context", "kind"]),
)
def test_any_structure_in_any_place_is_refused_or_dropped(value, place):
    document = {**good(), place: value}
    with suppress(KubeconfigRefusedError):
        assert sanitized(json.dumps(document).encode()).server == "https://10.0.0.5:6443"


def test_the_error_survives_logging_and_copying():
    with pytest.raises(KubeconfigRefusedError) as caught:
        sanitized(b"x: 1")
    assert pickle.dumps(caught.value.problems)
