"""What is said: in every language, and as it comes back from the database."""

import copy

import pytest
from pydantic import TypeAdapter

from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import Message, Reason, say
from podmeter.texts import documents_in, group


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
    }
    assert message.in_language("zh") == "kube-proxy 模式无法切换为 IPVS：a、b 的内核没有 ip_vs 模块"


def test_several_messages_are_told_apart() -> None:
    message = say("several", several=[say("cordoned"), say("not_ready")])
    assert message == "the node is cordoned; the node is not ready"
    assert message.in_language("zh") == "节点已被禁止调度（cordon）；节点未就绪"
    whole = say("several", several=[say("server_missing"), say("remedy_server")])
    assert whole == "The server URL is missing. Provide the API server's URL, https://host:port."


#: What says that a mode cannot be switched, with its reason inside; and how each language says it.
_OUTER = {"axis_not_switchable", "mode_fixed", "mode_impossible", "value_impossible"}
_PHRASES = {"en": "cannot be switched", "zh": "无法切换"}


def test_a_sentence_gives_the_reasons_of_another_one_and_does_not_repeat_it() -> None:
    absent = say("flannel_absent", name="kube-flannel-ds")
    reason = say("by_component", component="Flannel", why=absent)
    fixed = say("axis_not_switchable", axis="encapsulation", reasons=[reason])
    assert fixed.causes == [reason]
    assert reason.causes is reason
    whole = say("mode_fixed", axis="encapsulation", cluster="C", why=fixed.causes)
    assert whole == f"encapsulation cannot be switched on C: {reason}"
    assert whole.innermost.code == "flannel_absent"


@pytest.mark.parametrize("language", _PHRASES)
def test_no_reason_why_a_mode_is_fixed_says_again_that_it_is(language: str) -> None:
    phrase = _PHRASES[language]
    texts = group(language, "message")
    assert {code for code, text in texts.items() if phrase in text} == _OUTER


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


def test_terms_are_named_by_their_words_and_unknown_ones_as_they_are_spelled() -> None:
    assert "运行处于“运行中”状态时" in say("worker_gone", state="running").in_language("zh")
    assert "运行处于“resting”状态时" in say("worker_gone", state="resting").in_language("zh")
    again = say("run_not_taken_up", ended="running", why="resume")
    assert again.in_language("zh") == "结果为“运行中”的运行不能通过“继续”继续"
    axes = say("switch_not_allowed_now", axes=["kube_proxy_mode", "encapsulation"])
    assert "要切换 kube-proxy 模式、封装方式" in axes.in_language("zh")


def test_a_document_has_texts_in_the_language_that_is_spoken_and_none_where_it_is_stored() -> None:
    adapter = TypeAdapter(Message)
    message = say("on_node", node="a", what=say("cordoned"))
    with documents_in("zh"):
        shown = adapter.dump_python(message, mode="json")
    assert shown["text"] == "a：节点已被禁止调度（cordon）"
    assert shown["params"]["what"]["text"] == "节点已被禁止调度（cordon）"
    stored = adapter.dump_python(message, mode="json")
    assert stored == message.plain()
    assert "text" not in str(stored)


def test_a_message_of_another_version_is_said_as_it_was_stored() -> None:
    stored = {"code": "not_known_here", "params": {"a": 1}, "text": "as it was"}
    read = Message.read(stored)
    assert (str(read), read.in_language("zh"), read.plain()) == ("as it was", "as it was", stored)


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
