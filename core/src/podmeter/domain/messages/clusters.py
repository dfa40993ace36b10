"""What a look at a cluster tells: nodes, rights, what refuses pods, and how to mend it."""

SENTENCES = {
    "not_linux": "it does not run Linux",
    "not_ready": "it is not ready",
    "cordoned": "it is cordoned",
    "tainted": "it has the taint {taint}",
    "no_ipv4": "it has no internal IPv4 address",
    # Why the nodes were not looked at from inside.
    "rights_missing": "rights to measure are missing, so no pod was started",
    "busy_now": "{why}: pods would disturb it",
    "being_measured": "run {run} is measuring: pods would disturb it",
    "being_measured_elsewhere": (
        "a run of another organization is measuring: pods would disturb it"
    ),
    "pods_refused": "the cluster refuses or changes measuring pods; see refusals",
    "look_too_long": "the preflight was not over within {seconds} s",
    "look_failed": "internal error: {type}",
    # Rights.
    "right_missing": "the right to {verb} {resource} in the whole cluster is missing: {why}",
    "right_missing_in": "the right to {verb} {resource} in {namespace} is missing: {why}",
    "right_nodes": "where pods may be placed, what the nodes are",
    "right_all_services": "how many Services there are, what ports are free",
    "right_namespace": "which cluster this is",
    "right_daemon_sets": "which pod network and kube-proxy there are",
    "right_service_cidrs": "how many ClusterIPs are free",
    "right_config_maps": (
        "the mode that kube-proxy and the pod network are set to, the ranges in use"
    ),
    "right_pods": "measuring pods",
    "right_exec": "running tools in them",
    "right_services": "Services that are measured",
    "right_endpoint_slices": "their endpoints",
    "right_policies": "policies",
    "right_leases": "one run at a time",
    "right_host_pods": "pods on the nodes' network",
    "right_renew_pods": "pods are created anew after a switch",
    "right_patch_proxy": "kube-proxy's mode",
    "right_patch_flannel": "flannel's backend",
    "right_watch_daemon_sets": "waiting until it runs",
    "right_pause_proxy": "kube-proxy is paused while IPVS is set up or removed",
    # What refuses or changes measuring pods.
    "refusal_and_mend": "{what}; to mend it: {mend}",
    "namespace_missing": "there is no namespace {namespace}",
    "refuses_pods": "the cluster refuses {access} pods in {namespace}: {said}",
    "changes_pods": "{access} pods in {namespace}: {change}",
    "mend_nodes": "make a Linux node ready, schedulable and free of NoSchedule taints",
    "mend_namespace": "apply the manifest of `podmeter rbac {capability}`, which makes it",
    "mend_quota": "raise or remove the ResourceQuota of namespace {namespace}",
    "mend_pod_security": ("let namespace {namespace} enforce the level {level}; the manifest does"),
    "mend_limits": "remove the LimitRange's defaults from namespace {namespace}",
    "mend_injector": "exclude namespace {namespace} from the sidecar injector",
    "mend_admission": "exempt namespace {namespace} from the admission webhook or policy",
    "mend_policy": (
        "where BENCH_IMAGE has changed, apply the manifest of `podmeter rbac` anew; exempt "
        "namespace {namespace} from webhooks that change pods"
    ),
    "mend_webhook": "exempt namespace {namespace} from the webhook that changes pods",
    "mend_else": "see to it that namespace {namespace} takes pods as they are asked for",
}
