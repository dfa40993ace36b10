import io

from rich.console import Console

from podmeter.demo.answers import Answer, show

LONG = (
    "VXLAN costs 26 % [22 to 30 %] of pod→pod throughput against host-gw at 1 stream, and this "
    "sentence goes on so that a terminal of 80 columns needs several lines for it"
)


def headline(**parts: list[str]) -> dict[str, list[dict[str, str]]]:
    return {name: [{"text": text} for text in texts] for name, texts in parts.items()}


def shown(*answers: Answer) -> list[str]:
    console = Console(width=80, file=io.StringIO(), record=True)
    show(console, answers)
    return console.export_text().splitlines()


def test_two_answers_fit_a_screen_of_25_lines() -> None:
    full = headline(sentences=[LONG] * 5, recommendation=[LONG] * 5, caveats=[LONG] * 3)
    lines = shown(Answer("What encapsulation costs", full, "https://podmeter.example/s/x"))
    # Sentences of this length are longer than any that is made.
    assert len(lines) <= 16
    short = headline(sentences=["a"] * 5, recommendation=["b"] * 5, caveats=["c"] * 3)
    two = shown(Answer("One", short, "u"), Answer("Two", short, "v"))
    assert len(two) <= 14
    assert [line.strip() for line in two] == [
        *("", "One", "a", "→ b", "u"),
        *("", "Two", "a", "→ b", "v"),
        *("", "In brackets: 95 % interval, of all results of a run together.", "Note: c"),
    ]


def test_a_run_without_an_answer_says_so() -> None:
    assert "No results" in "\n".join(shown(Answer("One", None, "u")))
