"""netperf's output in each of its forms: classic tables, and omni's -o, -O and -k."""
