import json
from dataclasses import replace

import pytest
from core.tests.captures import captured

from podmeter.domain.errors import (
    ConvergenceError,
    LabError,
    PreconditionError,
    RunCancelledError,
    TruncatedOutputError,
)
from podmeter.domain.ports import Access, CommandUsage
from podmeter.domain.trial import TrialStatus
from podmeter.kinds.registry import KINDS, access_of, metrics_of, plan, read_spec, resolve

KIND = KINDS["throughput"]
PATHS = ["node-node", "pod-pod", "pod-pod-same-node", "node-pod", "pod-node", "pod-service-pod"]


def spec(parameters=None, **axes):
    axes = {"path": ["pod-pod"], "protocol": ["tcp"], "streams": [1]} | axes
    return resolve(
        read_spec(
            {
                "name": "x",
                "kind": "throughput",
                "axes": axes,
                "parameters": {"udp_bits_per_second": 100_000_000} | (parameters or {}),
                "repetition": {"seconds": 3, "trials": 1, "rounds": 1, "warmup": 0},
            }
        )
    )


def run(lab, experiment):
    (block,) = plan(experiment)
    with KIND.prepared(lab, experiment, block) as prepared:
        return {
            trial.case.key: (prepared.placement(trial.case), prepared.run_trial(trial))
            for trial in block.trials
        }


def only(lab, experiment):
    ((_, report),) = run(lab, experiment).values()
    return report


def values(report):
    return {(m.metric, m.subject): m.value for m in report.measurements}


def failed(report, status=TrialStatus.FAILED):
    assert report.status is status
    assert report.measurements == ()
    return report.failure.message


def test_all_six_paths_both_protocols_and_streams(lab):
    experiment = spec(path=PATHS, protocol=["tcp", "udp"], streams=[1, 8])
    reports = run(lab, experiment)
    assert len(reports) == 24
    for key, (_, report) in reports.items():
        assert report.status is TrialStatus.COUNTED, report.failure
        measured = {metric for metric, _ in values(report)}
        assert {"throughput", "throughput_sent", "node_cpu", "node_memory"} <= measured
        assert ("udp_loss" in measured) == ("protocol=udp" in key)
        assert (values(report).get(("udp_offered", "")) == 100e6) == ("protocol=udp" in key)
        assert ("retransmits" in measured) == ("protocol=tcp" in key)
        assert measured <= metrics_of(KIND.name).keys()
    assert not lab.places
    assert not lab.services


@pytest.mark.parametrize(
    ("path", "client", "server", "address"),
    [
        ("node-node", "client-host", "server-host", "192.168.0.2"),
        ("pod-pod", "client", "server", "10.244.0.3"),
        ("pod-pod-same-node", "client", "server-near", "10.244.0.3"),
        ("node-pod", "client-host", "server", "10.244.0.3"),
        ("pod-node", "client", "server-host", "192.168.0.2"),
        ("pod-service-pod", "client", "server", "10.96.8.1"),
    ],
)
def test_each_path_joins_its_two_ends(lab, path, client, server, address):
    ((placement, report),) = run(lab, spec(path=[path])).values()
    facts = dict(report.facts)
    assert facts["client"] == f"pm-ab12cd-{client} on n1"
    assert facts["server"].startswith(f"pm-ab12cd-{server} on {placement.server_node} at {address}")
    assert placement.client_node == "n1"
    assert placement.server_node == ("n1" if path == "pod-pod-same-node" else "n2")


def test_the_command_and_its_raw_output_are_kept(lab, real):
    report = only(lab, spec())
    invocation, seen = report.invocations
    assert invocation.argv[0] == "iperf3"
    assert (seen.place, seen.stdout) == ("pm-ab12cd-server", real("iperf3-3.18", "tcp-seen").stdout)
    assert invocation.version == "3.18"
    assert invocation.stdout == real("iperf3-3.18", "tcp").stdout
    assert report.tool_seconds == 3.0
    assert report.seconds >= report.tool_seconds


def test_the_series_are_per_second(lab):
    report = only(lab, spec())
    series = {(s.metric, s.subject): s for s in report.series}
    assert len(series["throughput_sent", ""].values) == 3
    assert len(series["throughput", ""].values) == 3
    assert series["throughput", ""].values != series["throughput_sent", ""].values
    assert len(series["node_cpu", "client"].values) == 4
    assert series["node_memory", "server"].offsets[0] == 0
    memory = max(series["node_memory", "server"].values)
    assert values(report)["node_memory", "server"] == memory
    assert 0 < values(report)["node_memory_share", "server"] < 1


