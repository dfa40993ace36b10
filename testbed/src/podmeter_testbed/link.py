"""The nodes' links made as slow and as long as is asked (LINK): rates by tbf, delays by netem.

Each node's link has its rate in both directions: what the node sends is shaped at its eth0, what it
is sent at the bridge's or router's end of the same pair. From node to node a packet passes one of
each, so it has the rate of one; the delay is at the node's end alone, so that node to node takes it
once, and an answer once more.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain

from podmeter_testbed.errors import TestbedError

FORM = '"1gbit 0.2ms", "1gbit" or "0.2ms": a rate in mbit or gbit a second, a delay in us or ms'
_NUMBER = r"([0-9]+(?:\.[0-9]+)?)"
_WORDS = re.compile(rf"(?:{_NUMBER}(mbit|gbit))?(?:(?:^| +){_NUMBER}(us|ms))?")
_BITS = {"mbit": 10**6, "gbit": 10**9}
_MICROSECONDS = {"us": 1, "ms": 1000}
#: Slower, and the cluster's own traffic has no room; faster or longer is no network of a cluster.
_RATES = (10**6, 100 * 10**9)
_DELAYS = (1, 10**6)

FULL_PACKET = 1514
#: What a NIC's queue holds by default, in packets.
_QUEUED_PACKETS = 1000
#: TCP hands over up to 64 KiB at a time, which becomes packets only in the receiver's kernel: with
#: the headers that these would have, in a tunnel too, it counts as up to 72 kB. A bucket that held
#: less would have it cut to packets here, at many times the CPU time.
_LEAST_BURST = 128 * 1024
#: A bucket must also hold what flows until a late timer fires, or the rate is never reached.
_BURST_SECONDS = 0.002
#: For the room that a delay without a rate takes.
_UNSHAPED_RATE = 10**10


@dataclass(frozen=True)
class Link:
    """What a node's link is limited to: `rate` in bit/s each way, `delay` in µs; None is unlimited.

    A rate is of Ethernet frames, without preamble and gap: of 1 Gbit/s with an MTU of 1500 one TCP
    stream has 95 % as payload.
    """

    rate: int | None
    delay: int | None

    @classmethod
    def parse(cls, text: str) -> Link:
        """Read LINK; TestbedError naming the form for anything that is not of it."""
        found = _WORDS.fullmatch(" ".join(text.split()))
        rate = _amount(found[1], _BITS[found[2]]) if found and found[1] else None
        delay = _amount(found[3], _MICROSECONDS[found[4]]) if found and found[3] else None
        if rate is None and delay is None:
            raise TestbedError(f"LINK={text} is no link; write it as {FORM}")
        if rate is not None and not _RATES[0] <= rate <= _RATES[1]:
            raise TestbedError(f"LINK={text}: a rate is from 1mbit to 100gbit; write {FORM}")
        if delay is not None and not _DELAYS[0] <= delay <= _DELAYS[1]:
            raise TestbedError(f"LINK={text}: a delay is from 1us to 1000ms; write {FORM}")
        return cls(rate, delay)

    def __str__(self) -> str:
        """One text for one link, which `parse` reads."""
        words = []
        if self.rate is not None:
            unit = "gbit" if self.rate >= _BITS["gbit"] else "mbit"
            words.append(f"{self.rate / _BITS[unit]:.15g}{unit}")
        if self.delay is not None:
            words.append(f"{self.delay / 1000:.15g}ms")
        return " ".join(words)

    def of_node(self, device: str) -> list[list[str]]:
        """Command lines that shape what a node sends by a device."""
        if self.delay is None:
            return self.of_port(device)
        # Counted in packets, of which a large one stands for many.
        held = (self.rate or _UNSHAPED_RATE) * self.delay // (8 * 10**6 * FULL_PACKET)
        netem = ["netem", "delay", f"{self.delay}us", "limit", str(_QUEUED_PACKETS + 2 * held)]
        lines = [["tc", "qdisc", "add", "dev", device, "root", "handle", "1:", *netem]]
        if self.rate is not None:
            lines.append(["tc", "qdisc", "add", "dev", device, "parent", "1:1", *self._bucket()])
        return lines

    def of_port(self, device: str) -> list[list[str]]:
        """Command lines that shape what a node is sent by a device."""
        if self.rate is None:
            return []
        return [["tc", "qdisc", "add", "dev", device, "root", *self._bucket()]]

    def _bucket(self) -> list[str]:
        if self.rate is None:
            raise ValueError("this link has no rate")
        burst = max(_LEAST_BURST, round(self.rate * _BURST_SECONDS / 8))
        # One stream fills a link only where a round trip's worth of it has room in the queue.
        round_trip = self.rate * 2 * (self.delay or 0) // (8 * 10**6)
        limit = burst + max(_QUEUED_PACKETS * FULL_PACKET, round_trip)
        values = {"rate": f"{self.rate}bit", "burst": f"{burst}b", "limit": f"{limit}b"}
        return ["tbf", *chain.from_iterable(values.items())]


def _amount(number: str, unit: int) -> int:
    return round(float(number) * unit)
