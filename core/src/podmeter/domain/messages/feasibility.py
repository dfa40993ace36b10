"""Obstacles to an experiment on a cluster, and what to do about it."""

SENTENCES = {
    "obstacle": "{cause}. To fix it: {remedy}",
    "left_out": (
        "{cases} cases are skipped on {cluster} ({values}): {cause}. To measure them: {remedy}"
    ),
    "left_out_cases": "some cases of each value",
    # What is known of the cluster.
    "preflight_missing": "{cluster} has not had a preflight",
    "preflight_failed": "the latest preflight of {cluster} failed: {why}",
    "preflight_old": "the latest preflight of {cluster} is {hours} h old",
    "fix_preflight": "run the preflight of {cluster}",
    "inside_unseen": "the preflight of {cluster} did not check the nodes from inside: {why}",
    "fix_restore": (
        "restore it on the page of {cluster}. Podmeter also tries by itself; that page shows "
        "why it fails"
    ),
    "fix_stood_before": (
        "restore the original mode, with the Podmeter that switched it or by hand on the page "
        "of {cluster}"
    ),
    "nothing_left_to_decide": (
        "without the cases that {cluster} cannot measure, the run would compare nothing, so there "
        "is nothing to decide"
    ),
    "fix_nothing_left_to_decide": (
        "remove what these cases are left out for, give an axis of modes two values, or set "
        "rounds instead of until_decided"
    ),
    "switch_not_allowed": (
        "{cluster} does not allow mode switches (allow_mode_switch), and the experiment "
        "switches {axes}"
    ),
    "fix_allow_mode_switch": ("allow mode switches on {cluster}, or allow switching by hand there"),
    "fix_allow_host_names": "allow host names on {cluster}, or leave host_name out",
    "fix_no_image": (
        "set the image of the measuring pods on {cluster}, or set BENCH_IMAGE for the whole "
        "installation"
    ),
    "fix_credential": "register a kubeconfig for {cluster} whose credentials are valid for longer",
    "capability_missing": (
        "the credentials of {cluster} lack {count} permissions of {capability}, such as: "
        "{verbs} {resource}"
    ),
    "fix_manifest": (
        "apply the manifest that `podmeter clusters manifest {capability}` prints to "
        "{cluster}, and run its preflight"
    ),
    # Nodes.
    "nodes_unfit": "no node of {cluster} can run measuring pods ({nodes})",
    "nodes_why": "{nodes}: {why}",
    "fix_taint": "remove the taint: kubectl taint nodes {node} {taint}-, or add a node without it",
    "fix_virtual": (
        "add a real machine as a node: {node} represents pods that run elsewhere ({taint})"
    ),
    "fix_ailing": (
        "fix the problem for which Kubernetes tainted {node} (kubectl describe node {node}); "
        "Kubernetes then removes {taint} by itself"
    ),
    "fix_not_ready": "make {node} ready (kubectl describe node {node} shows why it is not)",
    "fix_cordoned": "allow pods on it: kubectl uncordon {node}",
    "fix_not_linux": "add a Linux node to {cluster}",
    "fix_no_ipv4": (
        "give the nodes an internal IPv4 address, or measure another cluster: Podmeter does "
        "not support IPv6-only clusters"
    ),
    "fix_nodes": "add a Linux node to {cluster}",
    "second_node_missing": (
        "cases between nodes need two nodes that can run measuring pods; {cluster} has only {node}"
    ),
    "second_node_missing_why": (
        "cases between nodes need two nodes that can run measuring pods; {cluster} has only "
        "{node} ({nodes})"
    ),
    "fix_second_node": "add a second Linux node to {cluster}",
    "node_not_there": "{parameter} is set to {node}, which cannot run measuring pods on {cluster}",
    "fix_node_name": "use one of {nodes}",
    "architectures_unlike": (
        "{client} is {client_architecture} and {server} is {server_architecture}, so client "
        "and server would not be comparable"
    ),
    "fix_architectures": "choose client and server nodes of the same architecture: {nodes}",
    # Modes.
    "mode_fixed": "{axis} cannot be switched on {cluster}: {why}",
    "mode_unavailable": "{axis} {value} is not available on {cluster}: {why}",
    "mode_unknown": "{axis} {value} is not supported on {cluster}; supported: {values}",
    "mode_needs_two": "{axis} only matters between two nodes, and {cluster} has only {node}",
    "fix_leave_axis": "remove {axis} from the experiment, or register one cluster for each mode",
    "fix_leave_value": "remove {value} from {axis}",
    "fix_like_none": (
        "use none for {axis} instead of {value}, which has the same effect on this cluster"
    ),
    "fix_felix": (
        "set {name} to true in FelixConfiguration default, or remove {value} from the experiment"
    ),
    "fix_bgp": (
        "set nodeToNodeMeshEnabled to true in BGPConfiguration default, add a BGPPeer that "
        "knows the routes to pods, or remove {value} from the experiment"
    ),
    "fix_module": (
        "load the kernel module on {nodes} (modprobe {module}), or remove {value} from the "
        "experiment"
    ),
    "fix_kernel": (
        "run Linux 5.13 or newer with nf_tables on {nodes}, or remove {value} from the experiment"
    ),
    "fix_proxy_version": (
        "upgrade the cluster to Kubernetes 1.31 or newer, or remove {value} from the experiment"
    ),
    # Modes that somebody switches by hand.
    "fix_by_hand": (
        "{how}: allow switching by hand on {cluster}, and runs wait until you have done it; or "
        "register one cluster for each mode, and remove {axis} from the experiment"
    ),
    "mode_by_hand": (
        "{axis} is switched by hand on {cluster}: for each of {modes} the run waits up to "
        "{minutes} min for somebody to switch it"
    ),
    "switched_on_nodes": (
        "{axis} is switched only on {nodes} of {cluster}: kube-proxy on its {spared} other "
        "nodes stays unchanged"
    ),
    "switched_everywhere": "{axis} is switched on all nodes of {cluster} ({nodes}): {why}",
    "any_node_asked": "traffic from outside, or through an Ingress, may pass through any node",
    "every_node_measures": "all nodes are measured",
    "fix_other_nodes": "to leave these nodes alone, choose other nodes in the experiment",
    "fix_quiet_time": "choose a time at which Services may be interrupted on every node",
    "fix_at_hand": "be ready to do this when the run asks for it: {how}",
    "by_hand_cannot": (
        "{axes} is switched by hand on {cluster}, and {what} needs a switch by Podmeter"
    ),
    "fix_leave_out": "remove {what} from the experiment",
    "how_proxy_flag": (
        "start each node's k3s or RKE2 service with --kube-proxy-arg=proxy-mode={mode} (kube-proxy-"
        "arg in its config.yaml), and restart it"
    ),
    "how_flannel_flag": (
        "start each server's k3s service with --flannel-backend={mode} (flannel-backend in its "
        "config.yaml), and restart the service of every node"
    ),
    "how_provider_proxy": (
        "set kube-proxy's mode to {mode} through {provider} (on AKS: az aks update "
        "--kube-proxy-config)"
    ),
    "how_proxy_elsewhere": (
        "set kube-proxy's mode to {mode} where it is configured (--proxy-mode, or mode in its "
        "configuration), and restart it on every node. When you switch to or from ipvs, also "
        "remove the other mode's rules (kube-proxy --cleanup)"
    ),
    "how_proxy_config": (
        'set mode: "{mode}" in kube-proxy\'s configuration, and restart it on every node '
        "(kubectl -n kube-system rollout restart daemonset kube-proxy). When you switch to or "
        "from ipvs, also remove the other mode's rules (kube-proxy --cleanup)"
    ),
    "how_network_config": (
        "set the encapsulation to {mode} in the pod network's configuration, restart its "
        "agents, and recreate the pods of the pod network"
    ),
    "fix_provider": (
        "choose the mode when you create the cluster, use one cluster for each mode, and "
        "remove {axis} from the experiment"
    ),
    # Room and clients.
    "no_room": "{cluster} has room for {free} more Services, but the experiment adds {needed}",
    "fix_room": "remove rungs above {free} from the experiment, or free addresses and node ports",
    "fix_outside": (
        "declare a worker as the client outside the cluster (PODMETER_OUTSIDE_CLIENT), or "
        "remove these cases from the experiment"
    ),
}
