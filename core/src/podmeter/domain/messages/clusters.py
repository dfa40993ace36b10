"""What a look at a cluster tells: nodes, rights, what refuses pods, and how to fix it."""

SENTENCES = {
    # Tokens that renew themselves.
    "right_token": "renew its own ServiceAccount token",
    "renewal_no_token": (
        "this kubeconfig has no expiring ServiceAccount token, and Podmeter can renew no other "
        "credentials"
    ),
    "renewal_other_account": (
        "the API server returned no token, or a token of another ServiceAccount"
    ),
    "renewal_no_longer": (
        "the API server returned a token that expires no later than the current one"
    ),
    "renewal_forbidden": (
        "the token has no permission to renew itself: apply the manifest that `podmeter "
        "clusters manifest --renew` prints to the cluster"
    ),
    "renewal_failed": "the token could not be renewed: {why}",
    "not_linux": "the node does not run Linux",
    "not_ready": "the node is not ready",
    "cordoned": "the node is cordoned",
    "tainted": "the node has the taint {taint}",
    "no_ipv4": "the node has no internal IPv4 address",
    # Why the nodes were not looked at from inside.
    "rights_missing": "the credentials lack permissions to measure, so no pod was started",
    "busy_now": "{why}, and pods of a preflight would disturb it",
    "being_measured": "run {run} is measuring, and pods of a preflight would disturb it",
    "being_measured_elsewhere": (
        "a run of another organization is measuring, and pods of a preflight would disturb it"
    ),
    "pods_refused": "the cluster rejects or changes measuring pods; see the list of refusals",
    "pods_not_started": "the nodes cannot start measuring pods; see the list of refusals",
    "look_too_long": "the preflight did not finish within {seconds} s",
    "look_failed": "internal error: {type}",
    # Rights.
    "right_missing": "missing permission: {verb} {resource} in the whole cluster, for {why}",
    "right_missing_in": "missing permission: {verb} {resource} in namespace {namespace}, for {why}",
    "right_nodes": "reading the nodes and choosing where pods run",
    "right_all_services": "counting Services and free node ports",
    "right_namespace": "identifying the cluster",
    "right_daemon_sets": "detecting the pod network and kube-proxy",
    "right_service_cidrs": "counting free ClusterIPs",
    "right_config_maps": (
        "reading the configured modes of kube-proxy and the pod network, and the address "
        "ranges in use"
    ),
    "right_pods": "creating, reading and deleting the pods that measure",
    "right_exec": "running tools in measuring pods",
    "right_events": "reporting why a measuring pod does not start",
    "right_services": "creating Services to measure",
    "right_endpoint_slices": "creating the endpoints of these Services",
    "right_policies": "removing NetworkPolicies that a run left behind",
    "right_measured_policies": "creating NetworkPolicies to measure",
    "right_ingresses": "measuring paths through an Ingress",
    "right_ingress_classes": "finding out which ingress controllers the cluster has",
    "right_leases": "ensuring that one run at a time uses the cluster",
    "right_host_pods": "running pods on the nodes' own network",
    "right_renew_pods": "recreating pods after a mode switch",
    "right_patch_proxy": "switching kube-proxy's mode",
    "right_patch_flannel": "switching Flannel's backend",
    "right_patch_calico": "switching Calico's encapsulation",
    "right_patch_installation": (
        "switching Calico's encapsulation where the Tigera operator manages it"
    ),
    "right_operator_status": "reading the Tigera operator's status, to report its errors",
    "right_felix": "reading the Felix settings that also affect encapsulation",
    "right_patch_cilium": "switching Cilium's routing mode",
    "right_cilium_nodes": "detecting nodes whose settings override Cilium's ConfigMap",
    "right_patch_kube_router": "switching kube-router's overlay",
    "right_watch_daemon_sets": "waiting until a restarted component is ready",
    "right_pause_proxy": (
        "pausing kube-proxy while IPVS is set up or removed, and keeping it off the measured nodes"
    ),
    "right_proxy_on_nodes": (
        "switching kube-proxy on the measured nodes only, with a copy of its DaemonSet"
    ),
    # What refuses or changes measuring pods.
    "refusal_and_mend": "{what}. To fix it: {mend}",
    "namespace_missing": "there is no namespace {namespace}",
    "refuses_pods": "the cluster rejects {access} pods in namespace {namespace}: {said}",
    "changes_pods": "the cluster changes {access} pods in namespace {namespace}: {change}",
    # Why a node cannot start a pod of the image, and what can be done about it.
    "image_registry_unresolved": (
        "node {node} cannot resolve the name of the registry {registry}: {said}"
    ),
    "image_registry_untrusted": (
        "node {node} does not trust the certificate of the registry {registry}: {said}"
    ),
    "image_registry_silent": "the registry {registry} does not respond to node {node}: {said}",
    "image_rate_limited": (
        "the registry {registry} has reached its pull limit for node {node}: {said}"
    ),
    "image_denied": "the registry {registry} denies node {node} access to {image}: {said}",
    "image_absent": "node {node} cannot pull {image}: the registry does not have it: {said}",
    "image_other_platform": "{image} is not built for the architecture of node {node}: {said}",
    "image_no_room": "node {node} has no disk space for {image}: {said}",
    "image_never_pulled": (
        "{image} is not on node {node}, and the pull policy forbids pulling it: {said}"
    ),
    "image_name_invalid": "node {node} rejects {image} as an image name: {said}",
    "image_no_program": (
        "the image does not contain {program}, which runs the commands in measuring pods"
    ),
    "image_program_old": "the image on node {node} contains an outdated {program}",
    "image_not_pulled": "node {node} cannot pull {image}: {said}",
    "image_still_pulling": "node {node} is still pulling {image} after {seconds} s",
    "pull_secret_missing": "{what}; the pull secret {secret} is missing in namespace {namespace}",
    "mend_image_push": (
        "push the image to that registry: `make push-bench REGISTRY=…` prints what to set as "
        "the cluster's image; or run `make save-bench` and import the file on each node"
    ),
    "mend_image_current": (
        "push the current bench image: `make push-bench REGISTRY=…` prints what to set as the "
        "cluster's image; or run `make save-bench` and import the file on each node"
    ),
    "mend_image_import": (
        "import the image on each node: `make save-bench` writes a file and prints how to import it"
    ),
    "mend_image_name": (
        "set the cluster's image to a name such as registry.example/team/bench:0.1.0"
    ),
    "mend_image_platform": (
        "build the image for the nodes' architecture (`make images PLATFORMS=…`) and push it"
    ),
    "mend_image_room": "free disk space on node {node}",
    "mend_image_slow": (
        "check that the node reaches {registry}. If the image is only slow to pull, run the "
        "preflight again later: the node keeps what it has pulled"
    ),
    "mend_pull_secret": (
        "create a Secret with credentials for the registry (`kubectl --namespace {namespace} "
        "create secret docker-registry …`) and set it as the cluster's pull secret; or push "
        "the image to a registry that needs no credentials"
    ),
    "mend_credentials": (
        "check that the Secret {secret} in namespace {namespace} holds credentials for "
        "{registry} that may pull the image"
    ),
    "mend_secret_missing": (
        "create it: `kubectl --namespace {namespace} create secret docker-registry {secret} …`"
    ),
    "mend_registry": (
        "check that the nodes can reach {registry}; or set an image in a registry that they "
        "can reach; or run `make save-bench` and import the file on each node"
    ),
    "mend_registry_trust": (
        "make the nodes' container runtime trust {registry} (containerd: a folder in "
        "/etc/containerd/certs.d); or set an image in a registry that they trust"
    ),
    "mend_own_registry": "try again later, or push the image to your own registry",
    "mend_nodes": "provide a Linux node that is ready and schedulable and has no NoSchedule taint",
    "mend_namespace": (
        "apply the manifest that `podmeter clusters manifest {capability}` prints; it creates "
        "the namespace"
    ),
    "mend_quota": "raise or remove the ResourceQuota of namespace {namespace} ({quota})",
    "mend_quota_demands": (
        "remove {demanded} from ResourceQuota {quota} in namespace {namespace} (measuring pods "
        "have no CPU limit on purpose), or use a namespace without that quota"
    ),
    "webhook_no_dry_run": (
        "the webhook {webhook} does not support dry run, so the preflight started real pods to "
        "check whether the cluster accepts them"
    ),
    "mend_dry_run": "set sideEffects of the webhook {webhook} to None or NoneOnDryRun",
    "webhook_silent": "the webhook {webhook} does not respond, so no pod can be created: {said}",
    "mend_webhook_silent": "repair the webhook {webhook}, or exempt Podmeter's namespaces from it",
    "mend_webhook_service": (
        "repair the Service {service} of the webhook {webhook}, or exempt Podmeter's "
        "namespaces from the webhook"
    ),
    "scc_refuses": (
        "no SecurityContextConstraints allow uid {uid} for {access} pods in namespace {namespace}"
    ),
    "mend_scc": (
        "oc adm policy add-scc-to-user {scc} --serviceaccount podmeter --namespace {namespace}"
    ),
    "policy_blocks": "NetworkPolicy {policy} blocks the traffic of measuring pods ({directions})",
    "mend_network_policy": (
        "delete NetworkPolicy {policy}; or, if you measure no NetworkPolicies, also apply this "
        "one: {{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {{name: "
        "podmeter-allow, namespace: {namespace}}}, spec: {{podSelector: {{}}, policyTypes: "
        "[Ingress, Egress], ingress: [{{}}], egress: [{{}}]}}}}"
    ),
    "mend_pod_security": (
        "set the enforced Pod Security level of namespace {namespace} to {level}; Podmeter's "
        "manifest does so"
    ),
    "mend_limit_range": (
        "remove min, max and maxLimitRequestRatio from the LimitRange of namespace {namespace} "
        "(measuring pods have no CPU limit on purpose)"
    ),
    "mend_limits": "remove the default limits from the LimitRange of namespace {namespace}",
    "mend_injector": "exclude namespace {namespace} from the sidecar injector",
    "mend_admission": "exempt namespace {namespace} from the admission webhook or policy",
    "mend_policy": (
        "if you changed the cluster's image or pull secret, apply Podmeter's manifest again; "
        "exempt namespace {namespace} from webhooks that change pods"
    ),
    "mend_webhook": "exempt namespace {namespace} from the webhook that changes pods",
    "mend_else": "make the cluster accept Podmeter's pods in namespace {namespace} unchanged",
}
