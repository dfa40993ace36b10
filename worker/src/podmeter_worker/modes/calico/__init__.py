"""Calico: the encapsulation of its IP pools, by its own API or by the CRDs."""
