"""A scripted Kubernetes cluster: an API server over TLS, with simulated nodes behind it.

It keeps objects as the real one does (versions, conflicts, preconditions, watches), runs a kubelet
and the DaemonSet controller on them, so that changing kube-proxy's ConfigMap and restarting its
pods really switches the mode of each node's make-believe kernel, and answers exec with what the
real tools printed once (`core/tests/fixtures`). Nothing of it talks to Podmeter's code: it knows
the API's own words, and the frame that commands come in.
"""
