"""Bandwidth, latency and CPU of TCP and UDP on each path, by qperf."""
