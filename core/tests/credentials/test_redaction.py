"""What is removed before results are shared, and that all of it is."""

import json

import pytest
from core.tests.sampling import sampled
from hypothesis import given
from hypothesis import strategies as st

from podmeter.credentials.pseudonyms import Kind
from podmeter.credentials.redaction import Json, KnownNames, Vocabulary, redact

from .kubeconfig_maker import good, jwt, keys, pem

KNOWN = KnownNames(
    clusters=("Lab Frankfurt",),
    nodes=("web-1", "web-2"),
    namespaces=("team-blue",),
    hosts=("k8s.example.com",),
)


def redacted(content, known=KNOWN, **more):
    return redact(content, known, **more).content


@pytest.mark.parametrize(
    ("text", "expected"),
    # host-A is the known host, even where it does not occur.
    [
        ("web-1 to web-2", "node-A to node-B"),
        ("Loss on Lab Frankfurt, on lab frankfurt.", "Loss on cluster-A, on cluster-A."),
        ("web-2 to web-1", "node-B to node-A"),
        ("WEB-1", "node-A"),
        ("pod kube-proxy-web-1 on web-1.", "pod kube-proxy-node-A on node-A."),
        ("web-10 is another, so is aweb-1", "web-10 is another, so is aweb-1"),
        ("pods of team-blue and kube-system", "pods of namespace-A and kube-system"),
        ("k8s.example.com:6443", "host-A:6443"),
        ("connect 10.0.0.5:5201", "connect address-A:5201"),
        ("10.0.0.5, 10.0.0.6, 10.0.0.5.", "address-A, address-B, address-A."),
        ("route 10.244.1.0/24 dev eth0", "route address-A/24 dev eth0"),
        ("from 127.0.0.1 or ::1 or 0.0.0.0", "from 127.0.0.1 or ::1 or 0.0.0.0"),
        ("[fd00:10::5]:443", "[address-A]:443"),
        ("inet6 fe80::505b:ddff:fe37:f545/64", "inet6 address-A/64"),
        ("peer fe80::1%eth0: ok", "peer address-A: ok"),
        ("::ffff:10.0.0.5", "address-A"),
        ("link/ether 52:5b:dd:37:f5:45 brd", "link/ether address-A brd"),
        ("at 12:34:56 std::vector 0.00-1.00 sec", "at 12:34:56 std::vector 0.00-1.00 sec"),
        ("Linux 6.12.0-1, iperf 3.18, v1.34.2", "Linux 6.12.0-1, iperf 3.18, v1.34.2"),
        ("see https://k8s.example.com:6443/a?b=c.", "see url-A."),
        ("(http://10.0.0.5/)", "(url-A)"),
        ("nginx.team-green.svc.cluster.local", "host-B"),
        ("10-244-1-5.team-green.pod", "host-B"),
        ("ip-10-0-3-7 and ip-10-0-3-7.eu-west-1.compute.internal", "host-C and host-B"),
        ("Authorization: Bearer abc123def456", "Authorization: Bearer token-A"),
        ("--token=abc123def456 -v", "--token=token-A -v"),
        ("join abcdef.0123456789abcdef now", "join token-A now"),
        ("node-A and address-B stay", "node-A and address-B stay"),
        ("link 52-5b-dd-37-f5-45 up", "link address-A up"),
        ("at 525b.dd37.f545 on", "at address-A on"),
        ("peer 10-1-2-3 refused by pod-10-1-2-4.", "peer address-A refused by pod-address-B."),
        ("since 2026-11-21-10-05, 1-2-3 and 300-1-2-3", None),
        ("password: x", "password: token-A"),
        ("passwd=abc next", "passwd=token-A next"),
        ('"db_password": "a b",', '"db_password": "token-A",'),
        ("api_key=12345&x=1", "api_key=token-A&x=1"),
        ("token: null, secret: true", None),
        ("with AKIAIOSFODNN7EXAMPLE set", "with token-A set"),
        ("ghp_" + "a1B2" * 9, "token-A"),
        ("mail ops.team@example.com, please", "mail account-A, please"),
        (
            'User "system:serviceaccount:team-red2:deployer" cannot list in namespace "team-red2"',
            'User "system:serviceaccount:namespace-B:account-A" cannot list in namespace "namespace-B"',  # noqa: E501
        ),
        ('User "jane" cannot get resource', 'User "account-A" cannot get resource'),
        ('serviceaccount "ci-bot" not found', 'serviceaccount "account-A" not found'),
        ('User "system:serviceaccount:podmeter:podmeter" cannot', None),
        ("namespaces/team-red2/pods of team-red2", "namespaces/namespace-B/pods of namespace-B"),
        ("kubectl --namespace team-red2 get", "kubectl --namespace namespace-B get"),
        ("the namespace is full", None),
        ("lookup api.acme.io: no such host", "lookup host-B: no such host"),
        ("node7.prod.example.com refused", "host-B refused"),
        (
            "nginx.conf, README.md, libc.so.6, net.ipv4.vs.conn_reuse_mode, flannel.1, cni.name",
            None,
        ),
        (
            "nodes.lo.mtus.lo, registry.k8s.io/pause:3.10, docker.io/podmeter/bench:0.1.0",
            None,
        ),
        ("PGPASSWORD=abc psql", "PGPASSWORD=token-A psql"),
        ("iperf3 --password hunter2 -c", "iperf3 --password token-A -c"),
        ("Cookie: session=abcdef; a=b", "Cookie: token-A"),
        ("Authorization: Digest username=x, response=y", "Authorization: token-A"),
        ("AIzaSyA1234567890abcdefghijklmnopqrstuvw", "token-A"),
        ("xoxb-123456789012-abcdef, sk_live_abcdefghijklmnop", "token-A, token-B"),
        ("system:node:metal-7 left", "system:node:node-C left"),
        ('nodes "metal-7" not found: metal-7 is gone', 'nodes "node-C" not found: node-C is gone'),
        ("kubernetes.io/hostname=metal-7", "kubernetes.io/hostname=node-C"),
        (
            "pods in namespace team-red2, ns/team-red3",
            "pods in namespace namespace-B, ns/namespace-C",
        ),
        (
            "/home/jane/.kube, serviceaccounts/ci-bot",
            "/home/account-A/.kube, serviceaccounts/account-B",
        ),
        ("a node is ready, in the namespace of it", None),
        ("arn:aws:eks:eu-west-1:123456789012:cluster/prod is", "account-A is"),
        ("", ""),
    ],
)
def test_texts(text, expected):
    """None: the text stays as it is."""
    assert redacted(text) == (text if expected is None else expected)


