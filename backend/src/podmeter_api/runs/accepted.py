"""The answer to whatever queues a run: the run, and where it is."""

from fastapi import Response

from podmeter.services.runs.read import RunView
from podmeter_api.runs.schemas import RunSummary


def accepted(view: RunView, response: Response) -> RunSummary:
    """The run as lists show it; sets the Location of `response`."""
    response.headers["Location"] = f"/api/v1/runs/{view.run.id}"
    return RunSummary.of(view)
