"""Cilium: native routing or tunnels, by its ConfigMap and DaemonSet."""
