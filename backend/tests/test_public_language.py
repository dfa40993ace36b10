"""What a link shows without scripts, to a reader of Chinese."""

import re
import uuid
from html.parser import HTMLParser
from typing import Any

import pytest
from fastapi.testclient import TestClient

from podmeter.db.session import Sessions

from .conftest import Browser
from .measured import Measured, ladder, paths, service_scale, store, throughput
from .test_shared_reproduction import asked
from .test_shared_things import make_cluster, make_experiment

#: Three words of Latin letters in a row are a sentence; what is measured has no such names.
SENTENCE = re.compile(r"(?:[A-Za-z][a-z']+ ){2,}[a-z']+")
CHINESE = {"Accept-Language": "zh-CN,zh;q=0.9,en;q=0.8"}


class Reader(HTMLParser):
    """The texts of a page, but for those that are quoted or marked as English."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.language: str | None = None
        self.texts: list[str] = []
        self._inside: list[tuple[str, bool]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "html":
            self.language = given.get("lang")
        if tag not in ("meta", "base", "link", "br"):
            quoted = tag in ("code", "pre", "style") or given.get("lang") == "en"
            self._inside.append((tag, quoted))

    def handle_endtag(self, tag: str) -> None:
        while self._inside.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not any(quoted for _, quoted in self._inside):
            self.texts.append(data)


def share(client: TestClient, **body: Any) -> str:
    answer = client.post("/api/v1/snapshots", json={"title": "我们的结果", **body})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["token"])


def compare(client: TestClient, run: uuid.UUID, axis: str, one: str, other: str) -> str:
    body = {
        "baseline": {"run_id": str(run), "where": {axis: one}},
        "contenders": [{"run_id": str(run), "where": {axis: other}}],
    }
    return str(client.post("/api/v1/comparisons", json=body).json()["id"])


@pytest.mark.services
def test_a_page_without_scripts_is_in_chinese_to_who_reads_that(
    admin: TestClient, browser: Browser, sessions: Sessions
) -> None:
    cluster = make_cluster(admin, sessions)
    failing = store(
        sessions,
        Measured(throughput(), lambda at: None if at["path"] == "node-node" else paths(at)),
    )
    scale = store(sessions, Measured(service_scale(), ladder))
    subjects = (
        {"run_id": str(failing)},
        {"comparison_id": compare(admin, scale, "kube_proxy_mode", "iptables", "nftables")},
        {"comparison_id": compare(admin, failing, "encapsulation", "host-gw", "vxlan")},
        {"experiment_id": make_experiment(admin, sessions, cluster, "acme-frankfurt")},
        {"cluster_id": cluster},
        {"reproduction": asked(store(sessions, Measured(throughput(), paths)))},
    )
    addresses = [f"/s/{share(admin, **one)}" for one in subjects]
    for address in (*addresses, *(f"{one}/embed" for one in addresses), "/s/unknown"):
        read = Reader(browser().get(address, headers=CHINESE).text)
        assert read.language == "zh-Hans"
        assert [text for text in read.texts if SENTENCE.search(text)] == [], address
        assert [text for text in read.texts if re.search("[一-鿿]", text)], address
    english = browser().get(addresses[0]).text
    assert Reader(english).language == "en"
    assert re.search("[一-鿿]", english.replace("我们的结果", "")) is None
