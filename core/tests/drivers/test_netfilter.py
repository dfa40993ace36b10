import json
import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from podmeter.domain.errors import PreconditionError, ToolError
from podmeter.domain.ports import CommandOutput
from podmeter.drivers.netfilter import backend, change, iptables, ipvs, nft, policies
from podmeter.drivers.netfilter.backend import Backend, tool_of
from podmeter.drivers.netfilter.iptables import Position
from podmeter.drivers.netfilter.policies import PolicyRules

FIXTURES = Path(__file__).parents[1] / "fixtures"
IPTABLES = ["iptables-nft-1.8.11", "iptables-legacy-1.8.11"]
NFT = "nft-1.1.3"


@pytest.mark.parametrize("folder", IPTABLES)
def test_first_and_last_service_of_a_chain(captured, folder):
    chain = iptables.parse_chain(captured(folder, "services"))
    # 300 of the run, default/kubernetes, and the rule that leads to the node ports.
    assert (chain.rules, chain.service_ports) == (302, 300)
    assert chain.first == Position("pm-ab12cd-00040", "http", 1)
    assert chain.last == Position("pm-ab12cd-00164", "http", 301)


@pytest.mark.parametrize("folder", IPTABLES)
def test_the_chain_of_node_ports(captured, folder):
    chain = iptables.parse_chain(captured(folder, "nodeports"))
    assert (chain.rules, chain.service_ports, chain.last.number) == (300, 300, 300)


@pytest.mark.parametrize("folder", IPTABLES)
def test_a_sync_that_reorders_the_chain_is_seen(captured, folder):
    before = iptables.parse_chain(captured(folder, "services"))
    after = iptables.parse_chain(captured(folder, "services-reordered"))
    assert before.service_ports == after.service_ports
    assert before.first != after.first


@pytest.mark.parametrize("folder", IPTABLES)
def test_a_chain_without_services_of_the_run(captured, folder):
    chain = iptables.parse_chain(captured(folder, "none-of-the-run"))
    assert (chain.rules, chain.service_ports, chain.first, chain.last) == (302, 0, None, None)


@pytest.mark.parametrize("folder", IPTABLES)
def test_a_chain_that_is_not_there_is_an_error(captured, folder):
    with pytest.raises(ToolError, match="No chain/target/match by that name"):
        iptables.parse_chain(captured(folder, "no-chain"))


@pytest.mark.parametrize("folder", IPTABLES)
def test_counts_of_all_rules(captured, folder):
    assert iptables.parse_count(captured(folder, "count")) == (2407, 2407)


@pytest.mark.parametrize("folder", IPTABLES)
def test_adding_and_deleting_a_rule(captured, folder):
    changes = change.parse(captured(folder, "change"), 5)
    assert len(changes) == 5
    assert all(0 < one.add < 1 and 0 < one.delete < 1 for one in changes)


def test_legacy_alone_holds_the_lock_that_kube_proxy_contends_for():
    legacy = iptables.change_argv(Backend.IPTABLES_LEGACY, "podmeter/x", 3)
    assert iptables.XTABLES_LOCK in legacy
    assert "XTABLES_LOCKFILE=/tmp/podmeter-xtables.lock" in legacy
    assert iptables.XTABLES_LOCK not in iptables.change_argv(Backend.IPTABLES_NFT, "podmeter/x", 3)


def fake_tool(tmp_path, name, text):
    """A tool that prints `text`, so that the script that reads it is the real one."""
    (tmp_path / "said").write_text(text)
    tool = tmp_path / name
    tool.write_text(f'#!/bin/sh\ncat "{tmp_path}/said"\n')
    tool.chmod(0o755)
    return os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}


def run(argv, env):
    done = subprocess.run(argv, env=env, capture_output=True, text=True, check=False)
    return CommandOutput(done.stdout, done.stderr, done.returncode, 0.0)


def test_the_position_is_the_line_of_the_real_listing(captured, tmp_path):
    listing = captured("iptables-nft-1.8.11", "chain-listing").stdout
    env = fake_tool(tmp_path, "iptables-nft", listing)
    argv = iptables.chain_argv(Backend.IPTABLES_NFT, "KUBE-SERVICES", "podmeter/pm-ab12cd-")
    chain = iptables.parse_chain(run(argv, env))
    rules = [line for line in listing.splitlines() if line.startswith("-A")]
    assert chain.service_ports == 300
    for position in (chain.first, chain.last):
        assert f"podmeter/{position.service}:http" in rules[position.number - 1]


def test_the_second_rule_of_a_node_port_is_no_second_service(tmp_path):
    rule = (
        '-A KUBE-NODEPORTS {}-p tcp -m comment --comment "podmeter/pm-x-{:05}:http" -j KUBE-EXT-A'
    )
    rules = [rule.format(d, i) for i in (4, 2) for d in ("-d 127.0.0.0/8 ", "")]
    env = fake_tool(tmp_path, "iptables-nft", "\n".join(["-N KUBE-NODEPORTS", *rules, ""]))
    argv = iptables.chain_argv(Backend.IPTABLES_NFT, "KUBE-NODEPORTS", "podmeter/pm-x-")
    chain = iptables.parse_chain(run(argv, env))
    assert (chain.rules, chain.service_ports) == (4, 2)
    assert (chain.first, chain.last) == (
        Position("pm-x-00004", "http", 2),
        Position("pm-x-00002", "http", 4),
    )


