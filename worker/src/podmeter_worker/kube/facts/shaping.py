"""What limits or delays the packets that leave a node: its devices' queueing disciplines, by tc."""

from __future__ import annotations

import re

from pydantic import BaseModel, Field, JsonValue, TypeAdapter

#: Those that hold packets back; what merely orders them follows from net.core.default_qdisc.
_KINDS = ("cake", "hfsc", "htb", "netem", "tbf")
#: Only devices that have one are asked: a node with many pods has hundreds of others.
SCRIPT = rf"""
for name in $(tc qdisc show 2>/dev/null |
              sed -nE 's/^qdisc ({"|".join(_KINDS)}) .* dev ([^ ]+) .*/\2/p' | sort -u); do
  printf 'shaping %s %s\n' "$name" "$(tc -j qdisc show dev "$name" | tr -d '\n' | head -c 65536)"
done
"""


class _Qdisc(BaseModel):
    kind: str
    options: JsonValue = None


class _Tbf(BaseModel):
    rate: int = Field(ge=0, lt=2**64, description="bytes/s")


class _Delay(BaseModel):
    delay: float = Field(description="s")
    jitter: float = Field(default=0.0, description="s")


class _Loss(BaseModel):
    loss: float = Field(description="share of 1")


class _Netem(BaseModel):
    delay: _Delay | None = None
    rate: _Tbf | None = None
    loss: _Loss | None = Field(default=None, alias="loss-random")


_QDISCS = TypeAdapter(list[_Qdisc])


def parse(said: str) -> tuple[str, str]:
    """A device and what shapes it, such as `netem 0.2 ms, tbf 1000 Mbit/s`.

    Handles, queues and counters are left out: they differ from one start to the next. Raises
    ValueError for what tc does not say.
    """
    found = re.fullmatch(r"(\S+) (.+)", said)
    if found is None:
        raise ValueError(said)
    shapers = [one for one in _QDISCS.validate_json(found[2]) if one.kind in _KINDS]
    return found[1], ", ".join(sorted(_told(one) for one in shapers))


def _told(qdisc: _Qdisc) -> str:
    words = [qdisc.kind]
    if qdisc.kind == "tbf":
        words.append(_rate(_Tbf.model_validate(qdisc.options)))
    elif qdisc.kind == "netem":
        netem = _Netem.model_validate(qdisc.options)
        if netem.delay is not None:
            jitter = f" ± {netem.delay.jitter * 1000:.6g}" if netem.delay.jitter else ""
            words.append(f"{netem.delay.delay * 1000:.6g}{jitter} ms")
        if netem.rate is not None:
            words.append(_rate(netem.rate))
        if netem.loss is not None:
            words.append(f"{netem.loss.loss:.6g} lost")
    return " ".join(words)


def _rate(one: _Tbf) -> str:
    return f"{one.rate * 8 / 10**6:.15g} Mbit/s"