def test_udp_uses_the_rate_and_the_length_that_were_asked_for(lab):
    parameters = {"udp_bits_per_second": 8_000_000, "datagram_bytes": 512}
    report = only(lab, spec(parameters, protocol=["udp"], streams=[8]))
    # The answer is another run's, and is not taken for this one's.
    assert "target_bitrate 12500000 instead of 1000000" in failed(report)
    argv = next(argv for _, argv in lab.commands if "--udp" in argv)
    assert argv[argv.index("--bitrate") + 1] == "1000000"
    assert argv[argv.index("--length") + 1] == "512"


@pytest.mark.parametrize("name", ["refused", "server-busy", "server-killed"])
def test_a_tool_error_is_a_failed_trial_without_a_number(fake_lab, real, name):
    report = only(fake_lab(answers={"iperf3": [real("iperf3-3.18", name)]}), spec())
    assert report.status is TrialStatus.FAILED
    assert report.failure.code == "tool_failed"
    assert report.measurements == ()
    assert report.series == ()
    assert report.invocations[0].stdout == real("iperf3-3.18", name).stdout


def test_a_cut_answer_is_a_failed_trial(fake_lab, real, changed):
    whole = real("iperf3-3.18", "tcp")
    cut = changed(whole, stdout=whole.stdout[:2000])
    report = only(fake_lab(answers={"iperf3": [cut]}), spec())
    assert (report.status, report.measurements) == (TrialStatus.FAILED, ())


@pytest.mark.parametrize("error", [LabError("pod is gone"), TruncatedOutputError("1 MB missing")])
def test_a_lost_lab_is_a_temporary_failure(fake_lab, error):
    report = only(fake_lab(answers={"iperf3": [error]}), spec())
    assert report.status is TrialStatus.FAILED
    assert report.failure.temporary


def test_samples_that_are_lost_are_a_warning_not_a_failure(fake_lab, real):
    lab = fake_lab(answers={"sampler": [real("proc-6.18", "samples-cut")]})
    report = only(lab, spec())
    assert report.status is TrialStatus.COUNTED
    assert ("throughput", "") in values(report)
    assert ("node_cpu", "client") not in values(report)
    assert any("unknown" in warning for warning in report.warnings)


def test_a_warmup_is_kept_and_marked(lab):
    experiment = spec()
    (block,) = plan(
        experiment.model_copy(
            update={"repetition": experiment.repetition.model_copy(update={"warmup": 1})}
        )
    )
    with KIND.prepared(lab, experiment, block) as prepared:
        statuses = [prepared.run_trial(trial).status for trial in block.trials]
    assert statuses == [TrialStatus.WARMUP, TrialStatus.COUNTED]


def test_a_cancel_in_a_trial_cleans_up(fake_lab):
    lab = fake_lab(cancel_on="--time")
    with pytest.raises(RunCancelledError):
        run(lab, spec(path=PATHS))
    assert not lab.places
    assert not lab.services


def test_a_path_that_never_answers_is_told_and_cleaned_up(fake_lab, real):
    lab = fake_lab(answers={"reach": [real("iperf3-3.18", "refused")]})
    with pytest.raises(ConvergenceError, match="server answers client"):
        run(lab, spec(path=["pod-service-pod"]))
    assert not lab.places
    assert not lab.services


NOT_OURS = "the response did not come from pm-ab12cd-server-host on n2"


def test_another_server_on_the_nodes_port_is_never_measured(fake_lab, real):
    """A hostPort, a port mapping or a server of the node's own answers just as well."""
    lab = fake_lab(answers={"seen": [real("iperf3-3.18", "not-seen")]})
    with pytest.raises(PreconditionError, match=NOT_OURS):
        run(lab, spec(path=["node-node"]))
    assert not [argv for _, argv in lab.commands if "--time" in argv]
    assert not lab.places


def test_another_server_that_comes_in_between_voids_the_trial(fake_lab, real):
    once = [real("iperf3-3.18", "tcp-seen"), real("iperf3-3.18", "not-seen")]
    report = only(fake_lab(answers={"seen": once}), spec(path=["node-node"]))
    assert NOT_OURS in failed(report, TrialStatus.VOID)
    assert report.series == ()


def test_what_the_server_saw_of_another_run_is_an_error(fake_lab, real):
    lab = fake_lab(answers={"seen": [real("iperf3-3.18", "tcp-with-retransmits-seen")]})
    assert "cookie" in failed(only(lab, spec()))


