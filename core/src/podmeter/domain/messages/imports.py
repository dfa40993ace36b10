"""Why something that was pasted cannot be read, and what to know of what was."""

SENTENCES = {
    "paste_line": "line {line} ({text}): {why}",
    "paste_unknown": (
        "this is no line of a tool that is read here; put # before it to keep it as a remark, or "
        "leave it out"
    ),
    "paste_empty": "no output of a tool is in it; what is read is {tools}",
    "paste_odd": "{tool} prints no such line there, or not twice",
    "paste_unit": "{tool} gives a unit that it has not for this figure: {unit}",
    "paste_cut": "{tool}'s report is not whole: {missing} is missing",
    "paste_zero": "{tool} counted nothing, which is no figure",
    "paste_errors": "{tool} counted errors: what failed is never a rate",
    "paste_sockets": "{tool} counted errors of its sockets: {said}",
    "paste_no_receiver": (
        "no line says what the receiver got; intervals are not put together to a result"
    ),
    "paste_sender_only": (
        "The server sent here, and what its client received is not in the text: the figure is what "
        "was sent. Paste the client's report as well"
    ),
    "paste_bidirectional_half": (
        "The test ran in both directions at once. This is the direction that the server received; "
        "what its client received is not in the text. Paste the client's report as well"
    ),
    "paste_nothing_arrived": "{tool}: nothing arrived at the receiver ({path})",
    "paste_rate_rounded": (
        "The rate is printed as {printed}, which is rounded: it is computed from the bytes and the "
        "seconds"
    ),
    "paste_loss_unknown": "this version of the receiver does not tell how many datagrams were lost",
    "paste_iperf2_sent": (
        "iperf 2's client reports what it sent, not what arrived. Paste the server's report as well"
    ),
    "paste_iperf2_udp_sent": "the server's report is missing: the rate is what was sent",
    "paste_iperf2_both": (
        "iperf 2 tested both directions (-d or -r), which are not read from one text. Test them "
        "one "
        "after another"
    ),
    "paste_ab_unreliable": (
        "ab says that its results are not reliable: median and mean of the {what} time are more "
        "than twice the standard deviation apart"
    ),
    "paste_hey_million": (
        "hey keeps the times and statuses of 1,000,000 requests: its mean is not read, and the "
        "percentiles are of those requests"
    ),
    "paste_run_short": "{tool} ran for {seconds}, not for {asked}",
    "paste_paced": (
        "{tool} sends at a set rate: the rate is what was asked for, not what the server can do"
    ),
    "paste_paced_at": (
        "{tool} sent at a set rate of {rate} requests per second: the rate is not a capacity"
    ),
    "paste_knb_nothing": (
        "knb: nothing arrived in the test {test}. The other tests are good: delete the lines of "
        "this one and paste again"
    ),
    "paste_loop": "{tool} looped over {loop}; only a loop over msg_size is read",
    "paste_loop_unknown": (
        "{tool} repeated this test and does not say why. Paste the command as well, or add -vu: it "
        "then prints the size of the messages"
    ),
    "paste_loop_count": (
        "{found} tests follow, and the command's loop has {expected} sizes: paste all of them"
    ),
    "paste_netperf_unit": (
        "the unit of THROUGHPUT is not in the text: paste the command as well, or add "
        "THROUGHPUT_UNITS to -o"
    ),
    "paste_netperf_columns": (
        "netperf's columns cannot be told apart: paste the command as well, or use -k"
    ),
    "paste_netperf_unsure": (
        "netperf says that its runs varied more than the confidence that was asked for allows"
    ),
    "paste_sockperf_server": (
        "this is the log of a sockperf server, which reports no times. Paste its client's output"
    ),
    "paste_vegeta_every": (
        "vegeta reported while it ran (-every): only its last report, which is of the whole run, "
        "is read"
    ),
    "paste_sockperf_sent": "sockperf reports what its client sent, not what arrived",
    "paste_curl_own_format": (
        "these are curl times in a format of your own, which is not read. Use -w {lines}, or "
        "-w {json}"
    ),
    "paste_unread": (
        "this is an output of {tool}, which is not read here. Paste an output of another tool"
    ),
    "paste_unread_instead": "this is an output of {tool}, which is not read here. Use {instead}",
    "paste_no_sum": "of {streams} streams the line [SUM] is missing",
    "paste_protocol": "{tool} measured {protocol}, which is not read",
    "paste_udp_sent": (
        "this version of iperf3 gives the rate that was sent and the receiver's loss: what arrived "
        "has no figure"
    ),
    "paste_no_test": "this figure stands before the name of its test",
    "paste_test_unknown": "the test {test} is not read; known are {known}",
    "paste_no_rate": "{tool}'s line 'Requests per second' is missing",
    "paste_rate_alone": (
        "only the rate was pasted: nothing here says whether all requests were answered"
    ),
    "paste_no_requests": "the times of no request follow",
    "paste_columns": "{found} values stand under {expected} names",
    "paste_no_time": "the line 'real' is missing",
    "paste_time_of_what": (
        "what was timed is not known: paste the command as well (curl, iptables or ipvsadm)"
    ),
    "paste_no_tests": "{tool}'s report has no test",
    "paste_path_unknown": "where both ends sat is none of the paths here: give it",
    "paste_json": "not a whole JSON document: {said} (column {column})",
    "paste_json_unknown": "this JSON is no document of a tool that is read here",
    "paste_line_long": "the line has more than {most} characters",
    "paste_too_long": "there are more than {most} lines",
    "paste_too_many": "there are more than {most} outputs",
    # what is kept of them
    "import_not_measured": "this was imported: there is nothing to measure again",
    "import_given": (
        "Imported: the figures are as they were pasted, and the environment is as its user gave "
        "it. Podmeter saw neither."
    ),
    "import_axis": "there is no such axis; there are {axes}",
    "import_variant": "a variant is one line of 1 to 60 characters",
    "import_told_otherwise": "the output says {told} itself, not {given}",
    "import_no_output": "there is no output {number}; {count} were recognised",
    "import_twice": "output {number} is named twice",
}
