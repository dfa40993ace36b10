"""What stands against an experiment on a cluster, and what to do about it."""

SENTENCES = {
    "obstacle": "{cause}. To fix it: {remedy}",
    "left_out": (
        "{cases} cases are left out on {cluster} ({values}): {cause}. To measure them: {remedy}"
    ),
    "left_out_cases": "part of each value",
    # What is known of the cluster.
    "preflight_missing": "{cluster} has had no preflight yet",
    "preflight_failed": "the latest preflight of {cluster} failed: {why}",
    "preflight_old": "the latest preflight of {cluster} is {hours} h old",
    "fix_preflight": "run the preflight of {cluster}",
    "inside_unseen": "the preflight of {cluster} did not look inside the nodes: {why}",
    "fix_restore": (
        "restore it on the page of {cluster}; Podmeter also tries by itself, and says there what "
        "it fails with"
    ),
    "fix_stood_before": (
        "put that back, by the Podmeter that switched it or by hand on the page of {cluster}"
    ),
    "switch_not_allowed": (
        "{cluster} does not allow mode switches (allow_mode_switch), and the experiment switches "
        "{axes}"
    ),
    "fix_allow_mode_switch": ("allow mode switches on {cluster}, or allow switching by hand there"),
    "fix_allow_host_names": "allow host names on {cluster}, or leave host_name out",
    "fix_no_image": (
        "set the image of the measuring pods of {cluster}, or BENCH_IMAGE for the installation"
    ),
    "fix_credential": "give {cluster} a kubeconfig whose credentials last longer",
    "capability_missing": (
        "the credentials of {cluster} lack {count} rights of {capability}, such as to {verbs} "
        "{resource}"
    ),
    "fix_manifest": (
        "apply the manifest of `podmeter clusters manifest {capability}` to {cluster} and run its "
        "preflight"
    ),
    # Nodes.
    "nodes_unfit": "no node of {cluster} takes measuring pods ({nodes})",
    "nodes_why": "{nodes}: {why}",
    "fix_taint": "remove the taint: kubectl taint nodes {node} {taint}-, or add a node without it",
    "fix_virtual": (
        "add a node that is a machine: {node} stands for pods that run elsewhere ({taint})"
    ),
    "fix_ailing": (
        "mend what Kubernetes has tainted {node} for (kubectl describe node {node}); it takes "
        "{taint} away by itself"
    ),
    "fix_not_ready": "make {node} ready (kubectl describe node {node} says why it is not)",
    "fix_cordoned": "allow pods on it: kubectl uncordon {node}",
    "fix_not_linux": "add a Linux node to {cluster}",
    "fix_no_ipv4": (
        "give nodes an internal IPv4 address, or measure a cluster that has them: Podmeter does "
        "not support IPv6 alone yet"
    ),
    "fix_nodes": "add a Linux node to {cluster}",
    "second_node_missing": (
        "cases between nodes need a second node that takes measuring pods; {cluster} has {node} "
        "alone"
    ),
    "second_node_missing_why": (
        "cases between nodes need a second node that takes measuring pods; {cluster} has {node} "
        "alone ({nodes})"
    ),
    "fix_second_node": "add a second Linux node to {cluster}",
    "node_not_there": "{parameter} names {node}, which takes no measuring pods on {cluster}",
    "fix_node_name": "name one of {nodes}",
    "architectures_unlike": (
        "{client} is {client_architecture} and {server} is {server_architecture}, so that the ends "
        "of the traffic would not be alike"
    ),
    "fix_architectures": "name client and server nodes of one architecture: {nodes}",
    # Modes.
    "mode_fixed": "{axis} cannot be switched on {cluster}: {why}",
    "mode_unavailable": "{axis} cannot be {value} on {cluster}: {why}",
    "mode_unknown": "{axis} has no {value} on {cluster}, only {values}",
    "mode_needs_two": "{axis} shows between two nodes alone, and {cluster} has {node} alone",
    "fix_leave_axis": "leave {axis} out, or measure one cluster for each mode",
    "fix_leave_value": "leave {value} out of {axis}",
    "fix_like_none": "name none on {axis} instead of {value}, which does the same here",
    "fix_felix": "set {name} to true in FelixConfiguration default, or leave {value} out",
    "fix_bgp": (
        "set nodeToNodeMeshEnabled to true in BGPConfiguration default, add a BGPPeer that knows "
        "the way to pods, or leave {value} out"
    ),
    "fix_module": "load the kernel module on {nodes}: modprobe {module}, or leave {value} out",
    "fix_kernel": "run Linux 5.13 or newer with nf_tables on {nodes}, or leave {value} out",
    "fix_proxy_version": "update the cluster to Kubernetes 1.31 or newer, or leave {value} out",
    # Modes that somebody switches by hand.
    "fix_by_hand": (
        "{how}: allow switching by hand on {cluster}, and a run waits until it is done; or measure "
        "one cluster for each mode, and leave {axis} out"
    ),
    "mode_by_hand": (
        "{axis} is switched by hand on {cluster}: at each of {modes} the run waits up to {minutes} "
        "min until somebody has done it"
    ),
    "switched_on_nodes": (
        "{axis} is switched on {nodes} of {cluster} alone: its {spared} other nodes keep their "
        "kube-proxy as it is"
    ),
    "switched_everywhere": "{axis} is switched on all nodes of {cluster} ({nodes}): {why}",
    "any_node_asked": "any node may pass on what is asked from outside, or through an Ingress",
    "every_node_measures": "all of them measure",
    "fix_other_nodes": "to spare these nodes, name others in the experiment",
    "fix_quiet_time": "choose a time at which Services may be interrupted on every node",
    "fix_at_hand": "be ready to do this when the run asks for it: {how}",
    "by_hand_cannot": (
        "{axes} is switched by hand on {cluster}, and {what} takes a switch by Podmeter itself"
    ),
    "fix_leave_out": "leave {what} out",
    "how_proxy_flag": (
        "start each node's k3s or RKE2 service with --kube-proxy-arg=proxy-mode={mode} (kube-proxy-"
        "arg in its config.yaml), and restart it"
    ),
    "how_flannel_flag": (
        "start each server's k3s service with --flannel-backend={mode} (flannel-backend in its "
        "config.yaml), and restart the service of every node"
    ),
    "how_provider_proxy": (
        "have {provider} set kube-proxy's mode to {mode} (on AKS: az aks update "
        "--kube-proxy-config)"
    ),
    "how_proxy_elsewhere": (
        "set kube-proxy's mode to {mode} where it is configured (--proxy-mode, or mode in its "
        "configuration), and restart it on every node; to and from ipvs remove the other mode's "
        "rules (kube-proxy --cleanup)"
    ),
    "how_proxy_config": (
        'set mode: "{mode}" in kube-proxy\'s configuration, and restart it on every node (kubectl '
        "-n kube-system rollout restart daemonset kube-proxy); to and from ipvs remove the other "
        "mode's rules (kube-proxy --cleanup)"
    ),
    "how_network_config": (
        "set the encapsulation to {mode} in the pod network's configuration, restart its agents, "
        "and create the pods of the pod network again"
    ),
    "fix_provider": (
        "choose the mode where the cluster is made, one cluster for each mode, and leave {axis} out"
    ),
    # Room and clients.
    "no_room": "{cluster} has room for {free} more Services, and the experiment adds {needed}",
    "fix_room": "leave rungs above {free} out, or free addresses and node ports",
    "fix_outside": (
        "declare a worker as a client outside (PODMETER_OUTSIDE_CLIENT), or leave these cases out"
    ),
}
