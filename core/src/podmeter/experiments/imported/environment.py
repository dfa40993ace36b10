"""The environment of what is imported: as its user gives it. Nothing of it was observed."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

_Line = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")
]


class GivenEnvironment(BaseModel):
    """Where it was measured. What is empty is not known."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cluster: _Line = Field(default="", description="what the cluster is called")
    kubernetes_version: _Line = ""
    cni: _Line = Field(default="", description="the pod network's plugin")
    cni_version: _Line = ""
    kernel: _Line = ""
    os: _Line = ""
    cpu: _Line = Field(default="", description="model and count of the nodes' CPUs")
    nic: _Line = Field(default="", description="the nodes' NICs and their speed")
    pod_mtu: _Line = ""
    client_node: _Line = ""
    server_node: _Line = ""
    measured_on: _Line = Field(default="", description="when it was measured")
    source: _Line = Field(default="", description="where it was taken from: an address, a title")
    notes: Annotated[str, StringConstraints(max_length=2000, pattern=r"^[^\x00]*$")] = ""
