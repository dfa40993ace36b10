"""kube-router's arguments, and which way between nodes they make.

Read as kube-router 2 does (pkg/options, by Go's pflag): the last of several counts, a truth value
may stand without a text. No variable and no file has a say in these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.components.kube_router import DAEMON_SET, ENABLE, TYPE
from podmeter.domain.messages import say
from podmeter.domain.modes import Encapsulation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from podmeter_worker.kube.resources import Object

_RUN, _CNI, _MESH, _ENCAP = "run-router", "enable-cni", "enable-ibgp", "overlay-encap"
_TEXTS = {TYPE: "subnet", _ENCAP: "ipip"}
_DEFAULTS = {**dict.fromkeys((_RUN, _CNI, _MESH, ENABLE), "true"), **_TEXTS}
#: Go's strconv.ParseBool.
_TRUE, _FALSE = ("1", "t", "T", "true", "True", "TRUE"), ("0", "f", "F", "false", "False", "FALSE")
_TYPES = {"subnet": Encapsulation.IPIP_CROSS_SUBNET, "full": Encapsulation.IPIP}
_WRITTEN = {
    Encapsulation.NONE: (f"--{ENABLE}=false",),
    **{value: (f"--{ENABLE}=true", f"--{TYPE}={text}") for text, value in _TYPES.items()},
}


@dataclass(frozen=True, slots=True)
class Settings:
    """Its arguments, None where there are none; what they say, and which do not show that."""

    args: tuple[str, ...] | None
    told: Mapping[str, str]
    unreadable: tuple[str, ...]
    command: tuple[str, ...]

    @property
    def routes(self) -> bool:
        """Whether it is, as far as it shows, what makes the routes between nodes."""
        return self.told[_RUN] not in _FALSE

    @property
    def why_not(self) -> str | None:
        """Why these do not decide how packets cross nodes, or Podmeter cannot change that."""
        if len(self.command) > 1 or not all(map(_is_itself, self.command)):
            return say("kube_router_command", command=" ".join(self.command))
        if self.unreadable:
            return say("kube_router_unreadable", args=list(self.unreadable))
        needed = {
            _RUN: "kube_router_no_routes",
            _CNI: "kube_router_no_pods",
            _MESH: "kube_router_no_mesh",
        }
        for name, code in needed.items():
            if self.told[name] in _FALSE:
                return say(code, name=name, text=self.told[name])
        if self.told[_ENCAP] != "ipip":
            return say("kube_router_encap", encap=self.told[_ENCAP])
        return None

    @property
    def value(self) -> Encapsulation:
        """The mode, where nothing is against it."""
        return _TYPES[self.told[TYPE]] if self.told[ENABLE] in _TRUE else Encapsulation.NONE

    def wanted(self, value: str) -> tuple[str, ...] | None:
        """The arguments with that mode; unchanged where they say so already."""
        if self.value == value:
            return self.args
        kept = (one for one in self.args or () if _name(one) not in (ENABLE, TYPE))
        return (*kept, *_WRITTEN[Encapsulation(value)])


def read(running: Object) -> Settings | None:
    """The settings in kube-router's DaemonSet; None where that has no such container."""
    for container in running["spec"]["template"]["spec"]["containers"]:
        if container["name"] == DAEMON_SET:
            return parse(container.get("args"), container.get("command") or ())
    return None


def parse(args: list[str] | None, command: list[str] | tuple[str, ...] = ()) -> Settings:
    """The settings that arguments make."""
    told, unreadable = dict(_DEFAULTS), []
    for one in args or ():
        name, (_, equals, text) = _name(one), one.partition("=")
        if one.startswith("$("):
            # A variable may be any argument.
            unreadable.append(one)
        elif name in _DEFAULTS:
            told[name] = text if equals or name in _TEXTS else "true"
            if not _shows(name, told[name]):
                unreadable.append(one)
    written = None if args is None else tuple(args)
    return Settings(written, told, tuple(unreadable), tuple(command))


def _shows(name: str, text: str) -> bool:
    if name == _ENCAP:
        return text != "" and "$(" not in text
    return text in (_TYPES if name == TYPE else (*_TRUE, *_FALSE))


def _name(argument: str) -> str:
    return argument.partition("=")[0].removeprefix("--")


def _is_itself(program: str) -> bool:
    return program.rpartition("/")[2] == DAEMON_SET
