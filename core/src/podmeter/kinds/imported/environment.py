"""The environment of what is imported: as its user gives it. Nothing of it was observed."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from podmeter.domain.displayed import Displayed, Line


class GivenEnvironment(BaseModel):
    """Where it was measured. What is empty is not known."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cluster: Line = Field(default="", description="what the cluster is called")
    kubernetes_version: Line = ""
    cni: Line = Field(default="", description="the pod network's plugin")
    cni_version: Line = ""
    kernel: Line = ""
    os: Line = ""
    cpu: Line = Field(default="", description="model and count of the nodes' CPUs")
    nic: Line = Field(default="", description="the nodes' NICs and their speed")
    pod_mtu: Line = ""
    client_node: Line = ""
    server_node: Line = ""
    measured_on: Line = Field(default="", description="when it was measured")
    source: Line = Field(default="", description="where it was taken from: an address, a title")
    notes: Annotated[str, StringConstraints(max_length=2000), Displayed(several=True)] = ""
