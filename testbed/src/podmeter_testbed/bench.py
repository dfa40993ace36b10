"""The testbed's own times and memory, written into docs/explanation/testbed.md."""

from __future__ import annotations

import contextlib
import datetime
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from podmeter_testbed import cgroups, cilium, debian, images, kernel, lifecycle, stages
from podmeter_testbed.errors import TestbedError
from podmeter_testbed.kubectl import Kubectl
from podmeter_testbed.layout import DNS_SERVICE_ADDRESS, PROJECT, Layout
from podmeter_testbed.modes import Modes
from podmeter_testbed.progress import say
from podmeter_testbed.settings import Cni, Kernel, Subnets
from podmeter_testbed.shell import wait_for
from podmeter_testbed.workloads import NGINX, Namespace, fetch, namespace, pod

DOCUMENT = PROJECT / "docs" / "explanation" / "testbed.md"
END = "<!-- end of figures -->"
WARM_ROUNDS = 3
SETTLED_WITHIN = 120.0
LOOK_UP = ("getent", "hosts", "kubernetes.default.svc.cluster.local")


@dataclass(frozen=True)
class Figure:
    """One line of the table."""

    what: str
    value: float
    unit: str
    bar: float

    @property
    def row(self) -> str:
        """The line, in Markdown."""
        verdict = "met" if self.value <= self.bar else "**missed**"
        return (
            f"| {self.what} | {self.value:.1f} {self.unit} | {self.bar:g} {self.unit} | {verdict} |"
        )


@dataclass(frozen=True)
class Variant:
    """A testbed that has figures of its own in the document: those of one way to start it.

    `warm` and `memory` are the bars of the warm start in s, and of the memory in GiB. `cold` is
    what takes long where nothing is cached, its bar in minutes, and what does it and tells the
    seconds.
    """

    word: str
    warm: float
    memory: float
    cold: tuple[str, float, Callable[[Layout], float]]
    switches: Callable[[Layout], Iterator[Figure]]

    @property
    def begin(self) -> str:
        """The line of the document below which its table stands."""
        return f"<!-- figures: make testbed-bench{self.word} -->"


def run(layout: Layout, *, cold: bool, starts: int = WARM_ROUNDS) -> bool:
    """Measure, print, write; whether every bar is met. The machine is left without a testbed.

    `starts` warm starts in a row, of which none may fail.
    """
    if layout.asked.link is not None or layout.asked.subnets is Subnets.TWO:
        raise TestbedError(
            "the figures are of a testbed in one subnet with free links; leave LINK and SUBNETS out"
        )
    if starts < 1:
        raise TestbedError(f"STARTS={starts}: at least one warm start is measured")
    figures = []
    variant = _variant(layout)
    if cold:
        what, bar, measure = variant.cold
        figures.append(Figure(what, measure(layout) / 60, "min", bar))
    warm = [_warm(layout) for _ in range(starts)]
    figures.append(Figure(f"warm start, the slowest of {starts}", max(warm), "s", variant.warm))
    figures.append(Figure("memory when idle (PSS)", _idle_memory(), "GiB", variant.memory))
    figures += variant.switches(layout)
    started = time.monotonic()
    lifecycle.down(layout)
    figures.append(Figure("down", time.monotonic() - started, "s", 30))
    _report(variant, figures, cold=cold)
    return all(figure.value <= figure.bar for figure in figures)


def _variant(layout: Layout) -> Variant:
    if layout.asked.kernel is Kernel.UML:
        kernels = ("building the kernel", 15.0, _building_a_kernel)
        return Variant(" KERNEL=uml", 150, 4, kernels, _ipvs_switches)
    if layout.asked.cni is Cni.CILIUM:
        cold = ("building Cilium and its image", 20.0, _building_cilium)
        return Variant(" CNI=cilium", 45, 2.5, cold, _cilium_switches)
    if layout.asked.cni is Cni.KUBE_ROUTER:
        return Variant(" CNI=kube-router", 45, 2.5, NOTHING_CACHED, _kube_router_switches)
    return Variant("", 20, 2.5, NOTHING_CACHED, _switches)


def _warm(layout: Layout) -> float:
    """Seconds from `up` until a pod on each node reaches the other and CoreDNS answers it."""
    lifecycle.down(layout)
    started = time.monotonic()
    lifecycle.up(layout)
    with namespace(Kubectl(layout), "bench") as room:
        _start_pods(room)
        _reach_each_other(room)
        return time.monotonic() - started


def _start_pods(room: Namespace) -> None:
    room.apply(pod("one", "node-1", NGINX), pod("two", "node-2", NGINX))
    room.wait_until_ready("one", "two")


def _reach_each_other(room: Namespace) -> None:
    for client, server in (("one", "two"), ("two", "one")):
        url = f"http://{room.address(server)}/"
        wait_for(f"{client} to reach {server}", lambda c=client, u=url: _fetches(room, c, u), 30)  # type: ignore[misc]
        wait_for(
            f"{DNS_SERVICE_ADDRESS} to answer {client}",
            lambda c=client: room.succeeds(c, *LOOK_UP),  # type: ignore[misc]
            30,
        )


