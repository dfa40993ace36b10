"""Why a measuring tool's answer does not count, in a trial."""

SENTENCES = {
    "tool_ended": "{tool} ended with {exit_code}: {said}",
    "tool_said": "{tool}: {said}",
    "tool_no_version": "{tool} did not tell its version: {said}",
    "tool_not_json": "{tool} gave no whole JSON document ({characters} characters)",
    "tool_not_object": "{tool} gave JSON that is not an object",
    "tool_no_number": "{tool} gave no number for {path}",
    "tool_no_field": "{tool} gave no {what} for {path}",
    "tool_odd_number": "{tool} gave {value} for {path}, which cannot be",
    "tool_not_number": "{tool} printed '{text}' where a number belongs",
    "tool_lines": "{tool} has {count} lines '{label}' or an odd one, {expected} belong there",
    "tool_not_as_asked": "{tool} ran with {what} {said}, {asked} was asked for",
    "tool_contradicts": (
        "{tool} contradicts itself: {what} is {said}, by the rest of its answer {rest}"
    ),
    "commands_short": "{tool}: {count} of {expected} commands were run: {said}",
    "ab_incomplete": "ab completed {complete} of {requests} requests",
    "ab_failed": "{failed} of {complete} requests failed ({reasons})",
    "ab_not_2xx": "{count} answers were not 2xx",
    "ab_closed": "the server closed every connection without an answer",
    "ab_not_kept_alive": "the server kept {kept} of {requests} connections alive",
    "ab_no_time": "ab's run of {seconds} s is too short to have a rate",
    "ab_percentiles_cut": "ab's table of percentiles is not whole",
    "curl_status": "curl was answered by HTTP {status}",
    "curl_order": "curl's phases are not in order: {said}",
    "iperf3_too_old": "{version} is too old: 3.16 is the first that uses a thread per stream",
    "iperf3_nothing": "iperf3: nothing arrived at the receiver",
    "iperf3_seconds": "iperf3 measured {seconds} s, {asked} were asked for",
    "qperf_nothing": "qperf: nothing arrived at the receiver",
    "qperf_seconds": "qperf measured {seconds} s, {asked} were asked for",
    "qperf_errors": "qperf counted errors of its sockets: {counted}",
    "vegeta_failed": "a request of vegeta's failed: {said}",
    "vegeta_status": "vegeta was answered by HTTP {status}",
    "vegeta_cut": "vegeta's answer was cut: {said}",
    "vegeta_odd_times": "vegeta's requests are not in order, or took no time",
    "watch_cut": "what was watched of the datagrams was cut: {said}",
    "services_watch_cut": "what was watched of the Services was cut, or cannot be: {said}",
    "watch_clock_odd": "its clock cannot be brought together with the worker's",
    "watch_failed_before": "connections failed before the switch, or nobody looked then",
    "watch_not_again": "connections did not succeed for good again while they were watched",
    "rule_unchanged": "a rule could not be changed ({exit_code}): {said}",
    "chain_cut": "the chain was cut: {said}",
    "rules_not_counted": "the rules were not counted: {said}",
    "not_a_rule": "not a rule of a Service: '{line}'",
    "virtual_servers_cut": "the virtual servers were cut: {said}",
    "virtual_servers_twice": "a virtual server is listed twice: the table changed meanwhile",
    "backends_cut": "what holds the Service rules was not told whole: {said}",
    "map_not_counted": "the map was not counted: {said}",
    "sampler_cut": "the sampler was cut: {said}",
    "not_a_sample": "not a sample of /proc: '{line}'",
    "samples_backwards": "a sample of {later} s follows one of {earlier} s, or has used less CPU",
    "counters_cut": "the counters were cut: {said}",
    "not_counters": "not the counters of /proc: {said}",
    # throughput
    "server_not_ours": (
        "something else than {server} on {node} has answered: another server has its port there, "
        "or a hostPort leads elsewhere"
    ),
    # transport
    "qperf_no_ipv6": "qperf cannot serve on {node}: it wants IPv6 sockets, its kernel has none",
    "datagram_lost": (
        "a datagram was lost: they went to and fro for {seconds} s of {asked}, and qperf waits for "
        "the answer until its time is over"
    ),
    "asked_elsewhere": "{host} led to {address}, which is not the address of the Service",
    "replica_unknown": "{host} has answered, which is none of the Service's replicas",
    "replicas_uneven": "the connections were not spread evenly, beyond chance: {answered}",
    # service_scale
    "chain_services": "the chain holds {held} Services of the run, not {expected}",
    "conntrack_full": (
        "{node} has room for {free} more tracked connections, the trial opens {needed}"
    ),
    "service_moved": "the {which} Service of the chain was {was}, is now {now}",
    "packets_dropped": "packets were dropped: {counters}",
    "counter_rose": "{counter} of {place} rose by {rise}",
    "drops_unseen": "{place} does not show {counters}: what it drops would go unnoticed",
    "backend_not_asked": (
        "the backend accepted {found} of the trial's {connections} connections: something else "
        "has answered"
    ),
    "service_silent": "{service} did not answer within {seconds} s",
    "service_still_answers": "{service} is removed and answers still, {seconds} s later",
    "services_unlike": (
        "the API server holds {services} Services and {slices} EndpointSlices of this run, "
        "{wanted} of each were created"
    ),
    "rung_stood": "the rung of {height} Services stood already",
    # network_policy
    "policies_not_enforced": (
        "the cluster does not enforce NetworkPolicies: {seconds} s after one was created, a client "
        "that it shuts out was still answered"
    ),
    "policies_too_strict": (
        "{seconds} s after a NetworkPolicy was created, the client that it lets in was not "
        "answered, or was on a port that it does not open"
    ),
    "policies_of_others": (
        "NetworkPolicies of others select the measuring pods: {policies}; without any there would "
        "be some all the same"
    ),
    "policies_let_go": "beside {policies} policies who is shut out is not, or who is let in",
    "policies_stood": "the rung of {height} policies stood already",
    "policy_moved": "the policies in the kernel were {was}, are now {now}",
    "connections_unlike": (
        "the server accepted {opened} connections, {least} to {most} belong to the trial"
    ),
    "rate_saturates": (
        "{rate} requests a second for answers of {size} are more than half of the {most} that this "
        "path takes at most: choose a lower rate"
    ),
    "rate_not_reached": (
        "{sent} of {requests} requests were sent, {reached} a second and not {rate}: the client "
        "could not keep up"
    ),
}
