"""Runs one experiment to its result with the client that openapi-python-client makes."""

import json
import os
import sys
from uuid import UUID

import httpx
from podmeter_client import AuthenticatedClient
from podmeter_client.api.experiments import create_experiment, create_run
from podmeter_client.api.runs import get_run, get_summaries
from podmeter_client.models import NewRun, Problem, RunState, ThroughputSpec

client = AuthenticatedClient(
    base_url=os.environ["PODMETER_URL"],
    token=os.environ["PODMETER_TOKEN"],
    timeout=httpx.Timeout(90),
    raise_on_unexpected_status=True,
)


def answered(found):
    """What was asked for; ends with the problem document of a refusal."""
    if found is None or isinstance(found, Problem):
        sys.exit(f"refused: {found and found.to_dict()}")
    return found


spec = ThroughputSpec.from_dict(json.loads(os.environ["SPEC"]))
experiment = answered(create_experiment.sync(client=client, body=spec))
body = NewRun.from_dict({"cluster_id": os.environ["CLUSTER_ID"], "labels": {"client": "python"}})
started = answered(create_run.sync(str(experiment.id), client=client, body=body))
run_id = UUID(str(started.id))
while answered(get_run.sync(run_id, client=client, wait=60)).state != RunState.FINISHED:
    pass
first = answered(get_summaries.sync(run_id, client=client)).summaries[0]
print(json.dumps({"run": str(run_id), "metric": first.key.metric, "value": first.value}))
