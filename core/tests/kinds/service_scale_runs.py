"""A run of service_scale on the fake lab, of what was captured."""

from dataclasses import replace

from podmeter.domain.ports import Access, ExecTarget
from podmeter.domain.trial import TrialStatus
from podmeter.kinds.registry import KINDS, plan, read_spec, resolve

KIND = KINDS["service_scale"]
OUTSIDE = ExecTarget("laptop", "203.0.113.5", None, Access.OUTSIDE)
#: Of the captured runs.
PARAMETERS = {
    "requests": 2000,
    "keepalive_requests": 2000,
    "latency_requests": 10,
    "concurrency": 10,
    "body_bytes": 9,
}


def spec(parameters=None, **axes):
    return resolve(
        read_spec(
            {
                "name": "x",
                "kind": "service_scale",
                "axes": {"services": [10, 40]} | axes,
                "parameters": PARAMETERS | (parameters or {}),
                "repetition": {"trials": 1, "rounds": 1, "warmup": 0},
            }
        )
    )


def run(lab, experiment):
    """The reports of all blocks, one after another, each finding what the one before it left."""
    blocks = [one.of_kind for one in plan(experiment)]
    found = {}
    for block in blocks:
        followed = replace(block, followed=block is not blocks[-1])
        with KIND.prepared(lab, experiment, followed) as prepared:
            found |= {trial.case.key: prepared.run_trial(trial) for trial in block.trials}
    return found


def only(lab, experiment, probe):
    (found,) = [r for key, r in run(lab, experiment).items() if f"probe={probe}," in key]
    return found


def values(report):
    return {m.metric: m.value for m in report.measurements if not m.subject}


def failed(report, status=TrialStatus.FAILED):
    assert report.status is status
    assert report.measurements == ()
    return report.failure
