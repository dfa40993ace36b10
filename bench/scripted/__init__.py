"""A fake Kubernetes cluster with two faces: an API server over TLS, and the `Lab` port in memory.

The API server (`cluster.py`) keeps objects as the real one does (versions, conflicts,
preconditions, watches), and runs a kubelet and the DaemonSet controller on them, so that changing
kube-proxy's ConfigMap and restarting its pods really switches the mode of each node's make-believe
kernel. The lab (`lab.py`) keeps pods and Services itself. What commands answer is in `tools.py`
for both: mostly what the real tools printed once (`core/tests/fixtures`).
"""
