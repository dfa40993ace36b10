"""kube-proxy: its mode, by its configuration and DaemonSet, on all nodes or measured ones."""
