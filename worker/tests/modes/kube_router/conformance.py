"""kube-router for the conformance suite: arguments as they are written, one subnet or two."""

from __future__ import annotations

from podmeter_worker.kube.client import KubeClient

from ..cluster_of_objects import NODES_OF
from ..described import Described
from .objects import DAEMON_SET, NONE, OTHERS, SWITCHER, KubeRouter

_MODULE = "podmeter_worker.modes.kube_router.switcher"
IMPATIENT = {
    f"{_MODULE}._ROLL_SECONDS": 0.0,
    f"{_MODULE}._EFFECTIVE_SECONDS": 0.0,
    f"{_MODULE}._MTU_SECONDS": 0.0,
    f"{_MODULE}._RESTART_SECONDS": 2.0,
    "podmeter_worker.modes.daemon_set._SECONDS": 0.0,
    "podmeter_worker.modes.pod_renewal._SECONDS": 5.0,
}
#: The arguments as they were written, nodes of another subnet, what they amount to, a tour.
GENERATIONS = (
    (NONE, (), "none", ("ipip", "none", "ipip")),
    ([*OTHERS, "--enable-overlay=F"], (), "none", ("ipip",)),
    # Its defaults.
    (OTHERS, (), "ipip-cross-subnet", ("none", "ipip", "none")),
    (OTHERS, ("c",), "ipip-cross-subnet", ("ipip", "ipip-cross-subnet", "ipip")),
    (["--overlay-type=full", *OTHERS, "--enable-overlay"], (), "ipip", ("none", "ipip")),
    (["--overlay-type=full", *OTHERS], ("c",), "ipip", ("ipip-cross-subnet", "ipip")),
    # The last one counts.
    (["--overlay-type=full", *OTHERS, "--enable-overlay=false"], (), "none", ("ipip",)),
)
_MODES = {"none": "none", "ipip": "full", "ipip-cross-subnet": "subnet"}


def in_effect(cluster: KubeRouter, value: str) -> None:
    """Pods have their node's MTU with every overlay."""
    assert set(cluster.agents.values()) == {_MODES[value]}
    assert cluster.rules == (set() if value == "none" else set(NODES_OF))
    for node, tunnels in cluster.tunnels.items():
        peers = [peer for peer in NODES_OF if peer != node]
        wrapped = [
            peer
            for peer in peers
            if value == "ipip" or (value != "none" and cluster.crosses(node, peer))
        ]
        assert tunnels == {f"tun-{peer}" for peer in wrapped}
        assert cluster.mtus(node) == {cluster.bridges[node]}


def in_effect_beside_others(cluster: KubeRouter, value: str) -> None:
    """The arguments that a mode is not made of stay, in their order."""
    in_effect(cluster, value)
    assert [one for one in cluster.args if one in OTHERS] == OTHERS


def write_beside(client: KubeClient, number: int) -> None:
    client.patch(DAEMON_SET, {"spec": {"minReadySeconds": number}})


def _touch(client: KubeClient) -> None:
    client.patch(DAEMON_SET, {"spec": {"template": {"spec": {"priority": 7}}}})


def _described(
    args: list[str], away: tuple[str, ...], stood: str, tour: tuple[str, ...]
) -> Described:
    def set_up(cluster: KubeRouter) -> None:
        cluster.away.update(away)
        cluster.set_up(args)

    own = [one.removeprefix("--") for one in args if one not in OTHERS]
    return Described(
        name=" ".join(["kube-router", *own, *(f"({one} away)" for one in away)]),
        switcher=SWITCHER,
        cluster=KubeRouter,
        set_up=set_up,
        stood=stood,
        tour=tour,
        in_effect=in_effect_beside_others,
        lacking={"ipip": "ipip"},
        beside=write_beside,
        kept=lambda cluster: cluster.at[DAEMON_SET]["spec"]["minReadySeconds"],
        touches={"arguments": _touch},
        impatient=IMPATIENT,
        # In one subnet a cross-subnet overlay does what none does.
        hides_stuck=stood == "ipip-cross-subnet" and not away,
        unusable=(
            {"args": "--x"},
            {"args": 7},
            {"mode": "iptables"},
            {"args": ["--overlay-type=gre"]},
        ),
    )


DESCRIBED = tuple(_described(*one) for one in GENERATIONS)
