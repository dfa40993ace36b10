"""The image of the measuring pods: what is a reference to one, and what is said of what is not."""

import pytest

from podmeter.domain.bench_image import BenchImage, OwnImage, image_reference, secret_name
from podmeter.domain.messages import Message

DIGEST = "sha256:" + "0123456789abcdef" * 4


@pytest.mark.parametrize(
    "reference",
    [
        "bench",
        "podmeter/bench:0.1.0",
        "docker.io/podmeter/bench:0.1.0",
        "localhost:5000/bench",
        "registry.example:5000/a/b/c_d--e.f/bench:v1",
        "[2001:db8::1]:5000/bench:1",
        "Registry.Example/bench",
        f"registry.example/bench@{DIGEST}",
        f"registry.example:5000/bench:0.1.0@{DIGEST}",
    ],
)
def test_what_engines_pull_is_a_reference(reference: str) -> None:
    assert image_reference(reference) == reference


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("https://registry.example/bench", "image_scheme"),
        ("docker://bench", "image_scheme"),
        (" bench", "image_space"),
        ("bench:1\nkind: Pod", "image_space"),
        ("bench@sha256:abc", "image_digest"),
        (f"bench@{DIGEST.upper()}", "image_digest"),
        ("bench@", "image_digest"),
        ("bench:", "image_tag"),
        ("bench:-1", "image_tag"),
        ("bench:" + "a" * 129, "image_tag"),
        ("registry.example/Team/bench", "image_upper_case"),
        ("registry.example//bench", "image_malformed"),
        ("registry.example/", "image_malformed"),
        ("bench'", "image_malformed"),
        ("registry.example/" + "a" * 250, "image_malformed"),
        ("", "image_malformed"),
    ],
)
def test_anything_else_is_refused_with_what_is_wrong(text: str, code: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 (the code is checked)
        image_reference(text)
    (said,) = refused.value.args
    assert isinstance(said, Message)
    assert said.code == code


def test_a_secret_has_a_name_that_kubernetes_takes() -> None:
    for name in ("registry", "team.registry-1"):
        assert secret_name(name) == name
    for text in ("", "Registry", "a b", "-a", "a_b", "a" * 254, "a..b"):
        with pytest.raises(ValueError, match="not a valid Secret name"):
            secret_name(text)


@pytest.mark.parametrize(
    ("reference", "registry"),
    [
        ("bench:1", "docker.io"),
        ("podmeter/bench:1", "docker.io"),
        ("localhost/bench", "localhost"),
        ("registry.example:5000/team/bench", "registry.example:5000"),
        (f"registry.example/bench@{DIGEST}", "registry.example"),
    ],
)
def test_the_registry_that_it_is_pulled_from(reference: str, registry: str) -> None:
    assert BenchImage(reference).registry == registry


def test_the_installations_image_stands_in() -> None:
    assert OwnImage().or_else(None) is None
    assert OwnImage(None, "s").or_else("ours:1") == BenchImage("ours:1", "s")
    assert OwnImage("own:2").or_else("ours:1") == BenchImage("own:2")
