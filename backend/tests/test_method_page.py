"""How verdicts are decided, as a page that every verdict links to."""

from pathlib import Path

import pytest

from podmeter_api.public import method_page
from podmeter_api.public.method_page import render

from .conftest import Browser

DOCUMENT = Path(__file__).parents[2] / "docs" / "explanation" / "verdicts.md"


def test_the_document_is_shown_whole_and_nothing_in_it_is_markup() -> None:
    page = render(DOCUMENT.read_text())
    assert '<h1 id="how-verdicts-are-decided">How verdicts are decided</h1>' in page
    assert "<code>too_few_rounds</code>" in page
    assert '<th scope="row">quick</th><td>6</td><td>2</td>' in page
    assert "**" not in page
    assert "|" not in page.replace("||", "")
    assert "<script>" not in render("a <script>alert(1)</script> [x](javascript:alert(1))")
    assert "javascript:alert(1)" not in render("[x](javascript:alert(1))")


@pytest.mark.services
def test_whoever_has_a_link_can_read_it(browser: Browser) -> None:
    answer = browser().get("/method")
    assert answer.status_code == 200
    assert "Benjamini" in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]


@pytest.mark.services
def test_it_is_parsed_once_for_all_who_ask(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = browser()
    first = client.get("/method")
    monkeypatch.setattr(method_page, "render", None)
    assert client.get("/method").text == first.text
    assert client.head("/method").status_code == 200
