"""What a look at a cluster tells: nodes, rights, what refuses pods, and how to mend it."""

SENTENCES = {
    # Tokens that renew themselves.
    "right_token": "ask for the account's own next token",
    "renewal_no_token": (
        "only a ServiceAccount's token that expires can be renewed, and this kubeconfig has none"
    ),
    "renewal_other_account": "the API server gave a token of another account, or none",
    "renewal_no_longer": (
        "the API server gave a token that does not last longer than the present one"
    ),
    "renewal_forbidden": (
        "the token may not ask for its next one: apply the manifest of "
        "`podmeter clusters manifest --renew` to the cluster"
    ),
    "renewal_failed": "the next token was not given: {why}",
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
    "pods_not_started": "the nodes do not start measuring pods; see refusals",
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
    "right_events": "why a measuring pod does not start",
    "right_services": "Services that are measured",
    "right_endpoint_slices": "their endpoints",
    "right_policies": "policies that a run left behind",
    "right_measured_policies": "NetworkPolicies that are measured",
    "right_ingresses": "paths through an Ingress",
    "right_ingress_classes": "which ingress controllers there are",
    "right_leases": "one run at a time",
    "right_host_pods": "pods on the nodes' network",
    "right_renew_pods": "pods are created anew after a switch",
    "right_patch_proxy": "kube-proxy's mode",
    "right_patch_flannel": "flannel's backend",
    "right_patch_calico": "Calico's encapsulation",
    "right_patch_installation": "Calico's encapsulation, where its operator owns it",
    "right_operator_status": "what Calico's operator complains of",
    "right_felix": "what else decides how Calico's packets go",
    "right_patch_cilium": "Cilium's routing",
    "right_cilium_nodes": "whether single nodes are told otherwise than Cilium's ConfigMap",
    "right_patch_kube_router": "kube-router's overlay",
    "right_watch_daemon_sets": "waiting until it runs",
    "right_pause_proxy": (
        "kube-proxy is paused while IPVS is set up or removed, and kept off the measured nodes"
    ),
    "right_proxy_on_nodes": "kube-proxy is switched on the measured nodes alone, by a copy of it",
    # What refuses or changes measuring pods.
    "refusal_and_mend": "{what}; to mend it: {mend}",
    "namespace_missing": "there is no namespace {namespace}",
    "refuses_pods": "the cluster refuses {access} pods in {namespace}: {said}",
    "changes_pods": "{access} pods in {namespace}: {change}",
    # Why a node cannot start a pod of the image, and what can be done about it.
    "image_registry_unresolved": "node {node} does not find the registry {registry}: {said}",
    "image_registry_untrusted": "node {node} does not trust the registry {registry}: {said}",
    "image_registry_silent": "the registry {registry} does not answer node {node}: {said}",
    "image_rate_limited": "the registry {registry} lets node {node} pull no more for now: {said}",
    "image_denied": "the registry {registry} does not let node {node} pull {image}: {said}",
    "image_absent": "node {node} cannot pull {image}, which the registry does not have: {said}",
    "image_other_platform": "{image} is not for the architecture of node {node}: {said}",
    "image_no_room": "node {node} has no room for {image}: {said}",
    "image_never_pulled": "{image} is not on node {node}, which may not pull it: {said}",
    "image_name_invalid": "node {node} takes {image} for no image's name: {said}",
    "image_no_program": "the image has no {program}, by which commands run in its pods",
    "image_program_old": "the image on node {node} has no current {program}",
    "image_not_pulled": "node {node} cannot pull {image}: {said}",
    "image_still_pulling": "node {node} is pulling {image} still, after {seconds} s",
    "pull_secret_missing": (
        "{what}; the Secret {secret} that it is to be pulled with is not in namespace {namespace}"
    ),
    "mend_image_push": (
        "push it there: `make push-bench REGISTRY=…` prints what to set as the cluster's image; or "
        "`make save-bench`, and import the file on each node"
    ),
    "mend_image_current": (
        "push the current bench image: `make push-bench REGISTRY=…` prints what to set as the "
        "cluster's image; or `make save-bench`, and import the file on each node"
    ),
    "mend_image_import": (
        "bring it to each node: `make save-bench` writes a file and says how it is imported"
    ),
    "mend_image_name": "set the cluster's image as registry.example/team/bench:0.1.0",
    "mend_image_platform": (
        "build it for the nodes' architecture, `make images PLATFORMS=…`, and push that"
    ),
    "mend_image_room": "free disk space on node {node}",
    "mend_image_slow": (
        "see that the node reaches {registry}; where the image is only large for its line, look at "
        "the cluster again later: what a node has pulled stays there"
    ),
    "mend_pull_secret": (
        "make a Secret of its credentials, `kubectl --namespace {namespace} create secret "
        "docker-registry …`, and name it at the cluster; or push the image where no credentials "
        "are needed"
    ),
    "mend_credentials": (
        "see that the Secret {secret} in namespace {namespace} has credentials for {registry} that "
        "may pull it"
    ),
    "mend_secret_missing": (
        "make it: `kubectl --namespace {namespace} create secret docker-registry {secret} …`"
    ),
    "mend_registry": (
        "see that the nodes reach {registry}, or set an image of a registry that they reach; or "
        "`make save-bench`, and import the file on each node"
    ),
    "mend_registry_trust": (
        "have the nodes' container runtime trust {registry}, containerd by a folder in "
        "/etc/containerd/certs.d; or set an image of a registry that they trust"
    ),
    "mend_own_registry": "try again later, or push the image to a registry of your own",
    "mend_nodes": "make a Linux node ready, schedulable and free of NoSchedule taints",
    "mend_namespace": (
        "apply the manifest of `podmeter clusters manifest {capability}`, which makes it"
    ),
    "mend_quota": "raise or remove the ResourceQuota of namespace {namespace} ({quota})",
    "mend_quota_demands": (
        "remove {demanded} from ResourceQuota {quota} in namespace {namespace} (measuring pods "
        "have no CPU limit on purpose), or use a namespace without it"
    ),
    "webhook_no_dry_run": (
        "the webhook {webhook} does not support dry run, so that the check cannot tell whether "
        "measuring pods are refused; pods are tried for real"
    ),
    "mend_dry_run": "set sideEffects of the webhook {webhook} to None or NoneOnDryRun",
    "webhook_silent": "the webhook {webhook} does not answer, so that no pod can be made: {said}",
    "mend_webhook_silent": (
        "make the webhook {webhook} answer, or exempt Podmeter's namespaces from it"
    ),
    "mend_webhook_service": (
        "make the Service {service} of the webhook {webhook} answer, or exempt Podmeter's "
        "namespaces from it"
    ),
    "scc_refuses": (
        "no SecurityContextConstraints allow {access} pods in {namespace} the uid {uid}"
    ),
    "mend_scc": (
        "oc adm policy add-scc-to-user {scc} --serviceaccount podmeter --namespace {namespace}"
    ),
    "policy_blocks": "NetworkPolicy {policy} would block measuring pods ({directions})",
    "mend_network_policy": (
        "delete NetworkPolicy {policy}; or, where no NetworkPolicies are measured, apply this one "
        "beside it: {{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {{name: "
        "podmeter-allow, namespace: {namespace}}}, spec: {{podSelector: {{}}, policyTypes: "
        "[Ingress, Egress], ingress: [{{}}], egress: [{{}}]}}}}"
    ),
    "mend_pod_security": ("let namespace {namespace} enforce the level {level}; the manifest does"),
    "mend_limit_range": (
        "remove minima, maxima and ratios from the LimitRange of namespace {namespace} (measuring "
        "pods have no CPU limit on purpose)"
    ),
    "mend_limits": "remove the LimitRange's defaults from namespace {namespace}",
    "mend_injector": "exclude namespace {namespace} from the sidecar injector",
    "mend_admission": "exempt namespace {namespace} from the admission webhook or policy",
    "mend_policy": (
        "where the cluster's image or its pull secret has changed, apply its manifest anew; exempt "
        "namespace {namespace} from webhooks that change pods"
    ),
    "mend_webhook": "exempt namespace {namespace} from the webhook that changes pods",
    "mend_else": "see to it that namespace {namespace} takes pods as they are asked for",
}
