"""Why a mode cannot be switched, or is not in effect."""

SENTENCES = {
    "axis_not_switchable": "{axis} cannot be switched here ({reasons})",
    "no_switcher": "no component is known that could",
    "by_component": "{component}: {why}",
    "value_unknown": "{component} has no {value}, only {values}",
    "value_impossible": "{component} cannot be switched to {value}: {why}",
    "values_known": "only {values} are known here",
    "config_map_missing": "there is no ConfigMap {name} to change",
    "config_map_empty": "ConfigMap {name} holds no configuration in {key}",
    "config_map_no_backend": "ConfigMap {name} holds no backend in {key}",
    "modes_unlike": "kube-proxy's mode differs between nodes ({modes})",
    "proxy_too_old": "kube-proxy {version} is too old for it; 1.31 is the first",
    "proxy_silent": "kube-proxy on {node} does not tell: {said}",
    "periods_unwritable": (
        "kube-proxy's configuration has its section {section} written in a way that Podmeter "
        "cannot change; write it as a block of lines, or leave the sync periods out"
    ),
    "periods_order": (
        "kube-proxy refuses a minSyncPeriod ({least} s) above its syncPeriod ({period} s), as "
        "section {section} would have them; set both parameters"
    ),
    "periods_not_in_effect": ("kube-proxy on {node} runs with a period of {seen} s, not {seconds}"),
    "proxy_and_kernel": "kube-proxy on {node} says {told}, its kernel holds {held}",
    "nodes_alone_config": (
        "kube-proxy's configuration is not in key {key} of ConfigMap {name}, of which Podmeter "
        "could make a copy for single nodes"
    ),
    "nodes_alone_mount": (
        "DaemonSet kube-proxy mounts no ConfigMap {name}, of which Podmeter could make a copy for "
        "single nodes"
    ),
    "nodes_alone_rights": (
        "the rights to switch single nodes are missing ({right}); apply the manifest of "
        "`podmeter rbac switch_modes` again"
    ),
    "nodes_unlabelled": "node {nodes} has no label {label}, by which kube-proxy is kept off it",
    "proxy_syncs": "kube-proxy on {node} is writing its rules",
    "iptables_left": "rules of the iptables mode stand on {node} beside IPVS",
    "node_in_mode": "{node} is in {mode} mode",
    "proxy_elsewhere": (
        "kube-proxy runs as DaemonSet {where}, which Podmeter does not know how to set"
    ),
    "proxy_built_in": (
        "kube-proxy is built into {version}; its mode is a flag of each node's service"
    ),
    "proxy_replaced": "{by} takes kube-proxy's place",
    "proxy_of_provider": "kube-proxy's settings belong to {provider}, which puts its own back",
    "proxy_static": (
        "kube-proxy runs as a static pod that {provider} writes on each node, so that its mode "
        "cannot be switched"
    ),
    "network_fixed": (
        "the pod network is {network}, whose encapsulation ({wraps}) cannot be switched"
    ),
    "flannel_built_in": (
        "flannel is built into {version} (backend {backend}); its backend is a flag of each node's "
        "service"
    ),
    "proxy_absent": "there is no DaemonSet {name}; kube-proxy is absent or embedded",
    "flannel_elsewhere": (
        "flannel runs as DaemonSet {where}, which Podmeter does not know how to set"
    ),
    "flannel_absent": ("there is no DaemonSet {name}; this cluster's pod network is not flannel's"),
    "flannel_too_old": "flannel {version} is too old for it; 0.16 is the first",
    "flannel_pre_shared_key": (
        "ConfigMap {name} has a pre-shared key (PSK) for WireGuard, which Podmeter would have to "
        "keep to put it back; take it out, or register one cluster for each mode instead"
    ),
    "no_pod_range": "{nodes} has no range of pod addresses",
    "node_no_pod_range": "node {node} has no range of pod addresses",
    "backends_unlike": "flannel's backend differs between nodes ({backends})",
    "ways_unlike": "{node} reaches pods in different ways ({ways})",
    "packets_through": "packets of {node} go through {backend}",
    "device_left": "{devices} is left on {node}",
    "flannel_says": "flannel on {node} says {told}",
    "no_route_to_pods": "{node} has no route to the pods of {nodes}",
    "through_router": "{node} reaches {peer} through a router, not on one network",
    # Calico.
    "calico_absent": "there is no DaemonSet {name}; this cluster's pod network is not Calico's",
    "calico_elsewhere": (
        "Calico runs as DaemonSet {where}, which Podmeter does not know how to set"
    ),
    "calico_canal": (
        "DaemonSet {where} has Calico's policies on flannel's network, whose backend that is"
    ),
    "calico_etcd": (
        "Calico keeps its objects in an etcd of its own, not in Kubernetes, where Podmeter could "
        "change them"
    ),
    "calico_other_plugin": "Calico makes policies here; the pod network is {plugin}'s",
    "calico_bpf": (
        "Calico's eBPF dataplane forwards packets by programs, so that the nodes' routes do not "
        "show how they go"
    ),
    "calico_dataplane": (
        "Calico's dataplane {dataplane} forwards packets itself, so that the nodes' routes do not "
        "show how they go"
    ),
    "calico_wireguard": (
        "WireGuard is enabled in FelixConfiguration: packets are wrapped in that, whatever the "
        "pools say"
    ),
    "calico_no_networking": (
        "calico-node runs with CALICO_NETWORKING_BACKEND={backend}: it makes no routes"
    ),
    "calico_no_bgp": (
        "its routes are made by BGP, which calico-node does not speak here "
        "(CALICO_NETWORKING_BACKEND={backend})"
    ),
    "calico_host_local": "host-local gives pods their addresses, with which Calico has no VXLAN",
    "calico_told_elsewhere": (
        "calico-node takes {name} from {where}, which Podmeter has no right to read"
    ),
    "calico_not_allowed": (
        "the rights to read or change Calico's objects are missing ({said}); apply the manifest of "
        "`podmeter clusters manifest switch_modes` anew"
    ),
    "felix_off": "FelixConfiguration sets {name} to false; without that the pools decide",
    "felix_keeps_tunnel": (
        "FelixConfiguration sets {name} to true, so that pods keep that tunnel's smaller MTU in "
        "every mode; without that the pools decide"
    ),
    "felix_keeps_tunnel_itself": (
        "FelixConfiguration sets {name} to true, which an older Calico may have written by itself; "
        "pods keep that tunnel's smaller MTU in every mode"
    ),
    "felix_decides": (
        "before Calico 3.23 Felix wraps packets in {value} only where FelixConfiguration sets "
        "{name} to true, whatever the pools say"
    ),
    "calico_nobody_routes": (
        "no node would know the way to another one's pods: BGPConfiguration default sets "
        "nodeToNodeMeshEnabled to false, and there is no BGPPeer"
    ),
    "no_way_to_pods": (
        "{node} has no route to the pods of {peer} besides its default one, and does not reach them"
    ),
    "pool_keeps_tunnel": (
        "IPPool {pool}, which is not switched, keeps {tunnel} in use, and pods its smaller MTU"
    ),
    "no_pools": "there is no enabled IPv4 IPPool that pods get addresses from",
    "pools_unlike": (
        "IPPools differ ({pools}), so that the way of a packet depends on the pod; Podmeter "
        "switches pools that are alike"
    ),
    "pool_modes_both": "IPPool {pool} has both ipipMode and vxlanMode",
    "pool_in_mode": "IPPool {pool} is set to {mode}",
    "pool_unreadable": "IPPool {pool} has an annotation {key} that cannot be read",
    "pool_not_installed": (
        "IPPool {pool} belongs to Calico's operator, but its Installation lists no pool {cidr}"
    ),
    "installation_changed": "Calico's Installation lists no pool {cidrs} any more",
    "operator_no_api": (
        "Calico's operator changes no IPPool while {group} is not served: the resource APIServer "
        "of operator.tigera.io has it served"
    ),
    "operator_degraded": "Calico's operator says of {name}: {said}",
    "one_subnet": (
        "all nodes are in one subnet, where {value} wraps nothing: it could not be told from {like}"
    ),
    "all_subnets": (
        "each node is in a subnet of its own, where {value} wraps everything: it could not be told "
        "from {like}"
    ),
    "node_no_subnet": "node {node} does not tell its subnet by the annotation {key}",
    "no_pods_apart": "no node has a pod that another one could reach, so no packet's way is seen",
    "way_unlike": "packets of {node} to pods on {peer} go by {device}, not as in mode {value}",
    "device_missing": "there is no {device} on {node}",
    "pod_mtu": "pods on {node} have MTU {mtus}, not {expected}",
    # Cilium.
    "cilium_absent": "there is no DaemonSet {name}; this cluster's pod network is not Cilium's",
    "cilium_elsewhere": "Cilium runs as DaemonSet {where}, which Podmeter does not know how to set",
    "cilium_not_allowed": (
        "the rights to read or change Cilium's objects are missing ({said}); apply the manifest "
        "of `podmeter clusters manifest switch_modes` anew"
    ),
    "cilium_ipam": (
        "with ipam: {ipam} pods' addresses belong to the cloud's network or to no range of their "
        "node, and Cilium's settings alone do not decide how packets go; register one cluster for "
        "each mode instead"
    ),
    "cilium_no_ipv4": "enable-ipv4 is false, and Podmeter sees how packets go by IPv4",
    "cilium_chained": (
        "Cilium is chained to another CNI (cni-chaining-mode: {mode}), whose affair it is how "
        "packets cross nodes"
    ),
    "cilium_mesh": (
        "the cluster is one of a mesh (cluster-id: {id}), whose clusters must all cross nodes "
        "alike; switch a cluster that is in none"
    ),
    "cilium_encrypted": (
        "{key} is true: packets are wrapped in that whatever the routing, so that two modes would "
        "not differ by what they are called; switch it off to compare them"
    ),
    "cilium_keeps_tunnel": (
        "{key} keeps a tunnel in use in native routing too; switch it off to compare modes"
    ),
    "cilium_both": (
        "{keys} are both set, of which only one may be: remove the one that does not hold"
    ),
    "cilium_unknown": "Cilium knows no such routing ({settings})",
    "cilium_routed_elsewhere": (
        "native routing stands with {key} off, so that the network or a BGP speaker knows the way "
        "to pods, which Podmeter can neither see nor put back; register one cluster for each mode "
        "instead"
    ),
    "cilium_native_alone": (
        "{key} is for native routing alone; Cilium's agent ends where both are set"
    ),
    "cilium_vxlan_alone": "{key} is for VXLAN alone",
    "cilium_no_cidr": (
        "{key} is not set in cilium-config: set it to the range of all pods' addresses, which "
        "changes nothing until packets are routed natively"
    ),
    "cilium_cidr_unreadable": (
        "{key} in cilium-config is {text}, which is no range of IPv4 addresses"
    ),
    "cilium_cidr_lacks": (
        "the range for native routing, {cidr}, leaves out pods on {node} ({address}), to which "
        "addresses would be translated; set ipv4-native-routing-cidr to the range of all pods"
    ),
    "cilium_told_by_flag": (
        "Cilium's agent is told by {name} in its DaemonSet, which goes before cilium-config; move "
        "that there"
    ),
    "cilium_node_config": (
        "CiliumNodeConfig {name} sets {keys} for some nodes, past cilium-config; remove these "
        "from it"
    ),
    "cilium_node_told": (
        "node {node} has annotations of its own for {keys}, past cilium-config; remove these"
    ),
    "cilium_set_back": "somebody has set {name} back: it does not say {value} any more",
    # kube-router.
    "kube_router_absent": (
        "there is no DaemonSet {name}; this cluster's pod network is not kube-router's"
    ),
    "kube_router_elsewhere": (
        "kube-router runs as DaemonSet {where}, which Podmeter does not know how to set"
    ),
    "kube_router_not_allowed": (
        "the right to change kube-router's DaemonSet is missing ({said}); apply the manifest of "
        "`podmeter clusters manifest switch_modes` anew"
    ),
    "kube_router_command": (
        "kube-router is started by {command}, which may set more than its arguments show; have "
        "its DaemonSet start kube-router itself"
    ),
    "kube_router_unreadable": (
        "kube-router's arguments {args} do not show what they set; write each as --name=value"
    ),
    "kube_router_no_routes": "kube-router makes no routes here (--{name}={text})",
    "kube_router_no_pods": (
        "kube-router gives pods no addresses here (--{name}={text}); the pod network is another's"
    ),
    "kube_router_no_mesh": (
        "kube-router's nodes tell each other no routes (--{name}={text}): routers outside the "
        "cluster decide how packets cross nodes, which Podmeter can neither see nor put back"
    ),
    "kube_router_encap": (
        "kube-router wraps packets in {encap} (--overlay-encap), which Podmeter does not switch; "
        "ipip is what it does"
    ),
    "kube_router_set_back": (
        "somebody has set DaemonSet {name} back: it does not say {value} any more"
    ),
    "rule_left": "the rule of an overlay for {pods} is left on {node}",
    "pod_older": "pod {pod} is older than the agent on its node",
    "daemon_set_rolls": "DaemonSet {name} is being rolled, or not ready on every node",
    "no_route": "{node} has no route there: {said}",
    "pods_alone": ("{pods}: no controller would create them anew, so they would keep the old MTU"),
    "pods_alone_more": (
        "{pods} and others: no controller would create them anew, so they would keep the old MTU"
    ),
    "podmeter_inside": (
        "Podmeter itself runs in this cluster, on its pod network ({pods}): those pods would be "
        "created anew in the middle of the switch, the one that switches and its database among "
        "them. A Podmeter outside this cluster can switch it"
    ),
    "kernel_no_ipvs": "the kernel of {nodes} has no ip_vs",
    "kernel_no_nftables": "the kernel of {nodes} has no nf_tables, or is older than 5.13",
    "kernel_no_vxlan": "the kernel of {nodes} has no vxlan",
    "kernel_no_geneve": "the kernel of {nodes} has no geneve",
    "kernel_no_ipip": "the kernel of {nodes} has no ipip",
    "kernel_no_wireguard": "the kernel of {nodes} has no wireguard",
    "kernel_no_tun": "the kernel of {nodes} has no tun",
    "nodes_left": "put right on every node but {nodes}, not ready now: there it is once they are",
    "node_mode_unseen": "node {node} is not ready, so its mode cannot be seen",
    "hosts_unseen": "modes are seen on the nodes, and host access is not allowed",
    # What happened to what brings a mode about.
    "touched_daemon_set": "DaemonSet {name} was changed or made anew",
    "touched_config_map": "the configuration of DaemonSet {name} was changed",
    "touched_pod": "the pod of DaemonSet {name} on {node} is gone",
    "touched_container": "the pod of DaemonSet {name} on {node} was restarted",
    # What stood before a switch.
    "stood_before": (
        "{axis} is switched still, by {component}: {holder} noted on {since} that {values} stood "
        "before, and nobody has put it back"
    ),
    "note_unreadable": (
        "{name} has an annotation {key} that cannot be read: see what stood before, put it back, "
        "and remove the annotation"
    ),
    "saved_unusable": "what stood before is no configuration of {component}",
    "component_gone": "the configuration of {component} is not there any more",
    # What was waited for.
    "still_not": "after {seconds} s still not: {what}",
    "still_not_for": "after {seconds} s still not: {what}; {wrong}",
    "wait_proxy_mode": "kube-proxy is in {mode} mode on every node",
    "wait_flannel_backend": "flannel's backend is {backend} on every node",
    "wait_pools": "every IPPool is set to {value}",
    "wait_calico_mode": "packets go between all nodes as in mode {value}",
    "wait_cilium_mode": "Cilium's packets go between all nodes as in mode {value}",
    "wait_kube_router_mode": "kube-router's packets go between all nodes as in mode {value}",
    "wait_pod_mtu": "pods have the MTU of the new backend",
}