def test_secrets_are_removed_in_every_form():
    key, token = pem(keys()[0]).decode(), jwt({"sub": "x"})
    document = json.dumps(good())
    for text in (key, key.replace("\n", "\\n"), key[: len(key) // 2], document, token, f"x{token}"):
        found = redacted(text)
        assert "BEGIN" not in found
        assert "LS0tLS1" not in found
        assert "eyJ" not in found
        assert key.splitlines()[1][:20] not in found
    assert redacted(f"a\n{key}b") == "a\npem-A\nb"


def test_fields_name_what_has_no_form():
    content = {
        "clientNode": "alpha",
        "server_node": "beta",
        "nodes": ["alpha", "gamma"],
        "namespace": "team-red",
        "log": "alpha -> beta in team-red; alphabet stays",
        "kubeletToken": "s3cr3t",
        "password": "pw",
    }
    assert redacted(content) == {
        "clientNode": "node-C",
        "server_node": "node-D",
        "nodes": ["node-C", "node-E"],
        "namespace": "namespace-B",
        "log": "node-C -> node-D in namespace-B; alphabet stays",
        "kubeletToken": "token-A",
        "password": "token-B",
    }


def test_keys_are_redacted_and_none_is_lost():
    content = {"web-1": 1, "WEB-1": 2, "web-2": {"cpu": 0.5}}
    assert redacted(content) == {"node-A": 1, "node-A (2)": 2, "node-B": {"cpu": 0.5}}


def test_numbers_and_structure_stay_as_they_are():
    content = [1, 2.5, True, None, {"bit/s": 9.4e9, "values": [1, 2]}, []]
    assert redacted(content) == content
    with pytest.raises(ValueError, match="JSON-like"):
        redact({"x": object()})


def test_the_input_is_not_changed():
    content = {"node": ["web-1"]}
    redact(content, KNOWN)
    assert content == {"node": ["web-1"]}


def test_the_preview_says_what_is_replaced_but_shows_no_secret():
    token = jwt({"sub": "somebody"})
    found = redact({"a": "web-1 web-1 10.0.0.5", "b": token, "password": "hunter2"}, KNOWN)
    rows = {(one.kind, one.original, one.pseudonym, one.count) for one in found.replacements}
    assert (Kind.NODE, "web-1", "node-A", 2) in rows
    assert (Kind.ADDRESS, "10.0.0.5", "address-A", 1) in rows
    assert {one.kind for one in found.replacements} == {Kind.NODE, Kind.ADDRESS, Kind.TOKEN}
    assert token not in repr(found)
    assert "hunter2" not in repr(found)
    assert f"({len(token)} characters)" in repr(found)


def test_some_kinds_may_be_kept_on_purpose_but_never_secrets():
    text = "web-1 10.0.0.5 https://x.example/y team-blue"
    assert redacted(text, keep=[Kind.NODE]) == "web-1 address-A url-A namespace-A"
    assert redacted(text, keep=[Kind.ADDRESS, Kind.URL]) == (
        "node-A 10.0.0.5 https://x.example/y namespace-A"
    )
    for kind in (Kind.TOKEN, Kind.PEM):
        with pytest.raises(ValueError, match="never kept"):
            redact("x", keep=[kind])


def test_existing_pseudonyms_are_not_given_twice():
    assert redacted("node-A web-1 web-2 node-C") == "node-A node-B node-D node-C"


def test_the_27th_name_is_aa():
    nodes = tuple(f"n{one}x" for one in range(28))
    found = redacted(" ".join(nodes), KnownNames(nodes=nodes)).split()
    assert (found[0], found[25], found[26], found[27]) == ("node-A", "node-Z", "node-AA", "node-AB")


# Forms on which a careless pattern would take quadratic time: many minutes, where a second is
# enough.
REPEATED = [
    "a.",
    "1.",
    "f:",
    "-----BEGIN X-----",
    "eyJ",
    "x-",
    "http:/",
    "0a",
    "e.",
    "1-",
    "token=",
    "a@",
    "namespace/",
    'user "',
    "arn:aws:",
    "password: ",
    "00-",
    "abcd.",
    "Cookie: ",
    "--password ",
    "/home/",
    'nodes "',
]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", sampled(REPEATED, 4))
def test_a_long_text_is_redacted_in_linear_time(piece):
    redacted(piece * (200_000 // len(piece)))


names = st.from_regex(r"[a-z][a-z0-9]{2,6}(-[a-z0-9]{1,4})?", fullmatch=True)
addresses = st.ip_addresses().filter(lambda one: not (one.is_loopback or one.is_unspecified))
glue = st.sampled_from([" ", ", ", ": ", "\n", " (", ") ", "=", "/", '"', " -> "])


@st.composite
def contents(draw):
    """A structure with names, addresses and tokens in it, and what must not be left of it."""
    nodes = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    spaces = draw(st.lists(names, max_size=2, unique=True))
    found = draw(st.lists(addresses.map(str), max_size=4))
    secrets = draw(st.lists(st.integers(0, 99).map(lambda n: jwt({"n": n})), max_size=2))
    parts = st.sampled_from([*nodes, *spaces, *found, *secrets, "9.41 Gbits/sec", "ok"])
    text = st.lists(st.tuples(parts, glue), max_size=6).map(
        lambda pairs: " ".join(part + between for part, between in pairs)
    )
    content = draw(
        st.recursive(
            text | st.integers() | st.none(),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
            max_leaves=8,
        )
    )
    return content, KnownNames(tuple(nodes), tuple(spaces)), [*nodes, *spaces, *found, *secrets]


def words(node):
    if isinstance(node, str):
        yield node
    elif isinstance(node, list):
        for one in node:
            yield from words(one)
    elif isinstance(node, dict):
        for key, value in node.items():
            yield key
            yield from words(value)


@given(contents())
def test_nothing_known_is_left_and_redacting_again_changes_nothing(drawn):
    content, known, originals = drawn
    found = redact(content, known)
    left = "\n".join(words(found.content))
    bare = left
    for one in found.replacements:
        bare = bare.replace(one.pseudonym, "")
    for original in originals:
        # Short names may be part of the fixed words; whole words must be gone.
        assert original not in bare.replace("Gbits/sec", "").split()
    again = redact(found.content, known)
    assert again.content == found.content
    assert again.replacements == ()


@given(st.text(max_size=200), st.lists(names, max_size=3))
def test_redacting_any_text_is_idempotent(text, nodes):
    known = KnownNames(nodes=tuple(nodes))
    once = redact(text, known).content
    assert redact(once, known).content == once


@given(
    st.lists(
        st.sampled_from(
            ["10.0.0.5", "fe80::1", "Cookie: ", "--password ", "/home/", "ns/",
             "system:node:", "a", ".", ":", "-", "/", "http://", "node-A", "web-1", "eyJ",
             "52:5b:dd:37:f5:45", "svc", "x.y.svc", "Bearer ", "token=", "secret99", "1", " ",
             "password: ", '"', "@", "b.com", "10-1-2-3", "namespace ", "-n ", 'User "',
             "system:serviceaccount:", "arn:aws:", "525b.dd37.f545"]
        ),
        max_size=12,
    ).map("".join)
)  # fmt: skip
def test_redacting_tricky_joins_is_idempotent(text):
    once = redacted(text)
    assert redacted(once) == once


@given(contents())
def test_pseudonyms_are_one_to_one_and_deterministic(drawn):
    content, known, _ = drawn
    found = redact(content, known)
    assert redact(content, known) == found
    pseudonyms = [one.pseudonym for one in found.replacements]
    assert len(set(pseudonyms)) == len(pseudonyms)


@pytest.mark.parametrize("kind", ["clusters", "nodes", "namespaces"])
def test_fields_that_the_document_has_keep_their_names(kind: str) -> None:
    content: dict[str, Json] = {"server_load": 1, kind: ["server"], "server": {"of server": 1}}
    names = KnownNames(**{kind: ("server",)})
    words = Vocabulary(frozenset({"server", "server_load", kind}))
    found = redact(content, names, vocabulary=words).content
    assert isinstance(found, dict)
    assert set(found) == set(content)
    assert found[kind] != ["server"]


def test_a_number_behind_an_option_is_no_namespace() -> None:
    content = {"commands": ["ping -c 1 -n 1 host", "head -n 1 file"], "unit": "1/byte"}
    assert redacted(content, KnownNames()) == content


def test_each_node_of_several_in_one_field_is_a_node():
    """Where an end of a case changes its node by round."""
    content = {
        "placement": {"client_node": "worker-a, gone-1", "server_node": "gone-2"},
        "facts": {"node_modes": "worker-a: iptables, gone-1: nftables"},
    }
    text = json.dumps(redact(content, KnownNames()).content)
    assert not [name for name in ("worker-a", "gone-1", "gone-2") if name in text]
    assert "nftables" in text


def test_the_nodes_of_a_pair_are_nodes_wherever_the_pair_stands():
    """A node that is gone is in no fingerprint; the pairs alone name it."""
    content = {
        "axes": {"node_pair": ["worker-a~gone-1", "10.0.0.7~worker-a"]},
        "point": {"node_pair": "worker-a~gone-1", "path": "pod-pod"},
        "key": "node_pair=worker-a~gone-1,path=pod-pod",
        "evidence": {"value": "gone-1", "member": "worker-a~gone-1"},
        "text": "worker-a→gone-1 is the slowest of 2 links",
        "selected": {"node_pair": "sample-20"},
    }
    found = redact(content, KnownNames(nodes=("worker-a",)))
    text = json.dumps(found.content, ensure_ascii=False)
    for name in ("worker-a", "gone-1", "10.0.0.7"):
        assert name not in text
    assert found.content["axes"]["node_pair"][0] == "node-A~node-B"
    assert found.content["key"] == "node_pair=node-A~node-B,path=pod-pod"
    assert found.content["evidence"] == {"value": "node-B", "member": "node-A~node-B"}
    assert found.content["text"] == "node-A→node-B is the slowest of 2 links"
    assert found.content["selected"] == {"node_pair": "sample-20"}
    assert redact(found.content).content == found.content
