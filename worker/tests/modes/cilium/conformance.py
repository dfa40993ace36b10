"""Cilium for the conformance suite, as each generation of it is set."""

from __future__ import annotations

from podmeter_worker.kube.client import KubeClient

from ..described import Described
from .objects import CONFIG, GENERATIONS, MTU, SWITCHER, Cilium

_MODULE = "podmeter_worker.modes.cilium.switcher"
IMPATIENT = {
    f"{_MODULE}._ROLL_SECONDS": 0.0,
    f"{_MODULE}._EFFECTIVE_SECONDS": 0.0,
    f"{_MODULE}._RESTART_SECONDS": 2.0,
    "podmeter_worker.modes.pod_renewal._SECONDS": 5.0,
}


def in_effect(cluster: Cilium, value: str) -> None:
    assert set(cluster.agents.values()) == {value}
    assert cluster.mtus() == {MTU[value]}


def write_beside(client: KubeClient, number: int) -> None:
    client.patch(CONFIG, {"data": {"debug": str(number)}})


def _touch(client: KubeClient) -> None:
    client.patch(CONFIG, {"data": {"enable-hubble": "true"}})


def _write(cluster: Cilium) -> None:
    cluster.edit(CONFIG, lambda found: found["data"].update({"ipam": "eni"}))


AS_WRITTEN = {"addresses of a cloud": (_write, "cilium_ipam")}


def _described(data: dict[str, str], version: str) -> Described:
    return Described(
        name=f"cilium {version}, {'/'.join(data)}",
        switcher=SWITCHER,
        cluster=Cilium,
        set_up=lambda cluster: cluster.set_up(data, version),
        stood="vxlan",
        tour=("native", "vxlan", "geneve", "native"),
        in_effect=in_effect,
        lacking={"vxlan": "vxlan", "geneve": "geneve"},
        beside=write_beside,
        kept=lambda cluster: cluster.data["debug"],
        touches={"configuration": _touch},
        impatient=IMPATIENT,
        as_written=AS_WRITTEN,
        unusable=({"settings": {}, "agents": ""}, {"mode": "iptables"}, {"settings": {"x": "y"}}),
    )


DESCRIBED = tuple(_described(*one) for one in GENERATIONS)
