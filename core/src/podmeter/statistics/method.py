"""Which method this is, as every document that was computed says of itself: the one version number.

It is raised where verdicts are reached another way, and where documents tell more or less besides
them: `backend/tests/test_upgrade_from_dump.py` writes changed figures under a new number alone.

1   Every trial was evidence, whatever the two sides shared.
2   The round is the evidence between blocks, nothing is between runs, and p are corrected for
    the comparisons that are made together.
3   Each metric has a noise threshold of its own besides the relative one, what arrived as fast as
    it was offered is never the same as something else, and curves are judged against the control
    that was measured on each rung.
4   Two runs of a cluster are held against how far it differs from itself, where that is known.
5   Two rungs of one run's ladder are compared by its rounds, as what a rung costs always was.
6   So are the sides of one block whose rounds have one trial of either.
7   The round is the evidence inside a block as well, whatever its trials; all that is checked
    together is one family by Holm, intervals included; controls are a covariate; runs may look
    after each round.
8   A rate is never called the same where the client limited it on both sides.
9   The control of kube-proxy's modes and of rungs is what kept connections do: new ones pass the
    chains whatever their destination, so a mode changes them everywhere.
10  Whether two sides may be compared is unknown where no case was measured on both. Advice leaves
    controls out, a recommendation counts each case once, and headlines say a large ratio as times.
11  The client limits a figure where it does so on one side, in half of its trials: rates, the times
    that restate them, and under a CPU quota all times. On a ladder that is climbed once each rung
    has its share of alpha, so that higher ones change nothing of it.
12  The centres beside an effect, and its advice, are of the rounds that enter it: where its control
    is missing or zero, a round does not. Two curves are judged on the rungs on which both have
    their control, or neither against one.
"""

METHOD_VERSION = 12