def _fetches(room: Namespace, client: str, url: str) -> bool:
    return room.succeeds(client, *fetch(url))


def _idle_memory() -> float:
    """GiB: the proportional set size of every process of the testbed, once it stays the same."""
    last = [0.0]

    def settled() -> bool:
        previous, last[0] = last[0], _memory()
        return abs(last[0] - previous) < 0.01 * last[0]

    wait_for("the testbed's memory to settle", settled, SETTLED_WITHIN, pause=10)
    return last[0]


def _memory() -> float:
    total = 0
    for pid in cgroups.processes():
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1])
    return total / 2**20


def _switches(layout: Layout) -> Iterator[Figure]:
    modes = Modes(layout)
    proxy, flannel = modes.set_kube_proxy_mode, modes.set_flannel_backend
    yield from _switched("kube-proxy", proxy, ("nftables", "iptables"), 30)
    yield from _switched("flannel", flannel, ("vxlan", "udp", "host-gw"), 30)


def _ipvs_switches(layout: Layout) -> Iterator[Figure]:
    # In this order kube-proxy takes away by itself what the mode before left.
    modes = ("ipvs", "nftables", "iptables")
    return _switched("kube-proxy", Modes(layout).set_kube_proxy_mode, modes, 60)


def _cilium_switches(layout: Layout) -> Iterator[Figure]:
    return _switched("Cilium", Modes(layout).set_cilium_routing, ("native", "vxlan"), 30)


def _kube_router_switches(layout: Layout) -> Iterator[Figure]:
    return _switched("kube-router", Modes(layout).set_kube_router_overlay, ("subnet", "none"), 60)


def _switched(
    what: str, switch: Callable[[str], object], modes: Sequence[str], bar: float
) -> Iterator[Figure]:
    """How long each switch takes, one after the other."""
    for mode in modes:
        started = time.monotonic()
        switch(mode)
        yield Figure(f"{what} to {mode}", time.monotonic() - started, "s", bar)


def _building_cilium(layout: Layout) -> float:
    """Seconds from nothing, its modules included, to nodes' images with Cilium's."""
    lifecycle.build(layout)
    with tempfile.TemporaryDirectory(prefix="podmeter-cold-", dir="/var/tmp") as folder:
        cache = Path(folder, "cache")
        (cache / "images").mkdir(parents=True)
        # What is built of the rest is taken as it is.
        for built in (images.output(layout.cache), debian.output(layout.cache)):
            (cache / "images" / built.name).symlink_to(built)
        started = time.monotonic()
        stages.run(cache, cilium.stages(cache))
        return time.monotonic() - started


def _building_a_kernel(_: Layout) -> float:
    """Seconds from nothing, the source included, to a kernel."""
    with tempfile.TemporaryDirectory(prefix="podmeter-cold-", dir="/var/tmp") as folder:
        started = time.monotonic()
        kernel.build(Path(folder))
        return time.monotonic() - started


def _cold(layout: Layout) -> float:
    """Seconds from nothing (no build, no module, no image) to a testbed that is up."""
    if lifecycle.is_whole(layout):
        lifecycle.down(layout)
    with tempfile.TemporaryDirectory(prefix="podmeter-cold-", dir="/var/tmp") as folder:
        places = {"XDG_CACHE_HOME": "cache", "PODMETER_TESTBED_STATE": "state"}
        environment = {name: str(Path(folder, place)) for name, place in places.items()}
        command = [str(Path(sys.executable).with_name("podmeter-testbed"))]
        started = time.monotonic()
        ended = subprocess.run([*command, "up"], env={**os.environ, **environment}, check=False)
        seconds = time.monotonic() - started
        subprocess.run([*command, "down"], env={**os.environ, **environment}, check=False)
        if ended.returncode == 0 and not layout.cache.exists():
            # The warm starts that follow would only build the same again.
            layout.cache.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(Path(folder, "cache", *layout.cache.parts[-2:]), layout.cache)
    if ended.returncode != 0:
        raise TestbedError("the cold start failed; see above")
    return seconds


def _report(of: Variant, figures: list[Figure], *, cold: bool) -> None:
    machine = f"{os.cpu_count()} CPUs, Linux {platform.release()}"
    rows = [figure.row for figure in figures]
    if not cold:
        kept = [line for line in _section(of).splitlines() if line.startswith(f"| {of.cold[0]}")]
        rows = kept + rows
    table = "\n".join(["| what | measured | bar | |", "| --- | --- | --- | --- |", *rows])
    say(table)
    today = datetime.datetime.now(datetime.UTC).date()
    text = DOCUMENT.read_text()
    before, _, rest = text.partition(of.begin)
    _, _, after = rest.partition(END)
    section = f"{of.begin}\nMeasured on {today}: {machine}.\n\n{table}\n{END}"
    partial = DOCUMENT.with_suffix(".partial")
    partial.write_text(before + section + after)
    shutil.move(partial, DOCUMENT)
    say(f"written to {DOCUMENT}")


def _section(of: Variant) -> str:
    return DOCUMENT.read_text().partition(of.begin)[2].partition(END)[0]


NOTHING_CACHED = ("cold start, nothing cached", 20.0, _cold)
