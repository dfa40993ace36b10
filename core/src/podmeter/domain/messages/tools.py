"""Why a measuring tool's answer does not count, in a trial."""

SENTENCES = {
    "tool_ended": "{tool} ended with {exit_code}: {said}",
    "tool_said": "{tool}: {said}",
    "tool_no_version": "{tool} did not tell its version: {said}",
    "tool_not_json": "{tool} gave no whole JSON document ({characters} characters)",
    "tool_not_object": "{tool} gave JSON that is not an object",
    "tool_no_number": "{tool} gave no number for {path}",
    "ab_incomplete": "ab completed {complete} of {requests} requests",
    "ab_failed": "{failed} of {complete} requests failed ({reasons})",
    "ab_not_2xx": "{count} answers were not 2xx",
    "ab_closed": "the server closed every connection without an answer",
    "ab_not_kept_alive": "the server kept no connection alive",
    "ab_no_line": "ab's output has no line '{label}'",
    "ab_percentiles_cut": "ab's table of percentiles is not whole",
    "curl_status": "curl was answered by HTTP {status}",
    "curl_order": "curl's phases are not in order: {said}",
    "iperf3_too_old": "{version} is too old: 3.16 is the first that uses a thread per stream",
    "iperf3_streams": "iperf3 measured {streams} streams, {asked} were asked for",
    "iperf3_nothing": "iperf3: nothing arrived at the receiver",
    "iperf3_seconds": "iperf3 measured {seconds} s, {asked} were asked for",
    "rule_unchanged": "a rule could not be changed ({exit_code}): {said}",
    "chain_cut": "the chain was cut: {said}",
    "rules_not_counted": "the rules were not counted: {said}",
    "not_a_rule": "not a rule of a Service: '{line}'",
    "virtual_servers_cut": "the virtual servers were cut: {said}",
    "map_not_counted": "the map was not counted: {said}",
    "sampler_cut": "the sampler was cut: {said}",
    "not_a_sample": "not a sample of /proc: '{line}'",
    "counters_cut": "the counters were cut: {said}",
    "not_counters": "not the counters of /proc: {said}",
    "timed_short": "timed {count} of {expected} executions: {said}",
    # service_scale
    "chain_services": "the chain holds {held} Services of the run, not {expected}",
    "conntrack_full": (
        "{node} has room for {free} more tracked connections, the trial opens {needed}"
    ),
    "service_moved": "the {which} Service of the chain was {was}, is now {now}",
    "packets_dropped": "packets were dropped: {counters}",
    "counter_rose": "{counter} of {place} rose by {rise}",
    "service_silent": "{service} did not answer within {seconds} s",
    "services_unlike": (
        "the API server holds {services} Services and {slices} EndpointSlices of this run, "
        "{wanted} of each were created"
    ),
    "rung_stood": "the rung of {height} Services stood already",
}
