"""The kernel's Service rules: one module for each backend that kube-proxy may use."""
