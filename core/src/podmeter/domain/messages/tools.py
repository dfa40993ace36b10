"""Why a measuring tool's answer does not count, in a trial."""

SENTENCES = {
    "tool_ended": "{tool} ended with exit code {exit_code}: {said}",
    "tool_said": "{tool}: {said}",
    "tool_no_version": "{tool} did not print its version: {said}",
    "tool_not_json": "{tool} printed incomplete JSON ({characters} characters)",
    "tool_not_object": "{tool} printed JSON that is not an object",
    "tool_no_number": "{tool}'s output has no number for {path}",
    "tool_no_field": "{tool}'s output has no {what} for {path}",
    "tool_odd_number": "{tool} printed an impossible value for {path}: {value}",
    "tool_not_number": "{tool} printed '{text}' instead of a number",
    "tool_lines": (
        "{tool} printed {count} lines '{label}', or an unreadable one; expected {expected}"
    ),
    "tool_not_as_asked": "{tool} ran with {what} {said} instead of {asked}",
    "tool_contradicts": (
        "{tool}'s output contradicts itself: {what} is {said}, but the other values give {rest}"
    ),
    "commands_short": "{tool}: only {count} of {expected} commands ran: {said}",
    "ab_incomplete": (
        "ab completed {complete} of {requests} requests; the server or the path between "
        "stopped answering. Check the server pod's log, or use fewer requests or less "
        "concurrency"
    ),
    "ab_failed": "{failed} of {complete} requests failed ({reasons})",
    "ab_not_2xx": "{count} responses were not 2xx",
    "ab_closed": "the server closed every connection without a response",
    "ab_not_kept_alive": "the server kept {kept} of {requests} connections alive",
    "ab_no_time": "ab ran for only {seconds} s, which is too short for a rate",
    "ab_percentiles_cut": "ab's table of percentiles is incomplete",
    "curl_status": "curl received HTTP {status}",
    "curl_order": "curl's phases are not in chronological order: {said}",
    "iperf3_too_old": (
        "iperf3 {version} is too old; 3.16 or newer is needed, which uses one thread per stream"
    ),
    "iperf3_nothing": "iperf3: nothing arrived at the receiver",
    "iperf3_seconds": "iperf3 measured for {seconds} s instead of {asked} s",
    "qperf_nothing": "qperf: nothing arrived at the receiver",
    "qperf_seconds": "qperf measured for {seconds} s instead of {asked} s",
    "qperf_errors": "qperf counted socket errors: {counted}",
    "vegeta_failed": "a request of vegeta failed: {said}",
    "vegeta_status": "vegeta received HTTP {status}",
    "vegeta_cut": "vegeta's output is incomplete: {said}",
    "vegeta_odd_times": "vegeta's requests are out of order, or took no time",
    "watch_cut": "the recording of the datagrams is incomplete: {said}",
    "services_watch_cut": "the recording of the Services is incomplete or inconsistent: {said}",
    "watch_clock_odd": "its clock cannot be aligned with the worker's clock",
    "watch_failed_before": "connections failed before the switch, or none were made then",
    "watch_not_again": "connections did not recover while they were watched",
    "rule_unchanged": "a rule could not be changed (exit code {exit_code}): {said}",
    "chain_cut": "the listing of the chain is incomplete: {said}",
    "rules_not_counted": "the rules could not be counted: {said}",
    "not_a_rule": "this line is not a Service rule: '{line}'",
    "virtual_servers_cut": "the listing of virtual servers is incomplete: {said}",
    "virtual_servers_twice": (
        "a virtual server is listed twice: the table changed while it was read"
    ),
    "backends_cut": "the listing of the backends that hold Service rules is incomplete: {said}",
    "map_not_counted": "the map elements could not be counted: {said}",
    "sampler_cut": "the sampler's output is incomplete: {said}",
    "not_a_sample": "this line is not a sample of /proc: '{line}'",
    "samples_backwards": "a sample at {later} s follows one at {earlier} s, or shows less CPU time",
    "counters_cut": "the counters are incomplete: {said}",
    "not_counters": "this is not valid output of the counters in /proc: {said}",
    # throughput
    "server_not_ours": (
        "the response did not come from {server} on {node}: another server uses its port, or a "
        "hostPort redirects it"
    ),
    # transport
    "qperf_no_ipv6": (
        "qperf cannot run as a server on {node}: it needs IPv6 sockets, which the node's "
        "kernel does not have"
    ),
    "datagram_lost": (
        "a datagram was lost after {seconds} s of {asked} s, and qperf waited for its response "
        "until the end of the test"
    ),
    "asked_elsewhere": "{host} resolved to {address}, which is not the Service's address",
    "replica_unknown": "{host} responded, but it is not one of the Service's replicas",
    "replicas_uneven": "the connections were not distributed evenly, beyond chance: {answered}",
    # service_scale
    "chain_services": "the chain holds {held} Services of the run instead of {expected}",
    "conntrack_full": (
        "{node} has room for {free} more tracked connections, but the trial opens {needed}"
    ),
    "service_moved": (
        "the {which} Service of the chain changed from {was} to {now} during the trial"
    ),
    "packets_dropped": "packets were dropped: {counters}",
    "counter_rose": "{counter} of {place} rose by {rise}",
    "drops_unseen": "{place} does not report {counters}, so drops would be missed",
    "backend_not_asked": (
        "the backend accepted only {found} of the trial's {connections} connections: something "
        "else responded"
    ),
    "service_silent": "{service} did not respond within {seconds} s",
    "service_still_answers": "{service} still responds {seconds} s after its removal",
    "services_unlike": (
        "the API server has {services} Services and {slices} EndpointSlices of this run; "
        "{wanted} of each were created"
    ),
    "rung_stood": "the rung of {height} Services existed already",
    # network_policy
    "policies_not_enforced": (
        "the cluster does not enforce NetworkPolicies: a client that a policy denies still got "
        "a response {seconds} s after the policy was created"
    ),
    "policies_too_strict": (
        "{seconds} s after a NetworkPolicy was created, the allowed client got no response, or "
        "got one on a port that the policy does not open"
    ),
    "policies_of_others": (
        "other NetworkPolicies already select the measuring pods: {policies}; so there would "
        "be no case without policies"
    ),
    "policies_let_go": (
        "with {policies} policies, a denied client is allowed or an allowed client is denied"
    ),
    "policies_stood": "the rung of {height} policies existed already",
    "policy_moved": (
        "the number of policies in the kernel changed from {was} to {now} during the trial"
    ),
    "connections_unlike": (
        "the server accepted {opened} connections; the trial makes {least} to {most}"
    ),
    "rate_saturates": (
        "{rate} requests per second with responses of {size} are more than half of this path's "
        "maximum of {most}: choose a lower rate"
    ),
    "rate_not_reached": (
        "only {sent} of {requests} requests were sent, at {reached} per second instead of "
        "{rate}: the client could not keep up"
    ),
}
