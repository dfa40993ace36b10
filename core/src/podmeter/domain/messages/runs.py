"""What is said of runs, blocks, cases and trials, and in a run's log."""

SENTENCES = {
    # Why a run does not begin yet.
    "waits_for_cluster": "it waits for {cluster}: {why}",
    "nodes_recover": "nodes are not well yet ({nodes})",
    # Modes that somebody switches by hand.
    "waits_for_mode": ("it waits until somebody has switched {axis} of {cluster} to {mode}: {how}"),
    "waits_for_original": (
        "all is measured; it waits until somebody has switched {axis} of {cluster} back to {mode}: "
        "{how}"
    ),
    "nobody_switched": (
        "nobody switched {axis} of {cluster} to {mode} within {minutes} min (seen: {seen})"
    ),
    "left_by_hand": (
        "{axis} was {mode} before the run and is not now (seen: {seen}): {how}. Podmeter looks "
        "again by itself"
    ),
    "by_hand_in_block": "{axis} is switched by hand, which nobody does in the middle of a trial",
    "by_hand_unseen": "{axis} is switched by hand, and its present mode is not seen: {why}",
    "log_by_hand": "{cluster}: waiting until {axis} is {mode}, until {until} at the longest",
    "log_by_hand_seen": "{cluster}: {axis} is {seen}",
    "log_by_hand_left": "{cluster}: {why}",
    # Why a run ended.
    "cancelled_by_owner": "cancelled by its owner",
    "cancelled_before": "cancelled before it began",
    "cancelled_before_by": "cancelled by {who} before it began",
    "worker_shut_down": "the worker was shut down; resume goes on with what is left",
    "cluster_lost": (
        "a cluster's Lease was lost to another one, or removed; resume goes on with what is left"
    ),
    "worker_gone": "its worker was gone while it was in {state}; what it left is removed",
    "internal_error": "internal error: {type}; see the log",
    "not_reached": "not reached before the run ended",
    "blocks_fail_alike": (
        "two blocks in a row failed in the same way, so the rest was not tried: {why}"
    ),
    "cases_short": "{short} of {total} cases did not succeed: {first}",
    "no_reason": "no reason was given",
    "ended_and_faults": "{reason}; {faults}",
    "not_cleaned_up": "{cluster} could not be cleaned up after run {run}: {error}",
    "run_taken": "another worker has taken the run",
    "run_changed": "the run changed meanwhile",
    "run_to_stop": "the run is to stop",
    "run_cancelled": "the run was cancelled",
    # Why a case or a block is short.
    "counted_short": "{counted} of {planned} trials counted; {why}",
    "ended_decided": "every main case was decided after {rounds} rounds",
    "ended_on_request": (
        "concluded on request after {rounds} rounds; {open} of {cases} main cases are undecided"
    ),
    "ended_hopeless": (
        "after {rounds} rounds no open case is likely to be decided in the time that is left; "
        "{open} of {cases} are open"
    ),
    "ended_out_of_time": (
        "the time of {minutes} min was over after {rounds} rounds; {open} of {cases} cases are open"
    ),
    "log_look": "after {rounds} rounds {decided} of {cases} main cases are decided",
    "log_look_at_rung": (
        "with {axis} {value}: after {rounds} rounds {decided} of {cases} main cases are decided"
    ),
    "rung_over": "with {axis} {value}: {why}",
    "ladder_out_of_time": (
        "the time of {minutes} min was over before {axis} {value}, which was not begun"
    ),
    "rest_not_measured": "the rest was not measured",
    "stopped_during": "the run was stopped during this block",
    "stopped_and_void": "the run was stopped during this block; {void}",
    "trials_void": "{reason}; its {count} trials are void",
    "mode_changed": "{axis} was {value} and is now {seen}: somebody else set it meanwhile",
    "mode_not_shown": "{axis} was switched to {value}, and new pods meet {seen}",
    "mode_touched": (
        "{axis} is {value} as before, but somebody touched what brings it about: {what}"
    ),
    "modes_unseen": "the modes could not be seen after the block: {error}",
    # What keeps a run from being carried out.
    "on_cluster": "{cluster}: {what}",
    "on_node": "{node}: {what}",
    "another_cluster": (
        "this is another cluster than the one that was registered (kube-system is {uid})"
    ),
    "host_names_not_allowed_now": (
        "the run asks for {hosts}, and the cluster's owner does not allow hosts of its choice "
        "(allow_host_names)"
    ),
    "switch_not_allowed_now": (
        "its owner does not allow mode switches any more, the run switches {axes}"
    ),
    "mode_impossible": "{axis} cannot be {value}: {why}",
    "cluster_not_registered": "the cluster '{cluster}' is not registered any more",
    "kubeconfig_unusable": "the registered kubeconfig cannot be used: {error}",
    "no_image": "no image of the measuring pods is set (BENCH_IMAGE)",
    "no_such_node": "no node {node} takes measuring pods; these do: {nodes}",
    "no_measuring_node": "no node takes measuring pods",
    "same_node": "client and server must sit on two nodes, both are on {node}",
    "two_nodes_needed": (
        "traffic between nodes needs two nodes that take measuring pods, {count} do"
    ),
    "architectures_differ": (
        "the nodes differ in architecture ({architectures}), so their ends of the traffic would "
        "not be alike; choose nodes of one"
    ),
    "no_outside_client": (
        "the experiment has a client outside, and no worker is declared as one "
        "(PODMETER_OUTSIDE_CLIENT)"
    ),
    "no_load_balancer": (
        "nothing gave the Service {service} an IPv4 address within {seconds} s: the cluster needs "
        "a controller of load balancers"
    ),
    "balancer_blocked": (
        "the client outside must not ask {address}, the address of the Service {service} (a "
        "blocked address: {reason})"
    ),
    "plan_needs_outside": (
        "some cases need a client outside the cluster, and no worker is declared as one "
        "(PODMETER_OUTSIDE_CLIENT); no client inside will do instead: on a node kube-proxy "
        "intercepts a LoadBalancer's address"
    ),
    "outside_on_node": "the client outside is on {node}: {address} is an address of its own",
    "outside_same_network": "the client outside shares the network of {node}",
    "outside_in_pod": "the client outside is inside: {address} is that of a pod on {node}",
    "outside_no_way": "the client outside has no way to {node} at {address}: {said}",
    "outside_blocked": (
        "the client outside must not ask {address} of {node} (a blocked address: {reason})"
    ),
    "outside_no_tool": "the client outside: {why}",
    "outside_network_unknown": "the network of a client outside cannot be told: {said}",
    "outside_no_program": (
        "the client outside: {program} is missing on the worker's machine; build it by "
        "`make program`, or copy it out of the bench image, into a directory on PATH"
    ),
    "outside_not_started": "a command of the client outside did not run: {said}",
    "cluster_ips_short": (
        "{free} ClusterIPs are free in the Service CIDR, the experiment needs {needed}"
    ),
    "node_ports_short": (
        "{free} node ports are free in the API server's range, the experiment needs {needed}"
    ),
    "ladder_ends_profile": (
        "the ladder ends at {last} Services, the last rung of its profile; name others by the axis "
        "{axis}"
    ),
    "ladder_ends_node_ports": (
        "the ladder ends at {last} Services, without {left_out}: {free} node ports are free in the "
        "API server's range"
    ),
    "ladder_ends_cluster_ips": (
        "the ladder ends at {last} Services, without {left_out}: {free} ClusterIPs are free in the "
        "Service CIDR"
    ),
    "ladder_node_ports_unknown": (
        "{needed} node ports are needed, and how many are free is not known; the API server's "
        "default range, 30000-32767, has {usual}"
    ),
    "rules_differ": "the nodes' kernels hold different kinds of rules: {backends}",
    "proxy_mode_wrong": "kube-proxy runs as {mode}, the block is {expected}",
    "no_proxy_rules": (
        "no node rules of kube-proxy were found: it is absent, or another component implements "
        "Services here"
    ),
    "two_backends": "Service rules of two backends stand at once: {backends}",
    "kind_not_offered": "this version does not offer {kind}",
    "kind_version_unlike": (
        "the run was started with version {began} of {kind}, which is {now} now; start a new run "
        "instead"
    ),
    "axes_unlike": ("the run was started with other axes than {kind} has; start a new run instead"),
    "parameters_invalid": "the run's parameters are not valid now: {problems}",
    "parameters_unlike": (
        "the run was started with other parameters than {kind} has: {parameters}"
    ),
    "start_new_run": "{why}; start a new run instead",
    # The log.
    "log_block_void": "block {block}: {what}",
    "log_overhead": "overhead: median {seconds} s over {trials} trials",
    "log_preflight_passed": "preflight: nothing stands against the run",
    "log_preparing_anew": "{cluster}: preparing anew, for {why}",
    "log_put_back_later": "{axis} is to be put back at the end to {content}",
    "log_services_removed": "{cluster}: {count} Services of the run removed",
    "log_putting_back": "{cluster}: putting {axis} back",
    "log_waits": "{cluster}: waiting, for {why}",
    "log_step": "{cluster}: {step}",
    "log_switching": "{cluster}: switching {axis} to {value}",
    "log_switched": "{cluster}: {axis} is {value} on every node",
    "log_switched_on": "{cluster}: {axis} is {value} on {nodes}; other nodes are as before",
    "cluster_ips_unknown": (
        "it cannot be told how many ClusterIPs are free in the Service CIDR; {needed} are needed"
    ),
    "node_ports_unknown": (
        "it cannot be told how many node ports are free in the API server's range; {needed} are "
        "needed"
    ),
    "cluster_changed": ("{cluster} changed since the cases of block {block} were measured before"),
    "metrics_unknown": "measured, but not known to this version, so not shown: {metrics}",
    # Steps of a switch.
    "step_patched": "patched",
    "step_kept_off": "the cluster's own kept off these nodes",
    "step_paused": "paused",
    "step_cleaned": "cleaned",
    "step_rolled": "rolled",
    "step_waits": "waiting until {what}, for {seconds} s at most: {wrong}",
    "step_effective": "effective",
    "step_recreated": "recreated",
    "step_started_anew": "started anew on {nodes}",
    "step_nudged": (
        "its rules were missing on {nodes}: made a Service and removed it, so that it syncs"
    ),
    # Warnings of a trial.
    "usage_unknown": "CPU and memory of {node} are unknown: {error}",
    "usage_window_short": (
        "CPU of {node} was counted over {seconds} s, which are {ticks} ticks of each CPU: too few "
        "to tell it to better than 2 %"
    ),
    "node_was_busy": "{node} was {percent}% busy before the trial",
    "switch_unseen": (
        "what the switch did to Services is unknown, since {node} does not tell: {why}"
    ),
    "switch_unseen_more": "nor do {count} further nodes",
    "switch_not_accepted": "it is not known when the API server accepted the switch",
    "mode_not_of_run": "this run does not switch {axis}",
    "no_standing_service": (
        "the cluster has no Service default/kubernetes with an IPv4 address to be asked"
    ),
    "node_was_stolen": "the host of {node} gave {percent}% of its CPU time to others in the trial",
}
