"""flannel: its backend, by its ConfigMap and DaemonSet."""
