"""Modes that somebody switches by hand: what a run waits for, and what the person does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from podmeter.domain.messages import Message, say
from podmeter.domain.modes import ENCAPSULATION, KUBE_PROXY_MODE, Encapsulation
from podmeter.domain.moment import Moment

if TYPE_CHECKING:
    from podmeter.domain.axes import AxisValue
    from podmeter.domain.cluster_report import AxisReport

#: So long somebody has for each mode, unless the cluster's owner says otherwise.
DEFAULT_MINUTES, MOST_MINUTES = 30, 24 * 60
#: The code of why Podmeter cannot switch an axis -> what somebody does who can.
_HOW = {
    "proxy_built_in": "how_proxy_flag",
    "flannel_built_in": "how_flannel_flag",
    "proxy_of_provider": "how_provider_proxy",
    "flannel_elsewhere": "how_network_config",
    "proxy_elsewhere": "how_proxy_elsewhere",
    "config_map_missing": "how_proxy_elsewhere",
    "config_map_empty": "how_proxy_elsewhere",
}
#: Reasons that say nothing of who could: where the mode is seen, somebody set it.
_IF_SEEN = {"proxy_absent": "how_proxy_elsewhere"}
#: Where Podmeter could, but may not.
_HOW_OTHERWISE = {KUBE_PROXY_MODE: "how_proxy_config", ENCAPSULATION: "how_network_config"}
#: What k3s and RKE2 call a backend of flannel.
_OF_FLAG = {Encapsulation.WIREGUARD.value: "wireguard-native"}


class Waiting(BaseModel):
    """What a run waits for: that somebody switches an axis of a cluster to a mode.

    `seen` is the mode in effect, null while nodes differ or do not tell; `unclear` says why then.
    `original` says that it is the mode that stood before the run. The run gives up at `until`.
    """

    model_config = ConfigDict(frozen=True)

    cluster: str
    axis: str
    mode: str
    how: Message
    seen: str | None
    unclear: Message | None
    original: bool
    since: Moment
    until: Moment


def can_be_switched(why_not: Message, *, seen: bool = True) -> bool:
    """Whether somebody can switch what Podmeter cannot, for this reason.

    `seen` says whether the mode in effect is known.
    """
    code = why_not.innermost.code
    return code in _HOW or (seen and code in _IF_SEEN)


def switchable_by_hand(report: AxisReport) -> bool:
    """Whether a preflight saw that somebody can switch an axis that Podmeter cannot."""
    if report.why_not is None:
        return True
    return can_be_switched(report.why_not, seen=report.observed is not None)


def how_to(why_not: Message | None, axis: str, mode: AxisValue) -> Message:
    """What somebody does to switch an axis that Podmeter cannot, or may not."""
    reason = None if why_not is None else why_not.innermost
    if reason is None:
        return say(_HOW_OTHERWISE[axis], mode=mode)
    code = {**_HOW, **_IF_SEEN}[reason.code]
    if axis == ENCAPSULATION and code == "how_proxy_elsewhere":
        code = _HOW_OTHERWISE[axis]
    if code == "how_provider_proxy":
        return say(code, provider=reason.params["provider"], mode=mode)
    return say(code, mode=_OF_FLAG.get(str(mode), mode) if "flannel" in code else mode)
