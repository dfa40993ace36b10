"""Toynet for the conformance suite."""

from __future__ import annotations

from podmeter_worker.kube.client import KubeClient

from ..described import Described
from .objects import CONFIG, Toynet
from .switcher import ToynetSwitcher


def in_effect(cluster: Toynet, value: str) -> None:
    assert set(cluster.agents.values()) == {value}


def paint(client: KubeClient, colour: object) -> None:
    client.patch(CONFIG, {"data": {"colour": str(colour)}})


IMPATIENT = {
    f"{ToynetSwitcher.__module__}._ROLL_SECONDS": 0.0,
    f"{ToynetSwitcher.__module__}._EFFECTIVE_SECONDS": 0.0,
}


def _described(stood: str, tour: tuple[str, ...]) -> Described:
    return Described(
        name=f"toynet in {stood}",
        switcher=ToynetSwitcher(),
        cluster=Toynet,
        set_up=lambda cluster: cluster.set_up(stood),
        stood=stood,
        tour=tour,
        in_effect=in_effect,
        lacking={"tun": "toy"},
        beside=paint,
        kept=lambda cluster: cluster.at[CONFIG]["data"]["colour"],
        touches={"configuration": lambda client: paint(client, "blue")},
        impatient=IMPATIENT,
    )


DESCRIBED = (_described("none", ("toy", "none")), _described("toy", ("none", "toy")))
