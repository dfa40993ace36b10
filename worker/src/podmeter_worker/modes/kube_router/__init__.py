"""kube-router: its overlay, by the arguments of its DaemonSet."""
