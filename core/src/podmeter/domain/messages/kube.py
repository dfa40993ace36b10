"""What went wrong between a worker and a cluster; what the cluster itself said is `said`."""

SENTENCES = {
    # Podmeter in a cluster.
    "not_in_cluster": "this process does not run in a pod, or its pod has no ServiceAccount token",
    "no_api_server": "no API server of this cluster responds ({failures}); set one with --server",
    "no_token": "Secret {name} has no token after {seconds} s",
    "no_administrator": "no administrator exists yet who could register the cluster",
    "workers_left": "{pods} did not stop; the clusters that they measure may still be switched",
    "clusters_left_switched": (
        "{clusters} is still switched and needs these permissions to be restored; restore it "
        "before you remove them"
    ),
    # The API server.
    "api_unreached": "the API server could not be reached: {said}",
    "api_not_public": (
        "the API server's certificate is not signed by a certificate authority that Podmeter's "
        "system trusts ({said}). Put the cluster's certificate authority, base64-encoded, into "
        "certificate-authority-data of the kubeconfig: kubectl get configmap kube-root-ca.crt "
        "--namespace kube-system -o jsonpath='{{.data.ca\\.crt}}' | base64 -w0"
    ),
    "api_port_refused": (
        "{server} refused the connection: no API server listens there, or a firewall blocks it"
    ),
    "api_unresolved": "the API server's name cannot be resolved: {said}",
    "api_no_object": (
        "the API server's response is not a Kubernetes object. Check that the address is the "
        "API server's own, and no proxy changes its responses"
    ),
    "api_no_field": "the API server's response lacks the Kubernetes field {field}",
    "api_no_text": "the API server's response has {type} where Kubernetes has text",
    "api_certificate": "the API server's certificate cannot be read",
    "api_many_certificates": (
        "more than {count} API servers with different certificates answer at this address. "
        "Use the address of one of them, or of a load balancer whose certificate authority "
        "signs all"
    ),
    "api_too_long": "the API server's response is too large",
    "api_too_dense": (
        "the API server's response has more elements than Podmeter reads. Check that the "
        "address is the API server's own"
    ),
    "api_no_list": (
        "the API server's response is not a list of Kubernetes objects. Check that the "
        "address is the API server's own, and no proxy changes its responses"
    ),
    "api_no_change": (
        "the API server sent an unknown event while Podmeter watched for changes. Check that "
        "no proxy in front of it changes its responses"
    ),
    "api_no_date": (
        "the API server's response has no Date header, so its clock is unknown. Check that no"
        " proxy in front of it removes the header"
    ),
    "api_malformed": "the cluster's response cannot be read: {said}",
    "api_answered": "the API server responded with {status}: {said}",
    "api_redirects": (
        "the API server's address responds with the redirect {status}, which Podmeter does not "
        "follow. Check that it is the API server's own address, not a login page"
    ),
    "api_watch_broke": "the watch was interrupted: {said}",
    "no_further_word": "no more details",
    "credentials_no_tls": "the credentials cannot be used for TLS: {said}",
    "lease_held": "{holder} holds the Lease of this cluster since {since}",
    "holder_run": "run {label}",
    "holder_look": "a preflight ({label})",
    "holder_restore": "a restore ({label})",
    "since_unknown": "an unknown time",
    "lease_taken": "another run has just acquired this cluster",
    "lease_gone": "this cluster's Lease was deleted",
    "lease_lost": "this cluster's Lease is now held by {holder}",
    # Commands in pods.
    "exec_refused": "the exec connection failed: {said}",
    "exec_answered": "the exec connection failed ({status}): {said}",
    "exec_broke": "the exec connection was interrupted: {said}",
    "exec_silent": "no data arrived for {seconds} s",
    "exec_closed": "the connection was closed",
    "exec_cut": "the connection was interrupted",
    "command_not_in_time": "{command} did not finish within {seconds} s",
    "command_no_answer": "the command's output did not arrive",
    "command_not_started": "the command did not start: {why}",
    "output_cut": "the command's output was truncated after {bytes} bytes: {why}",
    "output_more": "the pod sent more output than announced",
    "output_longer": "the command's output is longer than announced",
    "output_digest": "the command's output does not match its digest",
    "frame_absent": "the pod's output is not framed: {said}",
    "frame_no_header": "the pod's frame has no header",
    "frame_bad_header": "the pod's frame has no valid header",
    "node_not_told": "the node's report is incomplete: {said}",
    "rules_not_swept": "leftover rules could not be removed: {said}",
    # Pods and Services.
    "pod_gone": "pod {pod} no longer exists: {said}",
    "pod_deleted": "pod {pod} was deleted while it was starting",
    "pod_ended": "pod {pod} ended: {why}",
    "pod_not_starting": "pod {pod} does not start ({reason}): {said}",
    "container_ended": "{reason} with exit code {exit_code}",
    "container_ended_saying": "{reason} with exit code {exit_code}: {said}",
    "pod_refused": "the cluster rejects measuring pods: {said}",
    "pods_changed": (
        "the cluster changes measuring pods, which would distort the results: {changes}"
    ),
    "change_injected": "containers were injected: {containers}",
    "change_field": "{field} was changed to {value}",
    "change_no_container": "the measuring container is missing",
    "change_limits": "limits were set, perhaps by a LimitRange: {limits}",
    "change_runtime": "runtimeClassName was set to {value}",
    "services_refused": "the cluster accepts no more Services: {said}",
    "policies_refused": (
        "the cluster rejects NetworkPolicies: {said}. If you applied Podmeter's manifest long "
        "ago, apply it again"
    ),
    "ingress_no_controller": (
        "the cluster has no IngressClass, so no ingress controller is available; remove the "
        "Ingress paths from the experiment"
    ),
    "ingress_class_unknown": "IngressClass {name} does not exist; available: {classes}",
    "ingress_class_not_default": (
        "the cluster has no default IngressClass; set ingress_class to one of {classes}"
    ),
    "ingress_classes_default": (
        "the cluster has several default IngressClasses; set ingress_class to one of {classes}"
    ),
    "ingress_no_address": (
        "controller {controller} wrote no address into the Ingress's status within {seconds} "
        "s; if it never writes one, set ingress_address"
    ),
    "ingress_no_ipv4": (
        "controller {controller} has the address {told}, which is not IPv4; set "
        "ingress_address to an IPv4 address"
    ),
    "ingress_refused": (
        "the cluster rejects the Ingress: {said}. If you applied Podmeter's manifest long ago, "
        "apply it again"
    ),
    "service_no_address": "Service {service} got no address",
    # What was waited for.
    "wait_pods_run": "the measuring pods run",
    "wait_pods_gone": "the measuring pods are deleted",
    "wait_run_pods_gone": "the run's pods in {namespace} are deleted",
    "wait_runs_everywhere": "{name} runs on every node",
    "wait_runs_anew": "{name} has restarted",
    "wait_pods_renewed": "the pods of the pod network are recreated",
    "wait_cleanup_ends": "kube-proxy --cleanup ends on every node",
    "wait_cleanup_gone": "the pods that cleaned up are deleted",
}
