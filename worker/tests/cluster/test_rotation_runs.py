"""A run whose pair of nodes changes by round, on a real cluster of three nodes, one behind a slow
link.
"""

from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from podmeter.domain.run import Outcome
from podmeter.services.run_results.figures import MEDIAN
from podmeter.services.run_results.link_rows import links_of
from podmeter.services.summaries.report import run_report
from podmeter.services.work import work_with
from podmeter_testbed import machines
from podmeter_testbed.layout import Layout
from podmeter_testbed.link import Link

from .conftest import HeldStack
from .specs import TWO_PATHS

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.services,
    pytest.mark.nodes("3"),
    pytest.mark.timeout(900),
]
SLOW, DEVICE = "node-3", "eth0"
NODES = ("node-1", "node-2", SLOW)
PAIRS = {f"{one}~{other}" for one in NODES for other in NODES if one != other}
ROTATING = {
    **TWO_PATHS,
    "name": "another pair each round",
    "axes": {**TWO_PATHS["axes"], "path": ["pod-pod"], "node_pair": ["rotate"]},  # type: ignore[dict-item]
    "repetition": {"trials": 1, "seconds": 1, "rounds": 12, "warmup": 0},
}


@pytest.fixture
def slowed(layout: Layout) -> Iterator[None]:
    """What the third node sends is limited to a rate that no other link is near."""
    node = machines.require(layout, SLOW)
    for argv in Link.parse("100mbit").of_node(DEVICE):
        node.run(*argv)
    yield
    node.run("tc", "qdisc", "del", "dev", DEVICE, "root")


@pytest.mark.usefixtures("slowed")
def test_the_slow_node_is_named_and_the_interval_covers_its_pairs(
    looked_at: HeldStack, left_behind: Callable[[], list[str]]
) -> None:
    looked_at.start_worker()
    run = looked_at.wait_finished(looked_at.start_run(looked_at.cluster_id, ROTATING), 600)
    assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
    pairs = []
    for trial in looked_at.not_void(run.id):
        client = trial.facts["client"].rpartition(" on ")[2]
        server = trial.facts["server"].rpartition(" on ")[2].partition(" at ")[0]
        assert trial.facts["node_pair"] == f"{client}~{server}"
        pairs.append(trial.facts["node_pair"])
    assert Counter(pairs) == dict.fromkeys(PAIRS, 2)

    with work_with(looked_at.sessions, looked_at.queue) as work:
        report = run_report(work, looked_at.owner, run.id)
    found = [links_of(getattr(one.evidence, "rows", [])) for one in report.findings]
    (links,) = [one for one in found if one is not None]
    assert links.by_round
    assert links.apart.verdict == "worse"
    assert links.apart.text("shared") == SLOW
    assert report.headline is not None
    assert SLOW in str(report.headline.sentences[0])
    main = next(r for r in report.summaries if r.code == MEDIAN and r.parameters["main"])
    slow = links.median.value
    assert slow is not None
    assert main.low is not None
    assert main.high is not None
    assert main.low <= slow <= main.high
    assert slow < 0.5 * main.high
    assert left_behind() == []
