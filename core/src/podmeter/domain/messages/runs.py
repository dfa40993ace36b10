"""What is said of runs, blocks, cases and trials, and in a run's log."""

SENTENCES = {
    # Why a run does not begin yet.
    "waits_for_cluster": "waiting for {cluster}: {why}",
    "nodes_recover": "nodes have not recovered yet ({nodes})",
    # Modes that somebody switches by hand.
    "waits_for_mode": "waiting for somebody to switch {axis} of {cluster} to {mode}: {how}",
    "waits_for_original": (
        "all cases are measured; waiting for somebody to switch {axis} of {cluster} back to "
        "{mode}: {how}"
    ),
    "nobody_switched": (
        "nobody switched {axis} of {cluster} to {mode} within {minutes} min (current: {seen})"
    ),
    "left_by_hand": (
        "{axis} was {mode} before the run and has not been switched back (current: {seen}): "
        "{how}. Podmeter checks again by itself"
    ),
    "by_hand_in_block": "{axis} is switched by hand, which cannot happen in the middle of a trial",
    "by_hand_unseen": (
        "{axis} is switched by hand, and Podmeter cannot detect its current mode: {why}"
    ),
    "log_by_hand": "{cluster}: waiting until {axis} is {mode}, at most until {until}",
    "log_by_hand_seen": "{cluster}: {axis} is {seen}",
    "log_by_hand_left": "{cluster}: {why}",
    # Why a run ended.
    "cancelled_by_owner": "cancelled by its owner",
    "cancelled_before": "cancelled before it began",
    "cancelled_before_by": "cancelled by {who} before it began",
    "worker_shut_down": "the worker was shut down; resume the run to measure the rest",
    "cluster_lost": (
        "the Lease of a cluster was taken over or deleted; resume the run to measure the rest"
    ),
    "worker_gone": (
        "the worker stopped responding while the run was in state {state}; everything the run "
        "created is removed"
    ),
    "internal_error": "internal error: {type}; see the log",
    "not_reached": "not measured before the run ended",
    "blocks_fail_alike": (
        "two blocks in a row failed for the same reason, so the rest was not measured: {why}"
    ),
    "cases_short": "{short} of {total} cases did not succeed. The first: {first}",
    "no_reason": "no reason was given",
    "ended_and_faults": "{reason}; {faults}",
    "not_cleaned_up": "{cluster} could not be cleaned up after run {run}: {error}",
    "run_taken": "another worker has taken over the run",
    "run_changed": "the run has changed in the meantime",
    "run_to_stop": "the run is being stopped",
    "run_cancelled": "the run was cancelled",
    # Why a case or a block is short.
    "counted_short": "{counted} of {planned} trials counted; {why}",
    "ended_decided": "all main cases were decided after {rounds} rounds",
    "ended_on_request": (
        "concluded on request after {rounds} rounds; {open} of {cases} main cases are undecided"
    ),
    "ended_hopeless": (
        "after {rounds} rounds, no undecided case is likely to be decided in the remaining "
        "time; {open} of {cases} cases are undecided"
    ),
    "ended_out_of_time": (
        "the time limit of {minutes} min was reached after {rounds} rounds; {open} of {cases} "
        "cases are undecided"
    ),
    "log_look": "after {rounds} rounds {decided} of {cases} main cases are decided",
    "log_look_at_rung": (
        "with {axis} {value}: after {rounds} rounds {decided} of {cases} main cases are decided"
    ),
    "rung_over": "with {axis} {value}: {why}",
    "ladder_out_of_time": (
        "the time limit of {minutes} min was reached before {axis} {value}, which was not measured"
    ),
    "rest_not_measured": "the rest was not measured",
    "stopped_during": "the run was stopped during this block",
    "stopped_and_void": "the run was stopped during this block; {void}",
    "trials_void": "{reason}; its {count} trials are void",
    "mode_changed": (
        "{axis} was {value} and is now {seen}: another user or controller changed it during "
        "the block"
    ),
    "mode_not_shown": "{axis} was switched to {value}, but new pods get {seen}",
    "mode_touched": (
        "{axis} is still {value}, but another user or controller changed its component: {what}"
    ),
    "modes_unseen": "the modes could not be checked after the block: {error}",
    # What keeps a run from being carried out.
    "on_cluster": "{cluster}: {what}",
    "on_node": "{node}: {what}",
    "another_cluster": "this is not the registered cluster (its kube-system UID is {uid})",
    "host_names_not_allowed_now": (
        "the run uses {hosts}, but the cluster's owner has not allowed custom hosts "
        "(allow_host_names)"
    ),
    "switch_not_allowed_now": (
        "the cluster's owner no longer allows mode switches, but the run switches {axes}"
    ),
    "mode_impossible": "{axis} cannot be switched to {value}: {why}",
    "cluster_not_registered": "the cluster '{cluster}' is no longer registered",
    "kubeconfig_unusable": "the registered kubeconfig cannot be used: {error}",
    "no_image": "no image of the measuring pods is set (BENCH_IMAGE)",
    "no_such_node": "node {node} cannot run measuring pods; available nodes: {nodes}",
    "no_measuring_node": "no node can run measuring pods",
    "same_node": "client and server must run on two nodes, but both are on {node}",
    "two_nodes_needed": (
        "traffic between nodes needs two nodes that can run measuring pods; the cluster has {count}"
    ),
    "architectures_differ": (
        "the nodes have different architectures ({architectures}), so client and server would "
        "not be comparable; choose nodes with the same architecture"
    ),
    "no_outside_client": (
        "the experiment needs a client outside the cluster, and no worker is declared as one "
        "(PODMETER_OUTSIDE_CLIENT)"
    ),
    "no_load_balancer": (
        "Service {service} got no IPv4 address within {seconds} s: the cluster needs a load "
        "balancer controller"
    ),
    "balancer_blocked": (
        "the outside client may not connect to {address}, the address of Service {service} "
        "(blocked address: {reason})"
    ),
    "plan_needs_outside": (
        "some cases need a client outside the cluster, and no worker is declared as one "
        "(PODMETER_OUTSIDE_CLIENT). A client inside cannot replace it: on a node, kube-proxy "
        "intercepts the address of a LoadBalancer"
    ),
    "outside_on_node": "the outside client runs on {node}: {address} is one of its own addresses",
    "outside_same_network": "the client outside shares the network of {node}",
    "outside_in_pod": (
        "the outside client runs inside the cluster: {address} belongs to a pod on {node}"
    ),
    "outside_no_way": "the outside client has no route to {node} at {address}: {said}",
    "outside_blocked": (
        "the outside client may not connect to {address} of {node} (blocked address: {reason})"
    ),
    "outside_no_tool": "outside client: {why}",
    "outside_network_unknown": "the network of the outside client cannot be determined: {said}",
    "outside_no_program": (
        "outside client: {program} is missing on the worker's machine; build it with `make "
        "program`, or copy it from the bench image into a directory on PATH"
    ),
    "outside_not_started": "a command of the outside client did not run: {said}",
    "cluster_ips_short": (
        "the Service CIDR has {free} free ClusterIPs, but the experiment needs {needed}"
    ),
    "node_ports_short": (
        "the API server's range has {free} free node ports, but the experiment needs {needed}"
    ),
    "ladder_ends_profile": (
        "the ladder ends at {last} Services, the last rung of its profile; set the axis {axis} "
        "for other rungs"
    ),
    "ladder_ends_node_ports": (
        "the ladder ends at {last} Services and skips {left_out}: the API server's range has "
        "only {free} free node ports"
    ),
    "ladder_ends_cluster_ips": (
        "the ladder ends at {last} Services and skips {left_out}: the Service CIDR has only "
        "{free} free ClusterIPs"
    ),
    "ladder_node_ports_unknown": (
        "the experiment needs {needed} free node ports, and how many are free is unknown. By "
        "default a cluster has {usual} node ports in all (30000-32767)"
    ),
    "rules_differ": "the nodes' kernels hold rules of different backends: {backends}",
    "proxy_mode_wrong": "kube-proxy runs in mode {mode}, but the block measures {expected}",
    "no_proxy_rules": (
        "the nodes have no rules of kube-proxy: it is absent, or another component implements "
        "Services"
    ),
    "two_backends": "the kernel holds Service rules of two backends at the same time: {backends}",
    "kind_not_offered": "this version of Podmeter does not support the kind {kind}",
    "kind_version_unlike": (
        "the run was started with version {began} of {kind}, and the current version is {now}; "
        "start a new run"
    ),
    "axes_unlike": (
        "the axes of the kind {kind} have changed since the run was started; start a new run"
    ),
    "parameters_invalid": "the run's parameters are no longer valid: {problems}",
    "parameters_unlike": (
        "the run was started with other parameters than {kind} has now: {parameters}"
    ),
    "start_new_run": "{why}; start a new run",
    # The log.
    "log_block_void": "block {block}: {what}",
    "log_overhead": "overhead: median {seconds} s over {trials} trials",
    "log_preflight_passed": "preflight: no obstacles",
    "log_preparing_anew": "{cluster}: preparing again: {why}",
    "log_put_back_later": "{axis} will be restored to {content} at the end",
    "log_services_removed": "{cluster}: removed {count} Services of the run",
    "log_putting_back": "{cluster}: restoring {axis}",
    "log_waits": "{cluster}: waiting: {why}",
    "log_step": "{cluster}: {step}",
    "log_switching": "{cluster}: switching {axis} to {value}",
    "log_switched": "{cluster}: {axis} is {value} on every node",
    "log_switched_on": "{cluster}: {axis} is {value} on {nodes}; other nodes are unchanged",
    "cluster_ips_unknown": (
        "the number of free ClusterIPs in the Service CIDR is unknown; the experiment needs "
        "{needed}"
    ),
    "node_ports_unknown": (
        "the number of free node ports in the API server's range is unknown; the experiment "
        "needs {needed}"
    ),
    "cluster_changed": "{cluster} has changed since the cases of block {block} were measured",
    "metrics_unknown": "not shown: this version of Podmeter does not know the metrics {metrics}",
    # Steps of a switch.
    "step_patched": "configuration changed",
    "step_kept_off": "cluster's own kube-proxy kept off these nodes",
    "step_paused": "kube-proxy paused",
    "step_cleaned": "rules of the previous mode removed",
    "step_rolled": "rollout finished",
    "step_waits": "waiting at most {seconds} s until {what}: {wrong}",
    "step_effective": "the new mode is in effect",
    "step_recreated": "pods recreated in the new mode",
    "step_started_anew": "restarted on {nodes}",
    "step_nudged": (
        "rules were missing on {nodes}: created and removed a Service to make kube-proxy sync"
    ),
    # Warnings of a trial.
    "usage_unknown": "CPU and memory of {node} are unknown: {error}",
    "usage_window_short": (
        "CPU of {node} was counted over {seconds} s, or {ticks} ticks per CPU: too few for a "
        "precision of 2 %"
    ),
    "node_was_busy": "{node} was {percent}% busy before the trial",
    "switch_unseen": (
        "the effect of the switch on Services is unknown, because {node} does not report it: {why}"
    ),
    "switch_unseen_more": "{count} more nodes do not report it either",
    "switch_not_accepted": "the time at which the API server accepted the switch is unknown",
    "mode_not_of_run": "this run does not switch {axis}",
    "no_standing_service": (
        "the cluster has no Service default/kubernetes with an IPv4 address to connect to"
    ),
    "node_was_stolen": (
        "the host of {node} gave {percent}% of its CPU time to other machines during the trial"
    ),
}
