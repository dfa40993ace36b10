"""What `podmeter-admin articles` says of figures beside those that were published."""

import io
import re

from rich.console import Console

from podmeter.articles import markdown, tables
from podmeter.services.reproduction.document import OurVerdict

from .fake_api import Answers, cluster, reproduced


def test_figures_stand_beside_those_published_and_what_is_missing_is_said(api: Answers):
    documents = [reproduced("calico-modes-2024")]
    text = markdown.page(cluster(), documents, [])
    # It is of no experiment of this time.
    assert "Measured before, and not this time:" in text
    receiver = r"\| 0\.00-60\.02 sec receiver \| 977 Mbits/sec \| [34]\.\d+ Gbit/s \\\["
    assert re.search(receiver, text)
    assert "`host-gw` stands in the place of its `vxlan-cross-subnet`" in text
    assert "IP-in-IP (3.6): these cases were not measured" in text
    held = next(one for one in documents[0].claims if one.id == "encapsulation-loss")
    assert held.verdict is OurVerdict.HOLDS
    row = next(line for line in text.splitlines() if "lose more than 50 %" in line)
    assert "(worse)" in row
    assert "holds (1 of 2 results measured)" in row


def test_the_terminal_shows_every_claim_with_its_verdict():
    console = Console(width=200, file=io.StringIO(), record=True)
    tables.show(console, [reproduced("cilium-native-routing-2023")])
    told = console.export_text()
    assert "VXLAN costs half of the bandwidth" in told
    assert "does not hold" in told or "holds" in told
    assert "unknown" in told
