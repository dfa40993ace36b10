"""What is imported, in the API's shape."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from podmeter.domain.axes import AxisValue
from podmeter.kinds.imported.environment import GivenEnvironment
from podmeter.services.imports.request import LONGEST_TEXT, ImportRequest, Placed
from podmeter_api.fields import Name

_Axis = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
_Point = Annotated[dict[_Axis, AxisValue], Field(max_length=30)]
_Pasted = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_TEXT)]


class PlacedOutputBody(BaseModel):
    """What one output was measured at; outputs are numbered from 1 as a preview shows them."""

    model_config = ConfigDict(extra="forbid")

    output: Annotated[int, Field(ge=1, le=10_000)]
    at: _Point


class PastedOutputs(BaseModel):
    """Outputs of tools, as they were printed, and at which point each was measured.

    `at` holds for all outputs that neither tell otherwise themselves nor are in `outputs`. What
    two outputs share in all is one case, and each of them a trial of it.
    """

    model_config = ConfigDict(extra="forbid")

    text: _Pasted
    at: _Point = Field(default_factory=dict)
    outputs: list[PlacedOutputBody] = Field(default_factory=list, max_length=500)

    def request(self, name: str, environment: GivenEnvironment) -> ImportRequest:
        """The service's word for it."""
        placed = tuple(Placed(one.output, one.at) for one in self.outputs)
        return ImportRequest(name, self.text, environment, self.at, placed)


class NewImport(PastedOutputs):
    """The same, to be kept under a name with the environment as its user knows it."""

    name: Name
    environment: GivenEnvironment = GivenEnvironment()
