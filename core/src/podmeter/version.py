"""Podmeter's version: the one place that has it.

`make version` writes it into the files that cannot read it, and a test holds them to it.
"""

VERSION = "0.1.0"

#: The image that measuring pods run unless the settings name another.
BENCH_IMAGE = f"docker.io/podmeter/bench:{VERSION}"
