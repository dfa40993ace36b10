"""Why a mode cannot be switched, or is not in effect."""

SENTENCES = {
    "axis_not_switchable": "{axis} cannot be switched on this cluster ({reasons})",
    "no_switcher": "Podmeter knows no component here that it could switch",
    "by_component": "{component}: {why}",
    "value_unknown": "{component} does not support {value}; supported: {values}",
    "value_impossible": "{component} cannot be switched to {value}: {why}",
    "values_known": "Podmeter supports only {values}",
    "config_map_missing": "the ConfigMap {name} is missing",
    "config_map_empty": "ConfigMap {name} has no configuration in {key}",
    "config_map_no_backend": "ConfigMap {name} sets no backend in {key}",
    "modes_unlike": "kube-proxy runs in different modes on different nodes ({modes})",
    "proxy_too_old": "kube-proxy {version} is too old; this mode needs 1.31 or newer",
    "proxy_silent": "kube-proxy on {node} does not report its mode: {said}",
    "periods_unwritable": (
        "Podmeter cannot change section {section} of kube-proxy's configuration because of its "
        "format; write it with one key per line, or remove the sync periods from the experiment"
    ),
    "periods_order": (
        "kube-proxy rejects a minSyncPeriod ({least} s) above its syncPeriod ({period} s), "
        "which section {section} would then have; set both parameters"
    ),
    "periods_not_in_effect": ("kube-proxy on {node} runs with a period of {seen} s, not {seconds}"),
    "proxy_and_kernel": "kube-proxy on {node} reports {told}, but its kernel holds {held}",
    "nodes_alone_config": (
        "kube-proxy's configuration is not in key {key} of ConfigMap {name}, so Podmeter "
        "cannot copy it for single nodes"
    ),
    "nodes_alone_mount": (
        "DaemonSet kube-proxy does not mount ConfigMap {name}, so Podmeter cannot copy its "
        "configuration for single nodes"
    ),
    "nodes_alone_rights": (
        "permissions to switch single nodes are missing ({right}); apply the manifest that "
        "`podmeter rbac switch_modes` prints again"
    ),
    "nodes_unlabelled": (
        "these nodes lack the label {label}: {nodes}. Podmeter keeps the cluster's kube-proxy"
        " off the measured nodes by this label's value. Add it to each node, with the node's "
        "host name"
    ),
    "proxy_syncs": "kube-proxy on {node} is writing its rules",
    "iptables_left": "{node} still has rules of the iptables mode next to IPVS",
    "node_in_mode": "{node} is in {mode} mode",
    "proxy_elsewhere": "kube-proxy runs as DaemonSet {where}, which Podmeter cannot configure",
    "proxy_built_in": (
        "kube-proxy is built into {version}; its mode is a flag of each node's service"
    ),
    "proxy_replaced": "{by} replaces kube-proxy",
    "proxy_of_provider": "{provider} manages kube-proxy's settings and reverts changes to them",
    "proxy_static": (
        "{provider} runs kube-proxy as a static pod on each node, so its mode cannot be switched"
    ),
    "network_fixed": (
        "the pod network is {network}, and its encapsulation ({wraps}) cannot be switched"
    ),
    "flannel_built_in": (
        "flannel is built into {version} (backend {backend}); its backend is a flag of each node's "
        "service"
    ),
    "proxy_absent": (
        "the DaemonSet {name} is missing; kube-proxy is absent, or built into another program"
    ),
    "flannel_elsewhere": "Flannel runs as DaemonSet {where}, which Podmeter cannot configure",
    "flannel_absent": "the DaemonSet {name} is missing; this cluster's pod network is not Flannel",
    "flannel_too_old": "Flannel {version} is too old; this backend needs 0.16 or newer",
    "flannel_pre_shared_key": (
        "ConfigMap {name} contains a pre-shared key (PSK) for WireGuard, which Podmeter would "
        "have to store to restore it; remove the key, or register one cluster for each mode"
    ),
    "no_pod_range": "nodes without a pod address range: {nodes}",
    "node_no_pod_range": "node {node} has no pod address range",
    "backends_unlike": "Flannel runs with different backends on different nodes ({backends})",
    "ways_unlike": (
        "{node} reaches the pods of other nodes through different devices ({ways}), so its "
        "mode is unclear. Restart the pod network's pod on that node, and check that all "
        "nodes have the same configuration"
    ),
    "packets_through": "packets of {node} go through {backend}",
    "device_left": "a device of the previous mode still exists on {node}: {devices}",
    "flannel_says": "Flannel on {node} reports {told}",
    "no_route_to_pods": "{node} has no route to the pods of {nodes}",
    "through_router": "{node} reaches {peer} through a router, not on one network",
    # Calico.
    "calico_absent": "the DaemonSet {name} is missing; this cluster's pod network is not Calico",
    "calico_elsewhere": "Calico runs as DaemonSet {where}, which Podmeter cannot configure",
    "calico_canal": (
        "DaemonSet {where} combines Calico's policies with Flannel's network (Canal), where "
        "Flannel decides the encapsulation"
    ),
    "calico_etcd": (
        "Calico stores its objects in its own etcd, not in Kubernetes, so Podmeter cannot "
        "change them"
    ),
    "calico_other_plugin": "Calico only enforces policies here; the pod network is {plugin}",
    "calico_bpf": (
        "Calico's eBPF dataplane forwards packets without the nodes' routes, so Podmeter "
        "cannot verify the encapsulation"
    ),
    "calico_dataplane": (
        "Calico's dataplane {dataplane} forwards packets without the nodes' routes, so "
        "Podmeter cannot verify the encapsulation"
    ),
    "calico_wireguard": (
        "FelixConfiguration enables WireGuard, which encapsulates packets in every mode of the "
        "pools"
    ),
    "calico_no_networking": (
        "calico-node runs with CALICO_NETWORKING_BACKEND={backend}, so it creates no routes"
    ),
    "calico_no_bgp": (
        "this mode needs routes from BGP, which calico-node does not run here "
        "(CALICO_NETWORKING_BACKEND={backend})"
    ),
    "calico_host_local": (
        "pods get their addresses from host-local, which Calico does not support with VXLAN"
    ),
    "calico_told_elsewhere": (
        "calico-node reads {name} from {where}, which Podmeter has no permission to read"
    ),
    "calico_not_allowed": (
        "permissions to read or change Calico's objects are missing ({said}); apply the "
        "manifest that `podmeter clusters manifest switch_modes` prints again"
    ),
    "felix_off": (
        "FelixConfiguration sets {name} to false, which overrides the pools; remove that setting"
    ),
    "felix_keeps_tunnel": (
        "FelixConfiguration sets {name} to true, so pods keep the smaller MTU of that tunnel "
        "in every mode; remove that setting so that the pools decide"
    ),
    "felix_keeps_tunnel_itself": (
        "FelixConfiguration sets {name} to true (an older Calico may have set it), so pods "
        "keep the smaller MTU of that tunnel in every mode"
    ),
    "felix_decides": (
        "before version 3.23 Calico uses {value} only if FelixConfiguration sets {name} to "
        "true, whatever the pools are set to"
    ),
    "calico_nobody_routes": (
        "the nodes would have no routes to each other's pods: BGPConfiguration default sets "
        "nodeToNodeMeshEnabled to false, and there is no BGPPeer"
    ),
    "no_way_to_pods": (
        "{node} has only its default route to the pods of {peer}, and cannot reach them"
    ),
    "pool_keeps_tunnel": (
        "pods keep the smaller MTU of {tunnel}, because another IPPool, {pool}, still uses it"
        " and Podmeter does not switch that pool"
    ),
    "no_pools": "there is no enabled IPv4 IPPool from which pods get addresses",
    "pools_unlike": (
        "the IPPools have different modes ({pools}), so the encapsulation depends on the pod; "
        "Podmeter switches only pools with the same mode"
    ),
    "pool_modes_both": "IPPool {pool} sets both ipipMode and vxlanMode",
    "pool_in_mode": "IPPool {pool} is set to {mode}",
    "pool_unreadable": "IPPool {pool} has an annotation {key} that Podmeter cannot read",
    "pool_not_installed": (
        "the Tigera operator manages IPPool {pool}, but its Installation lists no pool {cidr}"
    ),
    "installation_changed": "Calico's Installation no longer lists the pool {cidrs}",
    "operator_no_api": (
        "the Tigera operator changes no IPPool until {group} is served; create the resource "
        "APIServer of operator.tigera.io"
    ),
    "operator_degraded": "the Tigera operator reports that {name} is degraded: {said}",
    "one_subnet": (
        "all nodes are in one subnet, where {value} encapsulates nothing, so it cannot be "
        "distinguished from {like}"
    ),
    "all_subnets": (
        "{value} encapsulates only between subnets. Here each node is in a subnet of its own,"
        " so it would encapsulate everything, as {like} does: measure {like}"
    ),
    "node_no_subnet": "node {node} has no annotation {key} with its subnet",
    "no_pods_apart": (
        "no two nodes have pods that can reach each other, so Podmeter cannot check how "
        "packets travel"
    ),
    "way_unlike": (
        "packets from {node} to pods on {peer} go through {device}, which does not match mode "
        "{value}"
    ),
    "device_missing": "device {device} is missing on {node}",
    "pod_mtu": "pods on {node} have MTU {mtus}; expected {expected}",
    # Cilium.
    "cilium_absent": "the DaemonSet {name} is missing; this cluster's pod network is not Cilium",
    "cilium_elsewhere": "Cilium runs as DaemonSet {where}, which Podmeter cannot configure",
    "cilium_not_allowed": (
        "permissions to read or change Cilium's objects are missing ({said}); apply the "
        "manifest that `podmeter clusters manifest switch_modes` prints again"
    ),
    "cilium_ipam": (
        "with ipam: {ipam}, pod addresses do not come from a range of their node, so Cilium's "
        "settings alone do not decide how packets travel; register one cluster for each mode"
    ),
    "cilium_no_ipv4": "enable-ipv4 is false, and Podmeter verifies the packets' path over IPv4",
    "cilium_chained": (
        "Cilium is chained to another CNI plugin (cni-chaining-mode: {mode}), which decides "
        "how packets cross nodes"
    ),
    "cilium_mesh": (
        "the cluster belongs to a cluster mesh (cluster-id: {id}), whose clusters must all use "
        "the same routing; switch a cluster that is in no mesh"
    ),
    "cilium_encrypted": (
        "{key} is true, so packets are encapsulated by it in every routing mode and the modes "
        "would hardly differ; turn it off to compare modes"
    ),
    "cilium_keeps_tunnel": (
        "{key} keeps a tunnel in use even with native routing; turn it off to compare modes"
    ),
    "cilium_both": "{keys} are both set, but only one may be; remove the ineffective one",
    "cilium_unknown": "Cilium does not support this routing ({settings})",
    "cilium_routed_elsewhere": (
        "native routing is on and {key} is off, so the network or a BGP speaker provides the "
        "routes to pods. Podmeter can neither check nor restore those; register one cluster "
        "for each mode"
    ),
    "cilium_native_alone": (
        "{key} works only with native routing; Cilium's agent stops if both are set"
    ),
    "cilium_vxlan_alone": "{key} works only with VXLAN",
    "cilium_no_cidr": (
        "{key} is not set in cilium-config: set it to the address range of all pods. This has "
        "no effect until native routing is used"
    ),
    "cilium_cidr_unreadable": (
        "{key} in cilium-config is {text}, which is not an IPv4 range in CIDR notation"
    ),
    "cilium_cidr_lacks": (
        "the native routing range {cidr} does not include pods on {node} ({address}), so "
        "traffic to them would be translated (NAT); set ipv4-native-routing-cidr to the "
        "address range of all pods"
    ),
    "cilium_told_by_flag": (
        "the argument {name} in Cilium's DaemonSet overrides cilium-config; move the setting "
        "to cilium-config"
    ),
    "cilium_node_config": (
        "CiliumNodeConfig {name} overrides {keys} for some nodes; remove these keys from it"
    ),
    "cilium_node_told": "annotations of node {node} override {keys}; remove these annotations",
    "cilium_set_back": "another user or controller has changed {name}: it is no longer {value}",
    # kube-router.
    "kube_router_absent": (
        "the DaemonSet {name} is missing; this cluster's pod network is not kube-router"
    ),
    "kube_router_elsewhere": (
        "kube-router runs as DaemonSet {where}, which Podmeter cannot configure"
    ),
    "kube_router_not_allowed": (
        "permission to change kube-router's DaemonSet is missing ({said}); apply the manifest "
        "that `podmeter clusters manifest switch_modes` prints again"
    ),
    "kube_router_command": (
        "kube-router is started by {command}, which may change its settings; make its "
        "DaemonSet start kube-router directly"
    ),
    "kube_router_unreadable": (
        "Podmeter cannot read kube-router's arguments {args}; write each as --name=value"
    ),
    "kube_router_no_routes": "kube-router creates no routes here (--{name}={text})",
    "kube_router_no_pods": (
        "kube-router assigns no pod addresses here (--{name}={text}); the cluster has another "
        "pod network"
    ),
    "kube_router_no_mesh": (
        "kube-router's nodes do not exchange routes (--{name}={text}), so routers outside the "
        "cluster decide how packets cross nodes. Podmeter can neither check nor restore that"
    ),
    "kube_router_encap": (
        "kube-router encapsulates packets with {encap} (--overlay-encap), which Podmeter does "
        "not switch; only ipip is supported"
    ),
    "kube_router_set_back": (
        "another user or controller has changed DaemonSet {name}: it is no longer {value}"
    ),
    "rule_left": "{node} still has the routing rule of an overlay for {pods}",
    "pod_older": "pod {pod} is older than the network agent on its node",
    "daemon_set_rolls": "DaemonSet {name} is rolling out, or not ready on every node",
    "no_route": "{node} has no route to the destination: {said}",
    "pods_alone": (
        "{pods} have no controller that would recreate them, so they would keep the old MTU"
    ),
    "pods_alone_more": (
        "{pods} and others have no controller that would recreate them, so they would keep the "
        "old MTU"
    ),
    "podmeter_inside": (
        "Podmeter itself runs on this cluster's pod network ({pods}), and a switch would "
        "recreate those pods, its worker and database among them. Run Podmeter outside this "
        "cluster to switch it"
    ),
    "kernel_no_ipvs": "the kernel of {nodes} has no ip_vs module",
    "kernel_no_nftables": "the kernel of {nodes} has no nf_tables module, or is older than 5.13",
    "kernel_no_vxlan": "the kernel of {nodes} has no vxlan module",
    "kernel_no_geneve": "the kernel of {nodes} has no geneve module",
    "kernel_no_ipip": "the kernel of {nodes} has no ipip module",
    "kernel_no_wireguard": "the kernel of {nodes} has no wireguard module",
    "kernel_no_tun": "the kernel of {nodes} has no tun module",
    "nodes_left": (
        "restored on every node except {nodes}, which are not ready; Podmeter restores them "
        "once they are"
    ),
    "node_mode_unseen": "node {node} is not ready, so its mode cannot be seen",
    "hosts_unseen": "Podmeter detects modes on the nodes, which needs host access",
    # What happened to what brings a mode about.
    "touched_daemon_set": "DaemonSet {name} was changed or recreated",
    "touched_config_map": "the configuration of DaemonSet {name} was changed",
    "touched_pod": "the pod of DaemonSet {name} on {node} is gone",
    "touched_container": "the pod of DaemonSet {name} on {node} was restarted",
    # What stood before a switch.
    "stood_before": (
        "{axis} is still switched by {component}: {holder} recorded the original values "
        "{values} on {since}, and they have not been restored"
    ),
    "note_unreadable": (
        "the annotation {key} of {name} cannot be read: find out the original mode, restore "
        "it, and remove the annotation"
    ),
    "saved_unusable": "the saved original mode is not a configuration of {component}",
    "component_gone": "the configuration of {component} no longer exists",
    # What was waited for.
    "still_not": "not reached after {seconds} s: {what}",
    "still_not_for": "not reached after {seconds} s: {what}; {wrong}",
    "wait_proxy_mode": "kube-proxy is in {mode} mode on every node",
    "wait_flannel_backend": "Flannel's backend is {backend} on every node",
    "wait_pools": "every IPPool is set to {value}",
    "wait_calico_mode": "packets between all nodes travel as in mode {value}",
    "wait_cilium_mode": "Cilium's packets between all nodes travel as in mode {value}",
    "wait_kube_router_mode": "kube-router's packets between all nodes travel as in mode {value}",
    "wait_pod_mtu": "pods have the MTU of the new backend",
}
