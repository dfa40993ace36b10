"""What is read, by name. Apart from the readers, whose arithmetic an idle worker never loads."""

TOOLS = (
    *("iperf3", "qperf", "ab", "curl", "hey", "wrk", "k8s-netperf", "knb", "time"),
    *("iperf", "netperf", "wrk2", "fortio", "vegeta", "sockperf", "cilium"),
)
#: Which way iperf3's bytes went.
FORWARD, REVERSE = "client-to-server", "server-to-client"
