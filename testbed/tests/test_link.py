"""Links of nodes that are limited: what may be asked for, and what a stream over one has."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from podmeter_testbed import bench, lifecycle, machines, status
from podmeter_testbed.errors import TestbedError
from podmeter_testbed.kubectl import Kubectl
from podmeter_testbed.layout import NODES, Layout
from podmeter_testbed.link import Link
from podmeter_testbed.settings import Settings, kept_link
from podmeter_testbed.workloads import namespace, pod


@pytest.mark.parametrize(
    ("text", "rate", "delay", "told"),
    [
        ("1gbit 0.2ms", 10**9, 200, "1gbit 0.2ms"),
        (" 1gbit   200us ", 10**9, 200, "1gbit 0.2ms"),
        ("2500mbit", 2_500_000_000, None, "2.5gbit"),
        ("1.5mbit", 1_500_000, None, "1.5mbit"),
        ("50us", None, 50, "0.05ms"),
        ("1000ms", None, 10**6, "1000ms"),
    ],
)
def test_links(text: str, rate: int | None, delay: int | None, told: str) -> None:
    link = Link.parse(text)
    assert link == Link(rate, delay)
    assert str(link) == told
    assert Link.parse(told) == link


@pytest.mark.parametrize(
    "text",
    [
        *("fast", "1000", "1 gbit", "0.2ms 1gbit", "1gbit,0.2ms", "1gbit0.2ms", "1gbit 0.2", ""),
        *("1GB", "-1gbit", "1gbit 1gbit", "0mbit", "1gbit 0ms", "200gbit", "1001ms", "10kbit"),
    ],
)
def test_no_links_name_the_form(text: str) -> None:
    with pytest.raises(TestbedError) as caught:
        Link.parse(text)
    assert f"LINK={text}" in str(caught.value)
    assert '"1gbit 0.2ms"' in str(caught.value)


def test_a_delay_is_for_a_kernel_with_netem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PODMETER_TESTBED_CNI", raising=False)
    monkeypatch.setenv("PODMETER_TESTBED_KERNEL", "machine")
    monkeypatch.setenv("PODMETER_TESTBED_LINK", "1gbit")
    assert Settings.from_environment().link == Link(10**9, None)
    monkeypatch.setenv("PODMETER_TESTBED_LINK", "1gbit 0.2ms")
    for kernel in ("machine", ""):
        monkeypatch.setenv("PODMETER_TESTBED_KERNEL", kernel)
        with pytest.raises(TestbedError, match=r"no netem .* add KERNEL=uml"):
            Settings.from_environment()
    monkeypatch.setenv("PODMETER_TESTBED_KERNEL", "uml")
    assert Settings.from_environment().link == Link(10**9, 200)


def test_no_link_is_asked_for_by_an_empty_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PODMETER_TESTBED_LINK", " ")
    assert Settings.from_environment().link is None


def test_a_bucket_holds_what_tcp_hands_over_at_once_and_what_flows_meanwhile() -> None:
    def bucket(link: Link) -> dict[str, int]:
        *_, words = link.of_node("eth0")
        values = words[words.index("tbf") + 1 :]
        return {
            name: int(value.rstrip("bit"))
            for name, value in zip(values[::2], values[1::2], strict=True)
        }

    slow, fast = bucket(Link(10**7, None)), bucket(Link(10**10, None))
    assert slow["rate"] == 10**7
    assert slow["burst"] > 72_000
    assert fast["burst"] == 2_500_000
    # A round trip of 20 ms at 10 Gbit/s is 25 MB.
    assert bucket(Link(10**10, 10_000))["limit"] == 25_000_000 + fast["burst"]


def test_a_delay_is_at_the_nodes_end_alone() -> None:
    link = Link(10**9, 200)
    assert [words[5] for words in link.of_node("eth0")] == ["root", "parent"]
    assert not any("netem" in words for words in link.of_port("node-1"))
    assert Link(None, 200).of_port("node-1") == []
    (alone,) = Link(None, 200).of_node("eth0")
    assert alone[alone.index("delay") + 1] == "200us"


@pytest.mark.parametrize(
    ("kept", "asked", "says"),
    [
        ("1gbit", "100mbit", "with LINK=1gbit, not 100mbit"),
        ("", "100mbit", "without LINK, not 100mbit"),
    ],
)
@pytest.mark.usefixtures("taken_for_up")
def test_a_testbed_with_another_link_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: str, asked: str, says: str
) -> None:
    monkeypatch.setenv("PODMETER_TESTBED_STATE", str(tmp_path))
    for name in ("KERNEL", "CNI", "SUBNETS"):
        monkeypatch.delenv(f"PODMETER_TESTBED_{name}", raising=False)
    Settings(link=Link.parse(kept) if kept else None).keep(tmp_path)
    monkeypatch.setenv("PODMETER_TESTBED_LINK", asked)
    with pytest.raises(TestbedError, match=says):
        lifecycle.up(Layout.from_environment())
    monkeypatch.setenv("PODMETER_TESTBED_LINK", kept)
    lifecycle.up(Layout.from_environment())


def test_figures_are_of_free_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PODMETER_TESTBED_STATE", str(tmp_path))
    monkeypatch.setenv("PODMETER_TESTBED_LINK", "1gbit")
    with pytest.raises(TestbedError, match="leave LINK and SUBNETS out"):
        bench.run(Layout.from_environment(), cold=False)
    monkeypatch.delenv("PODMETER_TESTBED_LINK")
    with pytest.raises(TestbedError, match="STARTS=0"):
        bench.run(Layout.from_environment(), cold=False, starts=0)


@pytest.fixture
def shaped(
    request: pytest.FixtureRequest,
    layout: Layout,
    testbed_session: None,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Layout]:
    """A testbed with the link that is asked for."""
    lifecycle.down(layout)
    monkeypatch.setenv("PODMETER_TESTBED_LINK", request.param)
    limited = Layout.from_environment()
    lifecycle.up(limited)
    yield limited
    lifecycle.down(limited)


@pytest.mark.cluster
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("shaped", ["200mbit"], indirect=True)
def test_one_stream_has_the_rate_both_ways(
    shaped: Layout, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kept_link(shaped.state) == Link(200 * 10**6, None)
    assert status.report(shaped)
    assert "200mbit" in capsys.readouterr().out
    with namespace(Kubectl(shaped), "link") as room:
        room.apply(
            pod("client", "node-1", hostNetwork=True),
            pod("server", "node-2", ("iperf3", "--server"), hostNetwork=True),
        )
        room.wait_until_ready("client", "server")
        for direction in ((), ("--reverse",)):
            argv = ("iperf3", "--json", "--time", "5", *direction, "--client")
            said = room.execute("client", *argv, shaped.address("node-2"), timeout=60)
            payload = json.loads(said)["end"]["sum_received"]["bits_per_second"]
            # 1448 of 1514 bytes, less what a busy machine is late by.
            assert 0.85 < payload / (200 * 10**6) < 0.98


@pytest.mark.cluster
@pytest.mark.kernel("uml")
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("shaped", ["200mbit 20ms"], indirect=True)
def test_a_connection_takes_two_delays(shaped: Layout) -> None:
    """Its first packet, and the answer; both nodes shape what they send."""
    for name, other in (NODES, NODES[::-1]):
        node = machines.require(shaped, name)
        kinds = [line.split()[1] for line in node.run("tc", "qdisc", "show").splitlines()]
        assert {"netem", "tbf"} <= set(kinds)
        url = f"https://{shaped.address(other)}:10250/healthz"
        written = ("--output", "/dev/null", "--write-out", "%{time_connect}\\n")
        argv = ("curl", "--silent", "--insecure", *written, url)
        seconds = min(float(node.run(*argv)) for _ in range(5))
        assert 0.040 <= seconds < 0.070
