"""The experiment that a path names, by its id or its slug."""

import uuid
from typing import Annotated

from fastapi import Depends, Path

from podmeter.services.experiments import library
from podmeter_api.security import Viewer
from podmeter_api.unit_of_work import WorkDep

#: What the path says; nothing is known by it yet.
NamePath = Annotated[str, Path(min_length=1, max_length=100, description="its id or its slug")]


def find_experiment(experiment_id: NamePath, principal: Viewer, work: WorkDep) -> uuid.UUID:
    """The id of the experiment that the path names. Raises NotFoundError."""
    return library.find(work, principal, experiment_id)


ExperimentId = Annotated[uuid.UUID, Depends(find_experiment)]
