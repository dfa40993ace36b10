"""Why something that was pasted cannot be read, and what to know of what was."""

SENTENCES = {
    "paste_line": "line {line} ({text}): {why}",
    "paste_unknown": (
        "Podmeter does not recognize this line; put # before it to keep it as a remark, or "
        "delete it"
    ),
    "paste_empty": "the text contains no output of a supported tool; supported: {tools}",
    "paste_odd": "{tool} does not print such a line here, or prints it only once",
    "paste_unit": "unexpected unit in {tool}'s output: {unit}",
    "paste_cut": "{tool}'s report is incomplete: {missing} is missing",
    "paste_zero": "{tool} counted nothing, so there is no result",
    "paste_errors": "{tool} counted errors; Podmeter imports no rates with errors",
    "paste_sockets": "{tool} counted socket errors: {said}",
    "paste_no_receiver": (
        "the receiver's summary line is missing; Podmeter does not compute it from intervals"
    ),
    "paste_sender_only": (
        "The server was the sender, and the client's report is missing: the value is the rate "
        "sent, not received. Paste the client's report as well"
    ),
    "paste_bidirectional_half": (
        "The test ran in both directions at once, and the client's report is missing: this is "
        "only the direction that the server received. Paste the client's report as well"
    ),
    "paste_nothing_arrived": "{tool}: nothing arrived at the receiver ({path})",
    "paste_rate_rounded": (
        "The printed rate {printed} is rounded, so the rate is computed from bytes and seconds"
    ),
    "paste_loss_unknown": "this version of the receiver does not report lost datagrams",
    "paste_iperf2_sent": (
        "iperf 2's client reports what it sent, not what the server received. Paste the "
        "server's report as well"
    ),
    "paste_iperf2_udp_sent": "the server's report is missing, so the rate is the rate sent",
    "paste_iperf2_both": (
        "iperf 2 tested both directions (-d or -r), which Podmeter cannot import. Test one "
        "direction after the other"
    ),
    "paste_ab_unreliable": (
        "ab warns that its results are unreliable: median and mean of the {what} time are more "
        "than twice the standard deviation apart"
    ),
    "paste_hey_million": (
        "hey keeps only the first 1,000,000 requests: its mean is not imported, and the "
        "percentiles are of those requests"
    ),
    "paste_run_short": "{tool} ran for {seconds} instead of {asked}",
    "paste_paced": (
        "{tool} sends at a fixed rate: the result is the requested rate, not the server's capacity"
    ),
    "paste_paced_at": (
        "{tool} sent at a fixed rate of {rate} requests per second: the result is not the "
        "server's capacity"
    ),
    "paste_knb_nothing": (
        "knb: nothing arrived in the test {test}. The other tests are valid: delete the lines "
        "of this test and paste again"
    ),
    "paste_loop": "{tool} looped over {loop}; Podmeter imports only loops over msg_size",
    "paste_loop_unknown": (
        "{tool} repeated this test, and the text does not show why. Paste the command as well, "
        "or add -vu so that it prints the message size"
    ),
    "paste_loop_count": (
        "the text contains {found} tests, but the command's loop has {expected} sizes: paste "
        "all of them"
    ),
    "paste_netperf_unit": (
        "the unit of THROUGHPUT is missing: paste the command as well, or add THROUGHPUT_UNITS "
        "to -o"
    ),
    "paste_netperf_columns": (
        "netperf's columns cannot be identified: paste the command as well, or use -k"
    ),
    "paste_netperf_unsure": "netperf warns that its runs did not reach the requested confidence",
    "paste_sockperf_server": (
        "this is the log of a sockperf server, which contains no times. Paste the client's output"
    ),
    "paste_vegeta_every": (
        "vegeta printed intermediate reports (-every): only the last one, which covers the "
        "whole run, is imported"
    ),
    "paste_sockperf_sent": "sockperf reports what its client sent, not what the server received",
    "paste_curl_own_format": (
        "these curl times have a custom format, which Podmeter cannot import. Use -w {lines}, "
        "or -w {json}"
    ),
    "paste_unread": (
        "this is output of {tool}, which Podmeter does not support. Paste the output of "
        "another tool"
    ),
    "paste_unread_instead": (
        "this is output of {tool}, which Podmeter does not support. Use {instead}"
    ),
    "paste_no_sum": "the line [SUM] of {streams} streams is missing",
    "paste_protocol": "{tool} measured {protocol}, which Podmeter does not support",
    "paste_udp_sent": (
        "this version of iperf3 reports the rate sent and the receiver's loss, but not the "
        "rate received"
    ),
    "paste_no_test": "this value comes before the name of its test",
    "paste_test_unknown": "the test {test} is not supported; supported: {known}",
    "paste_no_rate": "{tool}'s line 'Requests per second' is missing",
    "paste_rate_alone": (
        "the text contains only the rate: it does not show whether all requests succeeded"
    ),
    "paste_no_requests": "the times of the requests are missing",
    "paste_columns": "the line has {found} values for {expected} column names",
    "paste_no_time": "the line 'real' is missing",
    "paste_time_of_what": (
        "the timed command is missing: paste it as well (curl, iptables or ipvsadm)"
    ),
    "paste_no_tests": "{tool}'s report contains no test",
    "paste_path_unknown": "the positions of client and server match no known path: select the path",
    "paste_json": "incomplete or invalid JSON: {said} (column {column})",
    "paste_json_unknown": "this JSON is not output of a supported tool",
    "paste_line_long": "the line has more than {most} characters",
    "paste_too_long": "the text has more than {most} lines",
    "paste_too_many": "the text has more than {most} outputs",
    # what is kept of them
    "import_not_measured": "this run was imported, so it cannot be measured again",
    "import_given": (
        "Imported: the values were pasted, and the user described the environment. Podmeter "
        "measured neither."
    ),
    "import_axis": "unknown axis; available: {axes}",
    "import_variant": "a variant must be one line of 1 to 60 characters",
    "import_told_otherwise": "the output itself shows {told}, not {given}",
    "import_no_output": "output {number} does not exist; {count} were recognized",
    "import_twice": "output {number} is listed twice",
}
