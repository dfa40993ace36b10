"""What of somebody else's is in the way of a testbed. It is named and left alone."""

from __future__ import annotations

import ipaddress
import json
from pathlib import Path
from typing import NoReturn

from podmeter_testbed import cgroups, machines
from podmeter_testbed.errors import TestbedError
from podmeter_testbed.layout import MACHINE_DEVICE, Layout
from podmeter_testbed.shell import run


def check(layout: Layout) -> None:
    """TestbedError naming every foreign device, address or route in the way.

    To be asked when no testbed of `layout` runs.
    """
    found = [*_devices(), *_addresses(layout), *_routes(layout)]
    if found:
        raise TestbedError("\n".join(found))


def other_testbeds(layout: Layout) -> dict[Path, list[int]]:
    """Processes of testbeds that are not `layout`'s, by their state directory.

    Processes of containers, and ending ones, cannot be read; the machine's other processes can.
    """
    found: dict[Path, list[int]] = {}
    for pid in cgroups.processes():
        state = machines.owner(pid)
        if state is not None and state != layout.state:
            found.setdefault(state, []).append(pid)
    return found


def refuse(others: dict[Path, list[int]]) -> NoReturn:
    """Raise the TestbedError that names other testbeds."""
    raise TestbedError(
        "\n".join(
            f"another testbed runs on this machine, from {state} "
            f"(process {pids[0]} and {len(pids) - 1} more); only one can. "
            "`make testbed-down` there ends it"
            for state, pids in others.items()
        )
    )


def _devices() -> list[str]:
    if not Path("/sys/class/net", MACHINE_DEVICE).exists():
        return []
    mend = f"if nothing needs it, `ip link delete {MACHINE_DEVICE}` removes it"
    return [f"network device {MACHINE_DEVICE} is there and is not the testbed's; {mend}"]


def _addresses(layout: Layout) -> list[str]:
    found = []
    for device in json.loads(run("ip", "-json", "-4", "address", "show")):
        for address in device["addr_info"]:
            network = ipaddress.ip_interface(f"{address['local']}/{address['prefixlen']}").network
            if network.overlaps(layout.subnet) and device["ifname"] != MACHINE_DEVICE:
                found.append(
                    f"device {device['ifname']} has {address['local']}/{address['prefixlen']}, "
                    f"which overlaps the testbed's {layout.subnet}; {_MEND}"
                )
    return found


def _routes(layout: Layout) -> list[str]:
    found = []
    for route in json.loads(run("ip", "-json", "-4", "route", "show", "table", "all") or "[]"):
        if route["dst"] == "default" or route.get("type") in ("local", "broadcast"):
            continue
        # The kernel's own route of an address is named with its device.
        if route.get("protocol") == "kernel" or route.get("dev") == MACHINE_DEVICE:
            continue
        network = ipaddress.ip_network(route["dst"], strict=False)
        if network.overlaps(layout.subnet):
            via = f" via {route['gateway']}" if "gateway" in route else ""
            found.append(
                f"a route to {route['dst']}{via} dev {route.get('dev', '?')} overlaps "
                f"the testbed's {layout.subnet}; {_MEND}"
            )
    return found


_MEND = "PODMETER_TESTBED_SUBNET=<another /24> moves the testbed"