def test_a_listing_that_ends_early_is_an_error(captured):
    whole = captured("iptables-nft-1.8.11", "services")
    with pytest.raises(ToolError, match="incomplete"):
        iptables.parse_chain(replace(whole, stdout=whole.stdout.removesuffix("end\n")))


def test_verdict_maps(captured):
    assert nft.parse_map(captured(NFT, "service-ips")) == nft.MapState(301, 300)
    assert nft.parse_map(captured(NFT, "service-nodeports")) == nft.MapState(300, 300)
    assert nft.parse_map(captured(NFT, "only-kubernetes")) == nft.MapState(1, 0)
    assert nft.parse_map(captured(NFT, "empty-nodeports")) == nft.MapState(0, 0)
    assert nft.parse_count(captured(NFT, "count")) == 1810


def test_a_map_that_is_not_there_is_an_error(captured):
    with pytest.raises(ToolError, match="No such file or directory"):
        nft.parse_map(captured(NFT, "no-table"))


def test_adding_and_deleting_a_map_element(captured):
    assert len(change.parse(captured(NFT, "change"), 5)) == 5
    with pytest.raises(ToolError, match="could not be changed"):
        change.parse(captured(NFT, "change-no-table"), 5)


@pytest.mark.parametrize(
    ("folder", "name", "found"),
    [
        ("iptables-nft-1.8.11", "probe", Backend.IPTABLES_NFT),
        ("iptables-legacy-1.8.11", "probe", Backend.IPTABLES_LEGACY),
        (NFT, "probe", Backend.NFTABLES),
    ],
)
def test_the_backend_is_asked_of_the_kernel(captured, folder, name, found):
    assert backend.parse_probe(captured(folder, name)) is found


def test_no_backend_and_two_backends_are_refused(captured):
    with pytest.raises(PreconditionError, match="absent"):
        backend.parse_probe(captured(NFT, "probe-nothing"))
    with pytest.raises(PreconditionError, match="iptables-nft and nftables"):
        backend.parse_probe(captured(NFT, "probe-two-backends"))


def test_ipvs_keeps_a_chain_in_iptables_that_is_no_second_backend():
    both = CommandOutput("iptables-nft\nipvs\nend\n", "", 0, 0.0)
    assert backend.parse_probe(both) is Backend.IPVS


def test_every_backend_belongs_to_a_mode():
    assert {one.mode for one in Backend} == {"iptables", "nftables", "ipvs"}


#: Written after ipvsadm(8) and ipset(8).
SERVERS = ["-t 10.96.0.1:443", "-t 10.96.8.1:80", "-t 10.96.8.2:80", "-u 10.96.8.2:53", "end 5"]
SETS = [
    "set KUBE-CLUSTER-IP",
    "10.96.8.1,tcp:80",
    "set KUBE-IPVS-IPS",
    "10.96.8.1",
    "10.96.8.2",
    "set KUBE-NODE-PORT-TCP",
    "30080",
    "end sets",
]


def held(*lines):
    return CommandOutput("\n".join([*lines, ""]), "", 0, 0.0)


def test_ipvs_holds_what_has_all_that_belongs_to_it():
    one, two, three = ("10.96.8.1", 80, None), ("10.96.8.2", 80, None), ("10.96.8.9", 80, None)
    output = held(*SERVERS, *SETS)
    # The second would be refused: it is in the one set and not yet in the other.
    assert ipvs.parse_held(output, [one, two, three]) == (1, 1)
    assert ipvs.parse_held(output, [("10.96.8.1", 80, 30080)]) == (1, 0)
    assert ipvs.parse_held(output, [("10.96.8.1", 80, 30081)]) == (0, 1)
    # Another proxy than kube-proxy has none of its sets.
    assert ipvs.parse_held(held(*SERVERS, "end sets"), [one, two, three]) == (2, 0)
    # A Service that goes leaves its sets first, and its virtual server last.
    gone = held(*SERVERS, "set KUBE-CLUSTER-IP", "set KUBE-IPVS-IPS", "end sets")
    assert ipvs.parse_held(gone, [one, two, three]) == (0, 2)


def test_a_table_that_changes_while_it_is_listed_has_one_twice():
    torn = SERVERS[:1] + SERVERS
    one, two = ("10.96.8.1", 80, None), ("10.96.8.2", 80, None)
    assert ipvs.parse_held(held(*torn, *SETS), [one, two]) == (1, 1)
    with pytest.raises(ipvs.ChangedMeanwhileError, match="changed while it was read"):
        ipvs.parse_sizes(held(*torn))