def test_a_rate_without_limit_offers_nothing(fake_lab, real, changed):
    unlimited = real("iperf3-3.18", "udp")
    told = unlimited.stdout.replace('"target_bitrate":\t100000000', '"target_bitrate":\t0')
    seen = real("iperf3-3.18", "udp-seen")
    heard = seen.stdout.replace('"target_bitrate":\t100000000', '"target_bitrate":\t0')
    answers = {"iperf3": [changed(unlimited, stdout=told)], "seen": [changed(seen, stdout=heard)]}
    report = only(fake_lab(answers=answers), spec({"udp_bits_per_second": 0}, protocol=["udp"]))
    assert report.status is TrialStatus.COUNTED, report.failure
    assert ("udp_offered", "") not in values(report)


def test_the_way_of_each_path_is_recorded(fake_lab):
    """As the client's own kernel tells it."""

    class Routed(fake_lab):
        def _route(self, argv):
            overlay = argv[-2].startswith("10.244.") and argv[-1]
            return captured("iproute2-6.15", "vxlan" if overlay else "route")

    reports = run(Routed(), spec(path=["node-node", "pod-pod", "pod-pod-same-node"]))
    ways = {key.split("path=")[1].split(",")[0]: found for key, found in reports.items()}
    told = {path: dict(report.facts) for path, (_, report) in ways.items()}
    assert told["node-node"]["route"] == "by v0 (veth), MTU 1500"
    assert told["node-node"]["node_route"] == "by v0 (veth), MTU 1500"
    # The pod sees its own device, its node what wraps the packets and where they leave.
    assert told["pod-pod"]["route"] == "by v0 (veth), MTU 1500"
    assert told["pod-pod"]["node_route"] == "by flannel.1 (vxlan), MTU 1450, NIC v0"
    assert "node_route" not in told["pod-pod-same-node"]
    nics = {path: placement.nic for path, (placement, _) in ways.items()}
    assert nics == {"node-node": "v0", "pod-pod": "v0", "pod-pod-same-node": None}


def test_without_a_place_on_the_node_its_way_is_not_known(lab):
    ((placement, report),) = run(lab, spec(path=["pod-pod"])).values()
    assert placement.nic is None
    assert "node_route" not in dict(report.facts)


def test_retransmits_are_told_for_each_byte_as_well(lab, real):
    measured = values(only(lab, spec()))
    received = json.loads(real("iperf3-3.18", "tcp").stdout)["end"]["sum_received"]["bytes"]
    assert measured["retransmits", ""] == 14
    assert measured["retransmits_per_byte", ""] == 14 / received


def test_what_a_byte_costs_in_cpu(lab, real):
    measured = values(only(lab, spec()))
    first, *_, last = [
        line.split() for line in real("proc-6.18", "samples").stdout.split("\n")[:-2]
    ]
    # user, nice, system, irq and softirq, in ticks of 10 ms.
    busy = [sum(int(words[4 + n]) for n in (0, 1, 2, 5, 6)) for words in (first, last)]
    received = json.loads(real("iperf3-3.18", "tcp").stdout)["end"]["sum_received"]["bytes"]
    expected = (busy[1] - busy[0]) * 0.01 / received
    assert measured["node_cpu_per_byte", "server"] == pytest.approx(expected)
    assert measured["node_cpu_per_byte", "client"] > 0


def test_a_window_of_few_ticks_is_warned_of(fake_lab, real, changed):
    whole = real("proc-6.18", "samples")
    lines = whole.stdout.split("\n")
    soon = f"{float(lines[0].split()[0]) + 0.12:.2f}"
    short = [lines[0], " ".join([soon, *lines[1].split()[1:]]), "end", ""]
    lab = fake_lab(answers={"sampler": [changed(whole, stdout="\n".join(short))]})
    report = only(lab, spec())
    assert report.status is TrialStatus.COUNTED
    assert sum("over 0.12 s, or 12 ticks" in one for one in report.warnings) == 2
    assert not [one for one in only(fake_lab(), spec()).warnings if "ticks" in one]


def with_stolen(output, ticks):
    """Samples in which the last one counts so many stolen ticks more."""
    *lines, last, end, rest = output.stdout.split("\n")
    words = last.split(" ")
    words[-3] = str(int(words[-3]) + ticks)
    return replace(output, stdout="\n".join([*lines, " ".join(words), end, rest]))


