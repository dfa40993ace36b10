"""A request_latency run on the fake lab, which says what curl once printed."""

from podmeter.domain.ports import Access, ExecTarget
from podmeter.domain.trial import TrialStatus
from podmeter.kinds.registry import KINDS, plan, read_spec, resolve

KIND = KINDS["request_latency"]
INSIDE = [
    "pod-pod",
    "node-pod",
    "node-service",
    "pod-service-pod",
    "pod-service-name",
    "node-nodeport",
]
OUTSIDE = ["outside-nodeport", "outside-loadbalancer"]
INGRESS = ["pod-ingress", "outside-ingress"]
#: What was captured has 9 bytes.
PARAMETERS = {"body_bytes": 9}
ELSEWHERE = ExecTarget("outside", "198.51.100.7", None, Access.OUTSIDE)


def spec(parameters=None, *, trials=1, **axes):
    return resolve(
        read_spec(
            {
                "name": "x",
                "kind": "request_latency",
                "axes": {"path": ["pod-pod"]} | axes,
                "parameters": PARAMETERS | (parameters or {}),
                "repetition": {"trials": trials, "rounds": 1, "warmup": 0},
            }
        )
    )


def run(lab, experiment):
    (block,) = plan(experiment)
    with KIND.prepared(lab, experiment, block) as prepared:
        return {
            trial.case.text("path"): (
                prepared.placement(trial.case),
                prepared.run_trial(trial),
            )
            for trial in block.trials
        }


def only(lab, experiment):
    ((_, report),) = run(lab, experiment).values()
    return report


def values(report):
    assert report.status is TrialStatus.COUNTED, report.failure
    return {(m.metric, m.subject): m.value for m in report.measurements}


def asked(report):
    """The URL of a trial's requests, and how many were made."""
    (invocation,) = report.invocations
    return invocation.argv[-1], int(invocation.argv[3])
