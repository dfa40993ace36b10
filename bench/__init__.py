"""`make bench`: every figure that has a bar, written to docs/explanation/benchmarks.md."""