@pytest.mark.parametrize(("ticks", "warned"), [(0, False), (2, False), (40, True)])
def test_stolen_cpu_is_told_apart_and_warned_of(fake_lab, real, ticks, warned):
    samples = real("proc-6.18", "samples")
    calm = values(only(fake_lab(answers={"sampler": [samples]}), spec()))
    report = only(fake_lab(answers={"sampler": [with_stolen(samples, ticks)]}), spec())
    stolen = values(report)["node_cpu_stolen", "client"]
    assert (stolen > 0.02) == warned
    assert (
        any("to other machines during the trial" in warning for warning in report.warnings)
        == warned
    )
    # What others took is no work of the node's own.
    assert values(report)["node_cpu", "client"] <= calm["node_cpu", "client"]


def with_cgroup(output, *seconds):
    """Samples of a pod whose cgroup has used and been stopped for so many seconds, each time."""
    lines = output.stdout.removesuffix("end\n").splitlines()
    told = [f"{line} cgroup {one}\n" for line, one in zip(lines, seconds, strict=True)]
    return replace(output, stdout="".join(told) + "end\n")


COUNTED = ("node_cpus", "tool_cpus", "tool_throttled", "server_cpus", "server_throttled")


def counted(report):
    """What says which part was at its limit."""
    assert report.status is TrialStatus.COUNTED, report.failure
    return {key: one for key, one in values(report).items() if key[0] in COUNTED}


def test_what_tool_and_server_took_of_the_cpu_is_measured(fake_lab, real, changed):
    tool = changed(real("iperf3-3.18", "tcp"), usage=CommandUsage(2.85, 0.15))
    seconds = [f"{100 + place / 2:.6f} {place / 8:.6f}" for place in range(5)]
    samples = with_cgroup(real("proc-6.18", "samples"), *seconds)
    report = only(fake_lab(answers={"iperf3": [tool], "sampler": [samples]}), spec())
    assert counted(report) == {
        ("node_cpus", "client"): 2,
        ("node_cpus", "server"): 2,
        ("tool_cpus", ""): pytest.approx(0.95),
        ("tool_throttled", ""): pytest.approx(0.05),
        ("server_cpus", ""): pytest.approx(2 / 3.37, rel=0.01),
        ("server_throttled", ""): pytest.approx(0.5 / 3.37, rel=0.01),
    }


def test_what_is_not_counted_is_not_measured(fake_lab, real, changed):
    """By an older program, or where no cgroup has a quota that it could count."""
    tool = changed(real("iperf3-3.18", "tcp"), usage=CommandUsage(2.85, None))
    samples = with_cgroup(real("proc-6.18", "samples"), *["7.000000 -"] * 5)
    report = only(fake_lab(answers={"iperf3": [tool], "sampler": [samples]}), spec())
    assert {metric for metric, _ in counted(report)} == {"node_cpus", "tool_cpus", "server_cpus"}
    assert {metric for metric, _ in counted(only(fake_lab(), spec()))} == {"node_cpus"}


def test_nodes_that_are_one_machine_have_no_cpus_of_their_own(fake_lab):
    class OneMachine(fake_lab):
        def nodes(self):
            return tuple(replace(node, boot_id="boot") for node in super().nodes())

    report = only(OneMachine(), spec())
    assert ("node_cpu", "client") in values(report)
    assert counted(report) == {}


def test_on_one_node_the_servers_pod_is_sampled(fake_lab):
    lab = fake_lab()
    only(lab, spec(path=["pod-pod-same-node"]))
    assert lab.watched == [("pm-ab12cd-server-near", "sampler")]


def test_two_nodes_are_needed_to_cross_between_nodes(fake_lab):
    lab = fake_lab(node_names=("n1",))
    with pytest.raises(PreconditionError, match="needs two nodes"):
        run(lab, spec())
    assert run(lab, spec(path=["pod-pod-same-node"]))


def test_nodes_that_were_asked_for_are_used_or_refused(fake_lab):
    lab = fake_lab(node_names=("n1", "n2", "n3"))
    ((placement, _),) = run(lab, spec({"client_node": "n3"})).values()
    assert (placement.client_node, placement.server_node) == ("n3", "n1")
    with pytest.raises(PreconditionError, match="n9"):
        run(lab, spec({"server_node": "n9"}))
    with pytest.raises(PreconditionError, match="both are on n1"):
        run(lab, spec({"client_node": "n1", "server_node": "n1"}))


def test_only_paths_that_end_on_a_node_need_its_network():
    assert access_of(spec()) == {Access.POD}
    assert access_of(spec(path=["node-pod"])) == {Access.POD, Access.HOST}


def test_loss_is_declared_against_node_to_node_of_the_same_run():
    (loss,) = [metric for metric in KIND.metrics if metric.derivation]
    assert loss.derivation.source == "throughput"
    assert (loss.derivation.axis, loss.derivation.baseline) == ("path", "node-node")
