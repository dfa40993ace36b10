"""What is said: every code is used, every use is of a code, and all of it survives the database."""

import ast
import copy
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import CATALOG, Message, Reason, placeholders, say

_SOURCES = Path(__file__).parents[3]
_FILES = [
    path
    for package in ("core", "backend", "worker")
    for path in sorted((_SOURCES / package / "src").rglob("*.py"))
    if path.parent.name != "messages"
]


def _trees() -> Iterator[tuple[Path, ast.AST]]:
    for path in _FILES:
        yield path, ast.parse(path.read_text())


def _said() -> Iterator[tuple[str, ast.Call]]:
    """Every call of `say`, with where it is."""
    for path, tree in _trees():
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Name(id="say")):
                    yield f"{path.name}:{node.lineno}", node


def test_every_use_is_of_a_code_with_its_parameters() -> None:
    seen = 0
    for where, call in _said():
        code = call.args[0]
        if not isinstance(code, ast.Constant):
            continue
        seen += 1
        assert code.value in CATALOG, where
        given = {keyword.arg for keyword in call.keywords}
        assert given == placeholders(str(code.value)), where
    assert seen > 100


def test_every_code_is_used() -> None:
    """Some stand in a table from which `say` is given them; pydantic's own types name theirs."""
    words = {
        node.value
        for _, tree in _trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    unused = {code for code in CATALOG if not code.startswith("input_")} - words - {"text"}
    assert unused == set()


def test_the_sentence_is_made_of_its_parameters() -> None:
    inner = say("kernel_no_ipvs", nodes=["a", "b"])
    message = say("mode_impossible", axis="kube_proxy_mode", value="ipvs", why=inner)
    assert message == (
        "kube_proxy_mode cannot be switched to ipvs: the kernel of a, b has no ip_vs module"
    )
    assert message.code == "mode_impossible"
    assert message.params["why"] == {
        "code": "kernel_no_ipvs",
        "params": {"nodes": ["a", "b"]},
        "text": "the kernel of a, b has no ip_vs module",
    }


def test_several_messages_are_told_apart() -> None:
    message = say("several", several=[say("cordoned"), say("not_ready")])
    assert message == "the node is cordoned; the node is not ready"
    whole = say("several", several=[say("server_missing"), say("remedy_server")])
    assert whole == "The server URL is missing. Provide the API server's URL, https://host:port."


def test_braces_in_what_a_tool_said_are_only_text() -> None:
    assert say("tool_said", tool="iperf3", said="{oops} {0}") == "iperf3: {oops} {0}"


def test_a_message_comes_back_as_it_was() -> None:
    message = say("cases_short", short=1, total=2, first=say("no_reason"))
    for again in (
        Message.read(message.plain()),
        copy.deepcopy(message),
        TypeAdapter(Message).validate_json(TypeAdapter(Message).dump_json(message)),
    ):
        assert (again, again.code, again.params) == (message, message.code, message.params)


def test_bare_text_says_no_more_than_its_text() -> None:
    assert Message.read("as it was said before").code == "text"
    assert TypeAdapter(Reason).validate_python("") is None


@pytest.mark.parametrize("kept", [None, 3, {"code": "x"}])
def test_what_is_no_message_is_refused(kept: object) -> None:
    with pytest.raises(ValueError, match="not a message"):
        Message.read(kept)


def test_an_error_tells_what_it_was_made_of() -> None:
    assert PreconditionError(say("no_image")).said.code == "no_image"
    assert PreconditionError("bare").said.params == {"text": "bare"}
