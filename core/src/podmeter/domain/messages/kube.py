"""What went wrong between a worker and a cluster; what the cluster itself said is `said`."""

SENTENCES = {
    # Podmeter in a cluster.
    "not_in_cluster": "this runs in no pod of a cluster, or without a ServiceAccount's token",
    "no_api_server": "no API server of this cluster answers ({failures}); name one by --server",
    "no_token": "there is no token in Secret {name} after {seconds} s",
    "no_administrator": "there is no administrator yet for whom to register the cluster",
    "workers_left": "{pods} did not end; what they measure may still be switched",
    "clusters_left_switched": (
        "{clusters} is left switched, and cannot be put back without the rights that would go now"
    ),
    # The API server.
    "api_unreached": "the API server was not reached: {said}",
    "api_not_public": (
        "no authority that Podmeter's system knows signed the API server's certificate ({said}); "
        "put the base64 of the cluster's own authority into certificate-authority-data of the "
        "kubeconfig: kubectl get configmap kube-root-ca.crt --namespace kube-system "
        "-o jsonpath='{{.data.ca\\.crt}}' | base64 -w0"
    ),
    "api_port_refused": (
        "{server} refused the connection: no API server listens there, or a firewall says no"
    ),
    "api_unresolved": "the API server's name does not resolve: {said}",
    "api_no_object": "the API server's answer is no object",
    "api_no_field": "the API server's answer has no {field} as Kubernetes has one",
    "api_no_text": "the API server's answer has {type} where Kubernetes has text",
    "api_certificate": "the API server's certificate cannot be read",
    "api_many_certificates": (
        "behind the API server's address there are more than {count} servers, each with a "
        "certificate of its own"
    ),
    "api_too_long": "the API server's answer is too long",
    "api_too_dense": "the API server's answer has too many parts",
    "api_no_list": "the API server's answer is no list of objects",
    "api_no_change": "the API server's watch gave what is no change of an object",
    "api_no_date": "the API server's answer has no date",
    "api_malformed": "what the cluster answered cannot be read: {said}",
    "api_answered": "the API server answered {status}: {said}",
    "api_redirects": (
        "the API server's address answered {status}, which sends elsewhere; that is not followed. "
        "Is it an API server's own address, and none of a page to log in?"
    ),
    "api_watch_broke": "the watch broke: {said}",
    "no_further_word": "no further word",
    "credentials_no_tls": "the credentials cannot be used for TLS: {said}",
    "lease_held": "{holder} has had this cluster since {since}, and holds its Lease",
    "holder_run": "run {label}",
    "holder_look": "a preflight ({label})",
    "holder_restore": "a restore ({label})",
    "since_unknown": "an unknown time",
    "lease_taken": "another run has just taken this cluster",
    "lease_gone": "this cluster's Lease was removed",
    "lease_lost": "this cluster's Lease is held by {holder} now",
    # Commands in pods.
    "exec_refused": "no exec connection: {said}",
    "exec_answered": "no exec connection ({status}): {said}",
    "exec_broke": "the exec connection broke: {said}",
    "exec_silent": "nothing was heard for {seconds} s",
    "exec_closed": "the connection was closed",
    "exec_cut": "the connection was cut",
    "command_not_in_time": "{command} did not end within {seconds} s",
    "command_no_answer": "the command's answer did not arrive",
    "command_not_started": "the command did not start: {why}",
    "output_cut": "the command's output was cut after {bytes} bytes: {why}",
    "output_more": "more came from the pod than was announced",
    "output_longer": "the command's output is longer than was announced",
    "output_digest": "the command's output does not agree with its digest",
    "frame_absent": "the pod did not answer in a frame: {said}",
    "frame_no_header": "the pod's frame has no header",
    "frame_bad_header": "the pod's frame has no valid header",
    "node_not_told": "the node did not tell all: {said}",
    "rules_not_swept": "the rules were not swept: {said}",
    # Pods and Services.
    "pod_gone": "pod {pod} is gone: {said}",
    "pod_deleted": "pod {pod} was deleted while it started",
    "pod_ended": "pod {pod} ended: {why}",
    "pod_not_starting": "pod {pod} does not start ({reason}): {said}",
    "container_ended": "{reason} with {exit_code}",
    "container_ended_saying": "{reason} with {exit_code} {said}",
    "pod_refused": "the cluster takes no measuring pod: {said}",
    "pods_changed": ("the cluster changes measuring pods, so they would not measure it: {changes}"),
    "change_injected": "containers were injected: {containers}",
    "change_field": "{field} was changed to {value}",
    "change_no_container": "the measuring container is gone",
    "change_limits": "limits were set, by a LimitRange perhaps: {limits}",
    "change_runtime": "runtimeClassName was set to {value}",
    "services_refused": "the cluster takes no more Services: {said}",
    "policies_refused": (
        "the cluster takes no NetworkPolicy (if its manifest was applied long ago, apply it anew): "
        "{said}"
    ),
    "ingress_no_controller": (
        "the cluster has no IngressClass, so no ingress controller that an Ingress could be for; "
        "leave its paths out"
    ),
    "ingress_class_unknown": "there is no IngressClass {name}; there are {classes}",
    "ingress_class_not_default": (
        "no IngressClass is the cluster's default one; name one of {classes} by ingress_class"
    ),
    "ingress_classes_default": (
        "several IngressClasses are the default one; name one of {classes} by ingress_class"
    ),
    "ingress_no_address": (
        "controller {controller} wrote no address into the Ingress's status within {seconds} s; if "
        "it never does so, give its address by ingress_address"
    ),
    "ingress_no_ipv4": (
        "controller {controller} is at {told}, which is no IPv4 address; give one by "
        "ingress_address"
    ),
    "ingress_refused": (
        "the cluster takes no such Ingress (if Podmeter's manifest was applied long ago, apply it "
        "anew): {said}"
    ),
    "service_no_address": "Service {service} was given no address",
    # What was waited for.
    "wait_pods_run": "the measuring pods run",
    "wait_pods_gone": "the measuring pods are gone",
    "wait_run_pods_gone": "the run's pods in {namespace} are gone",
    "wait_runs_everywhere": "{name} runs on every node",
    "wait_runs_anew": "{name} runs anew",
    "wait_pods_renewed": "the pods of the pod network were created anew",
    "wait_cleanup_ends": "kube-proxy --cleanup ends on every node",
    "wait_cleanup_gone": "the pods that cleaned up are gone",
}