def test_kube_proxy_midway_holds_few(captured):
    """Captured on a kernel with IPVS while kube-proxy 1.34 went from 10 to 200 Services."""
    output = captured("ipvsadm-1.31", "held-midway")
    addresses = re.findall(r"^-t ([0-9.]+):80$", output.stdout, re.MULTILINE)
    assert len(addresses) == 200
    assert ipvs.parse_held(output, [(one, 80, None) for one in addresses]) == (10, 190)


@pytest.mark.parametrize("cut", range(len(SERVERS) + len(SETS)))
def test_ipvs_cut_short_is_an_error(cut):
    with pytest.raises(ToolError):
        ipvs.parse_held(held(*[*SERVERS, *SETS][:cut]), [])


@pytest.mark.parametrize(
    "sets",
    [
        ["10.96.8.1", "end sets"],
        ["set KUBE-LOOP-BACK", "end sets"],
        ["set KUBE-IPVS-IPS", "set KUBE-IPVS-IPS", "end sets"],
        ["set KUBE-IPVS-IPS", "10.96.8.1", "10.96.8.1", "end sets"],
        ["set KUBE-IPVS-IPS", "10.96.8.1,tcp:80", "end sets"],
        ["end sets", "end sets"],
    ],
)
def test_sets_that_no_kernel_has_are_an_error(sets):
    with pytest.raises(ToolError, match="incomplete"):
        ipvs.parse_held(held(*SERVERS, *sets), [])


def test_a_kernel_without_ipvs_is_an_error(captured):
    with pytest.raises(ToolError, match="Protocol not available"):
        ipvs.parse_held(captured("ipvsadm-1.31", "list"), [])
    with pytest.raises(ToolError, match="could not be changed"):
        change.parse(captured("ipvsadm-1.31", "change"), 2)


def test_the_real_script_reads_what_ipvsadm_saves(tmp_path):
    saved = "-A -t 10.96.8.1:80 -s rr\n-a -t 10.96.8.1:80 -r 10.244.1.7:8080 -m -w 1\n"
    env = fake_tool(tmp_path, "ipvsadm", saved)
    assert ipvs.parse_sizes(run(ipvs.LIST_ARGV, env)) == (1, 1)


def test_commands_of_the_fixtures_are_those_of_the_drivers():
    """A driver whose command changes needs its fixtures captured again."""
    own = "podmeter/pm-ab12cd-"
    for folder, name, argv in [
        (NFT, "service-ips", nft.map_argv("service-ips", own)),
        (NFT, "count", nft.count_argv()),
        (NFT, "change", nft.change_argv("podmeter/ab12cd", 5)),
        (NFT, "probe", backend.PROBE_ARGV),
        ("ipvsadm-1.31", "list", ipvs.LIST_ARGV),
        ("ipvsadm-1.31", "held-midway", ipvs.HELD_ARGV),
        (
            "iptables-nft-1.8.11",
            "services",
            iptables.chain_argv(Backend.IPTABLES_NFT, "KUBE-SERVICES", own),
        ),
        (
            "iptables-legacy-1.8.11",
            "change",
            iptables.change_argv(Backend.IPTABLES_LEGACY, "podmeter/ab12cd", 5),
        ),
    ]:
        about = json.loads((FIXTURES / folder / f"{name}.json").read_text())
        assert tuple(about["argv"]) == argv, (folder, name)


def test_versions_are_told(captured):
    assert nft.parse_version(captured("nft-1.1.3", "version")) == "1.1.3"
    assert iptables.parse_version(captured("iptables-1.8.11", "version")) == "1.8.11"
    for tool in (nft.TOOL, iptables.TOOL):
        with pytest.raises(ToolError, match=f"{tool.name} did not print its version: not found"):
            tool.parse_version(CommandOutput("", "not found", 127, 0.0))


@pytest.mark.parametrize("backend", Backend)
def test_what_changes_rules_has_a_version_or_an_error(captured, backend):
    tool = tool_of(backend)
    printed = captured("iptables-1.8.11", "version")
    assert tool.parse_version(printed) == "iptables v1.8.11 (nf_tables)"
    for nothing in ("", "\n"):
        with pytest.raises(ToolError, match="did not print its version"):
            tool.parse_version(replace(printed, stdout=nothing))


@pytest.mark.parametrize("folder", IPTABLES)
def test_the_policy_that_matches_has_a_place_among_those_of_the_run(captured, folder):
    """In the pod's chain; those of its policies name each one alone."""
    assert policies.parse(captured(folder, "policies")) == PolicyRules(13, 8)
    for name in ("no-policies", "policies-of-others"):
        assert policies.parse(captured(folder, name)) == PolicyRules(0, None)


def test_policies_that_were_not_read_whole_are_no_answer(captured):
    output = captured(IPTABLES[0], "policies")
    for text in ("", "13 8", "13 8 end", "8 13 end\n", "13 x end\n"):
        with pytest.raises(ToolError):
            policies.parse(replace(output, stdout=text))
