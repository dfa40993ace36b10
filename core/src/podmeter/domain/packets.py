"""How much of a packet is payload: arithmetic of headers, no measurement."""

from __future__ import annotations

#: IPv4 and TCP, 20 bytes each without options: MSS = MTU - 40 (RFC 9293, 3.7.1).
_HEADERS = 40
#: The timestamps of each segment, padded, which the MSS does not count (RFC 7323, 3.2 and A; RFC
#: 6691). Linux sends them unless configured otherwise.
_TIMESTAMPS = 12


def tcp_payload(mtu: int, *, timestamps: bool) -> int:
    """The bytes of TCP's payload in a full IPv4 packet. Raises ValueError where none fit."""
    payload = mtu - _HEADERS - (_TIMESTAMPS if timestamps else 0)
    if payload <= 0:
        raise ValueError(f"a packet of {mtu} bytes has no room for TCP's payload")
    return payload


def tcp_share(mtu: int, *, timestamps: bool) -> float:
    """The share of a full packet that is TCP's payload: 0.973 of 1500 bytes."""
    return tcp_payload(mtu, timestamps=timestamps) / mtu


def by_size_alone(mtu: int, other: int, *, timestamps: bool) -> float:
    """What full packets of `other` bytes carry against those of `mtu` at one packet rate.

    A ratio of payloads: 0.966 of 1450 against 1500 bytes.
    """
    sizes = (tcp_payload(one, timestamps=timestamps) for one in (other, mtu))
    return next(sizes) / next(sizes)
