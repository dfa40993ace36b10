"""What goes wrong between Podmeter and a cluster: its API server, pods, and commands in them."""

SENTENCES = {
    "api_not_reached": "the API server was not reached: {why}",
    "api_busy": "the API server answered {status}: {said}",
    "api_answer_not_object": "the API server's answer is no object",
    "api_answer_too_long": "the API server's answer is too long",
    "watch_broke": "the watch broke: {why}",
    "lease_held": (
        "run {run} is measuring this cluster, and holds its Lease until {time} UTC at least"
    ),
    "lease_just_taken": "another run has just taken this cluster",
    # What is waited for.
    "await_on_every_node": "{name} runs on every node",
    "await_anew": "{name} runs anew",
    "await_pods_anew": "the pods of the pod network were created anew",
    "await_cleanup": "kube-proxy --cleanup ends on every node",
    "await_cleanup_gone": "the pods that cleaned up are gone",
    "await_pods": "the measuring pods run",
    "await_pods_gone": "the measuring pods are gone",
    "await_swept": "the run's pods in {namespace} are gone",
    # What was to be created.
    "pods_not_taken": "the cluster takes no measuring pod: {said}",
    "services_not_taken": "the cluster takes no more Services: {said}",
    "service_no_address": "Service {service} was given no address",
    "pod_deleted": "pod {pod} was deleted while it started",
    "pod_ended": "pod {pod} ended: {why}",
    "pod_no_start": "pod {pod} does not start ({reason}): {said}",
    "pod_gone": "pod {pod} is gone: {said}",
    # Commands in pods.
    "exec_refused": "no exec connection ({status}): {said}",
    "exec_not_made": "no exec connection: {why}",
    "exec_broke": "the exec connection broke: {why}",
    "exec_silent": "nothing was heard for {seconds} s",
    "command_not_started": "the command did not start: {why}",
    "command_not_ended": "{command} did not end within {seconds} s",
    "output_cut": "the command's output was cut after {bytes} bytes: {why}",
    "output_not_arrived": "the command's answer did not arrive",
    "output_longer": "the command's output is longer than was announced",
    "output_more": "more came from the pod than was announced",
    "output_digest": "the command's output does not agree with its digest",
    "frame_missing": "the pod did not answer in a frame: {start}",
    "frame_no_header": "the pod's frame has no header",
    "frame_header_invalid": "the pod's frame has no valid header",
    "node_not_told": "the node did not tell all: {said}",
    "rules_not_swept": "the rules were not swept: {said}",
}
