"""Which way of reaching verdicts this is, as documents that are kept say of themselves.

1   Every trial was evidence, whatever the two sides shared.
2   The round is the evidence between blocks, nothing is between runs, and p are corrected for
    the comparisons that are made together.
"""

METHOD_VERSION = 2
