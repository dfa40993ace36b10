"""What a toy_echo experiment can be told besides its axes."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from podmeter.kinds.nodes import NodeName


class ToyEchoParameters(BaseModel):
    """Parameters of `toy_echo`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    client_node: NodeName = Field(default=None, description="Node of the asking end.")
    server_node: NodeName = Field(default=None, description="Node of the answering end.")
    echoes: int = Field(default=1000, ge=1, description="Echoes of one trial.")
    port: int = Field(default=7007, ge=1024, le=65535, description="Port of the servers.")
