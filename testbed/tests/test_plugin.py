"""A cluster test that skips itself is skipped, or has failed where the cluster is required."""

import re
from pathlib import Path

import pytest

from podmeter_testbed import pytest_plugin, requirements

pytest_plugins = ["pytester"]

REPOSITORY = Path(__file__).parents[2]

SKIPPING = """
import pytest

@pytest.fixture
def skipping():
    pytest.skip("no such kernel")

@pytest.mark.cluster
def test_in_its_body():
    pytest.skip("no such kernel")

@pytest.mark.cluster
def test_in_a_fixture(skipping): ...

@pytest.mark.cluster
@pytest.mark.xfail(reason="known", strict=True)
def test_that_is_expected_to_fail():
    raise AssertionError

def test_of_no_cluster():
    pytest.skip("elsewhere")
"""


@pytest.mark.parametrize(
    ("required", "outcomes"),
    [
        ("1", {"errors": 1, "failed": 1, "skipped": 1, "xfailed": 1}),
        ("", {"errors": 0, "failed": 0, "skipped": 3, "xfailed": 1}),
    ],
)
def test_a_skip_where_the_cluster_is_required(
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    required: str,
    outcomes: dict[str, int],
) -> None:
    monkeypatch.setenv(pytest_plugin.REQUIRED, required)
    monkeypatch.setattr(requirements, "problems", lambda **_: [])
    pytester.makeini("[pytest]\nmarkers =\n  cluster: needs a cluster\n  kernel(name): on it")
    pytester.makepyfile(SKIPPING)
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(**outcomes)
    if required:
        result.stdout.fnmatch_lines(["*no such kernel*"])


OF_KERNELS = """
import pytest

@pytest.mark.kernel("uml")
def test_of_one(): ...

@pytest.mark.kernel("machine")
def test_of_the_other(): ...

def test_of_any(): ...
"""


@pytest.mark.parametrize(("kernel", "other"), [("", "uml"), ("machine", "uml"), ("uml", "machine")])
def test_what_needs_another_kernel_is_said(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, kernel: str, other: str
) -> None:
    monkeypatch.setenv("PODMETER_TESTBED_KERNEL", kernel)
    monkeypatch.delenv("PODMETER_TESTBED_CNI", raising=False)
    pytester.makeini("[pytest]\nmarkers = kernel(name): on it")
    pytester.makepyfile(OF_KERNELS)
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(passed=2, deselected=1)
    result.stdout.fnmatch_lines([f"1 tests are of `make test-cluster KERNEL={other}`"])


OF_POD_NETWORKS = """
import pytest

@pytest.mark.cni("cilium")
def test_of_one(): ...

@pytest.mark.cni("flannel")
def test_of_the_other(): ...

@pytest.mark.cni("flannel")
@pytest.mark.kernel("uml")
def test_of_another_kernel(): ...

def test_of_any(): ...
"""


def test_what_needs_both_is_said(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Told what it lacks alone, one would run it with too little."""
    monkeypatch.setenv("PODMETER_TESTBED_KERNEL", "uml")
    monkeypatch.setenv("PODMETER_TESTBED_CNI", "")
    pytester.makeini("[pytest]\nmarkers =\n  kernel(name): on it\n  cni(name): with it")
    marks = '@pytest.mark.cni("kube-router")\n@pytest.mark.kernel("uml")'
    pytester.makepyfile(f"import pytest\n\n{marks}\ndef test_of_both(): ...\n")
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(deselected=1)
    result.stdout.fnmatch_lines(["1 tests are of `make test-cluster KERNEL=uml CNI=kube-router`"])


@pytest.mark.parametrize(
    ("cni", "other"), [("", "cilium"), ("flannel", "cilium"), ("cilium", "flannel")]
)
def test_what_needs_another_pod_network_is_said(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, cni: str, other: str
) -> None:
    monkeypatch.delenv("PODMETER_TESTBED_KERNEL", raising=False)
    monkeypatch.setenv("PODMETER_TESTBED_CNI", cni)
    pytester.makeini("[pytest]\nmarkers =\n  kernel(name): on it\n  cni(name): with it")
    pytester.makepyfile(OF_POD_NETWORKS)
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(passed=2, deselected=2)
    said = [
        f"1 tests are of `make test-cluster CNI={other}`",
        "1 tests are of `make test-cluster KERNEL=uml`",
    ]
    result.stdout.fnmatch_lines(said)


OF_SUBNETS = """
import pytest

@pytest.mark.subnets("1")
def test_of_one(): ...

@pytest.mark.subnets("2")
def test_of_two(): ...

def test_of_any(): ...
"""


@pytest.mark.parametrize(("subnets", "other"), [("", "2"), ("1", "2"), ("2", "1")])
def test_what_needs_other_subnets_is_said(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, subnets: str, other: str
) -> None:
    monkeypatch.setenv("PODMETER_TESTBED_SUBNETS", subnets)
    pytester.makeini("[pytest]\nmarkers = subnets(count): in so many")
    pytester.makepyfile(OF_SUBNETS)
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(passed=2, deselected=1)
    result.stdout.fnmatch_lines([f"1 tests are of `make test-cluster SUBNETS={other}`"])


OF_NODES = """
import pytest

@pytest.mark.nodes("3")
def test_of_three(): ...

def test_of_any(): ...
"""


@pytest.mark.parametrize("nodes", ["", "2", "3"])
def test_what_needs_a_third_node_is_said(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, nodes: str
) -> None:
    monkeypatch.setenv("PODMETER_TESTBED_NODES", nodes)
    pytester.makeini("[pytest]\nmarkers = nodes(count): of so many")
    pytester.makepyfile(OF_NODES)
    result = pytester.runpytest_inprocess()
    if nodes == "3":
        result.assert_outcomes(passed=2)
    else:
        result.assert_outcomes(passed=1, deselected=1)
        result.stdout.fnmatch_lines(["1 tests are of `make test-cluster NODES=3`"])


def test_each_file_that_marks_tests_for_another_testbed_is_run_there() -> None:
    """Left out of `make test` and of that testbed's, a test would run nowhere, untold."""
    makefile = (REPOSITORY / "Makefile").read_text()
    (paths,) = re.findall(r"^ELSEWHERE_TESTS = (.+)$", makefile, re.MULTILINE)
    run = [REPOSITORY / path for path in paths.split()]
    assert all(path.exists() for path in run)
    marking = [
        path
        for path in REPOSITORY.glob("*/tests/**/test_*.py")
        if re.search(r"mark\.(kernel|cni|subnets|nodes)\(", path.read_text())
    ]
    assert marking
    assert [path for path in marking if not {path, *path.parents} & set(run)] == []
