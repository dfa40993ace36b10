"""Experiments of which several tests have a run."""

TWO_PATHS = {
    "name": "two paths",
    "kind": "throughput",
    "axes": {"path": ["node-node", "pod-pod"], "protocol": ["tcp"], "streams": [1]},
    "repetition": {"trials": 2, "seconds": 1, "rounds": 1, "warmup": 0},
}
SWITCHING = {
    **TWO_PATHS,
    "axes": {
        "path": ["pod-pod"],
        "protocol": ["tcp"],
        "streams": [1],
        "kube_proxy_mode": ["iptables", "nftables"],
    },
}
SCALED = {
    "name": "switches of a population",
    "kind": "service_scale",
    "parameters": {"mode_switch_from": 40},
    "axes": {
        "kube_proxy_mode": ["iptables", "nftables"],
        "services": [10, 40],
        "probe": ["climb", "mode-switch"],
    },
    "repetition": {"trials": 1, "rounds": 1, "warmup": 0},
}
SYNCED = {
    **SCALED,
    "name": "sync periods",
    "parameters": {"sync_period_seconds": 75, "min_sync_period_seconds": 2},
    "axes": {
        "kube_proxy_mode": ["iptables"],
        "services": [10],
        "probe": ["climb", "service-ready"],
    },
}
LADDER: dict[str, object] = {
    "min_sync_period_seconds": 2,
    "requests": 2000,
}
CLIMBED = {
    **SCALED,
    "name": "a ladder",
    "parameters": LADDER,
    "axes": {
        "kube_proxy_mode": ["iptables", "nftables"],
        "services": [10, 40],
        "target": ["last"],
        "probe": ["qps"],
    },
    "repetition": {"trials": 1, "rounds": 2, "warmup": 0},
}
BESIDE = {
    **CLIMBED,
    "name": "modes side by side",
    "parameters": {**LADDER, "assignment": "side_by_side"},
    "axes": {
        "kube_proxy_mode": ["iptables", "nftables"],
        "services": [10, 100],
        "target": ["last", "pod"],
        "probe": ["qps"],
    },
}
TRANSPORT = {
    "name": "three paths by qperf",
    "kind": "transport",
    "parameters": {
        **{f"{test}_seconds": 1 for test in ("tcp_bw", "tcp_lat", "udp_bw", "udp_lat")},
        "replicas": 2,
    },
    "repetition": {"trials": 1, "rounds": 1, "warmup": 0},
}
REQUESTS = {
    "name": "paths by curl",
    "kind": "request_latency",
    "parameters": {"requests": 10, "placement": "all-nodes"},
    "repetition": {"trials": 1, "rounds": 1, "warmup": 0},
}
