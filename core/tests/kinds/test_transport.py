"""A transport run on the fake lab, which says what qperf once printed."""

from dataclasses import replace

import pytest

from podmeter.domain.errors import (
    CommandTimeoutError,
    ConvergenceError,
    InvalidSpecError,
    LabError,
    PreconditionError,
    RunCancelledError,
)
from podmeter.domain.ports import Access, CommandOutput
from podmeter.domain.trial import TrialStatus
from podmeter.drivers import qperf
from podmeter.kinds.registry import KINDS, access_of, metrics_of, plan, read_spec, resolve

KIND = KINDS["transport"]
TESTS = ["tcp_bw", "tcp_lat", "udp_bw", "udp_lat"]
#: What was captured lasted a second, but for UDP's latency.
PARAMETERS = {f"{test}_seconds": 1 for test in TESTS[:3]}


def spec(parameters=None, **axes):
    return resolve(
        read_spec(
            {
                "name": "x",
                "kind": "transport",
                "axes": {"path": ["pod-pod"], "qperf_test": ["tcp_bw"]} | axes,
                "parameters": PARAMETERS | (parameters or {}),
                "repetition": {"trials": 1, "rounds": 1, "warmup": 0},
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
    assert report.status is TrialStatus.COUNTED, report.failure
    return {(m.metric, m.subject): m.value for m in report.measurements}


def test_what_a_plan_without_axes_has():
    """Every test over every path, and who answers where more than one may."""
    experiment = resolve(read_spec({"name": "x", "kind": "transport"}))
    points = [(case.text("path"), case.text("qperf_test")) for case in KIND.cases(experiment)]
    paths = ["node-node", "pod-pod", "pod-service-pod"]
    assert sorted(points) == sorted(
        [(path, test) for path in paths for test in TESTS] + [("pod-service-pod", "conf")]
    )
    parameters = experiment.parameters
    assert [parameters[f"{test}_bytes"] for test in TESTS] == [65536, 1, 32768, 1]
    assert [parameters[f"{test}_seconds"] for test in TESTS] == [2, 2, 2, 2]
    assert (parameters["listen_port"], parameters["data_port"]) == (4000, 4001)


def test_nobody_but_a_service_has_replicas():
    with pytest.raises(InvalidSpecError, match="a valid case"):
        spec(path=["pod-pod"], qperf_test=["conf"])


def test_the_two_ports_must_differ():
    with pytest.raises(InvalidSpecError, match="ports must be different"):
        spec({"data_port": 4000})


def test_each_test_over_each_path(lab):
    paths = ["node-node", "pod-pod", "pod-service-pod"]
    reports = run(lab, spec(path=paths, qperf_test=[*TESTS, "conf"]))
    assert len(reports) == 13
    usage = {"node_cpu", "node_cpus", "node_cpu_stolen", "node_memory", "node_memory_share"}
    expected = {
        "tcp_bw": {"bandwidth", "send_cost", "receive_cost", "node_cpu_per_byte"},
        "udp_bw": {
            *("bandwidth", "bandwidth_sent", "udp_loss", "send_cost", "receive_cost"),
            "node_cpu_per_byte",
        },
        "tcp_lat": {"message_latency"},
        "udp_lat": {"message_latency"},
    }
    for key, (placement, report) in reports.items():
        measured = {metric for metric, _ in values(report)}
        test = key.rpartition("=")[2]
        if test == "conf":
            assert measured == {"replica_share", "replica_excess"}
        else:
            assert measured == expected[test] | usage | {"message_rate", "cpus_used"}
        assert measured <= metrics_of(KIND.name).keys()
        assert "pm-ab12cd-server" in dict(report.facts)["answered"]
        assert (placement.client_node, placement.server_node) == ("n1", "n2")
    assert not lab.places
    assert not lab.services


def test_figures_are_those_that_qperf_printed(lab, real):
    told = real("qperf-0.4.11", "udp_bw").stdout
    said = {line.split()[0]: line.split()[2] for line in told.split("\n") if " = " in line}
    found = values(only(lab, spec(qperf_test=["udp_bw"])))
    assert found["bandwidth", ""] == 8 * float(said["recv_bw"])
    assert found["bandwidth_sent", ""] == 8 * float(said["send_bw"])
    assert found["message_rate", ""] == float(said["msg_rate"])
    assert found["cpus_used", "client"] == float(said["send_cpus_used"]) / 100
    assert found["receive_cost", ""] == pytest.approx(float(said["recv_cost"]) / 1e18)


def test_the_command_has_what_was_asked_for(lab):
    parameters = {"tcp_lat_bytes": 64, "tcp_lat_seconds": 7, "data_port": 4009}
    report = only(lab, spec(parameters, qperf_test=["tcp_lat"]))
    # The answer is another run's, and is not taken for this one's.
    assert "instead of" in report.failure.message
    argv = report.invocations[0].argv
    assert argv[:4] == ("qperf", "10.244.0.3", "--listen_port", "4000")
    given = dict(zip(argv[4::2], argv[5::2], strict=False))
    assert (given["--ip_port"], given["--msg_size"], given["--time"]) == ("4009", "64", "7")
    assert argv[-2:] == ("tcp_lat", "conf")


def test_control_and_data_are_ports_of_the_service(lab):
    run(lab, spec(path=["pod-service-pod"]))
    (batch,) = lab.batches
    assert {(protocol, port) for _, protocol, port, _ in batch.ports_of(batch.names[0])} == {
        *(("TCP", 4000), ("UDP", 4000), ("TCP", 4001), ("UDP", 4001)),
    }
    assert len({name for name, *_ in batch.ports_of(batch.names[0])}) == 4
    assert len(batch.backend_addresses) == 1


def test_who_answered_and_each_ones_share(lab):
    report = only(
        lab,
        spec({"replicas": 3, "connections": 90}, path=["pod-service-pod"], qperf_test=["conf"]),
    )
    found = values(report)
    assert [found["replica_share", f"replica-{n}"] for n in (1, 2, 3)] == [1 / 3] * 3
    assert found["replica_excess", ""] == 0
    assert report.warnings == ()
    names = ["pm-ab12cd-server", "pm-ab12cd-server-2", "pm-ab12cd-server-3"]
    assert dict(report.facts)["answered"] == ", ".join(f"{name}: 30" for name in names)
    assert len(lab.batches[-1].backend_addresses) == 3
    assert not lab.places
    assert not lab.services


def test_connections_that_are_not_spread_are_said(fake_lab):
    class Sticky(fake_lab):
        def _serves(self, address, turn=0):
            return super()._serves(address)

    report = only(Sticky(), spec(path=["pod-service-pod"], qperf_test=["conf"]))
    found = values(report)
    assert found["replica_share", "replica-1"] == 1
    assert found["replica_share", "replica-2"] == 0
    assert found["replica_excess", ""] == 0.5
    assert "not distributed evenly" in report.warnings[0]


def test_the_split_of_one_replica_is_whole(lab):
    experiment = spec({"replicas": 1}, path=["pod-service-pod"], qperf_test=["conf"])
    report = only(lab, experiment)
    assert values(report)["replica_share", "replica-1"] == 1
    assert report.warnings == ()


NOT_OURS = "the response did not come from pm-ab12cd-server-host on n2"


def test_another_server_on_the_nodes_port_is_never_measured(fake_lab):
    class Mapped(fake_lab):
        def _serves(self, address, turn=0):
            return "somebodys-pod-with-a-host-port"

    lab = Mapped()
    with pytest.raises(PreconditionError, match=NOT_OURS):
        run(lab, spec(path=["node-node"]))
    assert not [argv for _, argv in lab.commands if "--ip_port" in argv]
    assert not lab.places


def test_another_server_that_comes_in_between_voids_the_trial(fake_lab, real):
    lab = fake_lab(answers={"qperf": [real("qperf-0.4.11", "tcp_bw")]})
    report = only(lab, spec(path=["node-node"]))
    assert report.status is TrialStatus.VOID
    assert NOT_OURS in report.failure.message
    assert report.measurements == ()


def test_a_stranger_behind_the_service_voids_the_trial(fake_lab, real):
    lab = fake_lab()
    lab.answers["conf"] = []
    experiment = spec({"connections": 3}, path=["pod-service-pod"], qperf_test=["conf"])
    (block,) = plan(experiment)
    with KIND.prepared(lab, experiment, block) as prepared:
        lab.answers["conf"] = [real("qperf-0.4.11", "conf")]
        report = prepared.run_trial(block.trials[0])
    assert report.status is TrialStatus.VOID
    assert "vm responded" in report.failure.message


def test_a_port_that_somebody_else_has_is_never_measured(fake_lab):
    """On the nodes' own network another qperf answers by the node's name, as ours would."""
    lab = fake_lab(answers={"identity": [CommandOutput("", "", 3, 0.1)]})
    with pytest.raises(ConvergenceError, match="server-host listens on port 4000 of n2"):
        run(lab, spec(path=["node-node"]))
    assert not [argv for _, argv in lab.commands if "--ip_port" in argv]
    assert not lab.places


def test_a_server_that_listens_no_more_voids_the_trial(fake_lab):
    name = CommandOutput("pm-ab12cd-server\n", "", 0, 0.1)
    lab = fake_lab(answers={"identity": [name, CommandOutput("", "", 3, 0.1)]})
    report = only(lab, spec())
    assert (report.status, report.measurements) == (TrialStatus.VOID, ())


def test_a_lost_datagram_voids_the_trial(fake_lab, real):
    """What qperf gives then is the time that it waited, not a latency."""
    lab = fake_lab(answers={"watch": [real("proc-6.18", "datagrams-lost")]})
    report = only(lab, spec(qperf_test=["udp_lat"]))
    assert report.status is TrialStatus.VOID
    assert "a datagram was lost" in report.failure.message
    assert report.invocations[0].stdout.startswith("udp_lat:")


def test_a_watch_that_is_cut_is_a_failed_trial(fake_lab, real):
    whole = real("proc-6.18", "datagrams")
    cut = replace(whole, stdout=whole.stdout[:200])
    report = only(fake_lab(answers={"watch": [cut]}), spec(qperf_test=["udp_lat"]))
    assert (report.status, report.measurements) == (TrialStatus.FAILED, ())


@pytest.mark.parametrize("name", ["refused", "data-refused", "server-killed"])
def test_a_failure_is_no_number_and_the_server_begins_anew(fake_lab, real, name):
    lab = fake_lab(answers={"qperf": [real("qperf-0.4.11", name)]})
    report = only(lab, spec())
    assert (report.status, report.measurements) == (TrialStatus.FAILED, ())
    assert report.failure.code == "tool_failed"
    assert report.invocations[0].stdout == real("qperf-0.4.11", name).stdout
    assert ("pm-ab12cd-server", qperf.REVIVE_ARGV) in lab.commands


@pytest.mark.parametrize("error", [LabError("pod is gone"), CommandTimeoutError("killed")])
def test_a_lost_lab_is_a_temporary_failure(fake_lab, error):
    """A client that was killed has left a server that waits for it."""
    lab = fake_lab(answers={"qperf": [error]})
    report = only(lab, spec())
    assert report.status is TrialStatus.FAILED
    assert report.failure.temporary
    assert ("pm-ab12cd-server", qperf.REVIVE_ARGV) in lab.commands


def test_every_replica_begins_anew_where_connections_failed(fake_lab, real):
    lab = fake_lab()
    experiment = spec(path=["pod-service-pod"], qperf_test=["conf"])
    (block,) = plan(experiment)
    with KIND.prepared(lab, experiment, block) as prepared:
        lab.answers["conf"] = [CommandTimeoutError("killed")]
        report = prepared.run_trial(block.trials[0])
    assert report.status is TrialStatus.FAILED
    revived = {place for place, argv in lab.commands if argv == qperf.REVIVE_ARGV}
    assert revived == {"pm-ab12cd-server", "pm-ab12cd-server-2"}


def test_a_server_that_cannot_be_revived_hides_nothing(fake_lab, real):
    answers = {"qperf": [real("qperf-0.4.11", "refused")], "revive": [LabError("pod is gone")]}
    report = only(fake_lab(answers=answers), spec())
    assert report.failure.code == "tool_failed"


def test_a_node_without_ipv6_is_said_before_anything_is_measured(fake_lab):
    lab = fake_lab(answers={"can_serve": [CommandOutput("", "", 1, 0.1)]})
    with pytest.raises(PreconditionError, match="qperf cannot run as a server on n2"):
        run(lab, spec())
    assert not lab.places


def test_a_path_that_never_answers_is_told_and_cleaned_up(fake_lab, real):
    lab = fake_lab(answers={"conf": [real("qperf-0.4.11", "refused")]})
    with pytest.raises(ConvergenceError, match="server answers client"):
        run(lab, spec(path=["pod-service-pod"], qperf_test=["tcp_bw", "conf"]))
    assert not lab.places
    assert not lab.services


def test_a_cancel_in_a_trial_cleans_up(fake_lab):
    lab = fake_lab(cancel_on="--ip_port")
    with pytest.raises(RunCancelledError):
        run(lab, spec(path=["node-node", "pod-service-pod"], qperf_test=[*TESTS, "conf"]))
    assert not lab.places
    assert not lab.services


def test_only_paths_that_end_on_a_node_need_its_network():
    assert access_of(spec()) == {Access.POD}
    assert access_of(spec(path=["node-node"])) == {Access.HOST}


def test_losses_are_against_node_to_node_of_the_same_run():
    derived = {one.name: one.derivation for one in KIND.metrics if one.derivation}
    assert {name: one.source for name, one in derived.items()} == {
        "bandwidth_loss": "bandwidth",
        "latency_added": "message_latency",
    }
    assert {(one.axis, one.baseline) for one in derived.values()} == {("path", "node-node")}


def test_the_plan_knows_how_long_each_test_lasts():
    experiment = spec({"tcp_lat_seconds": 30}, path=["pod-service-pod"], qperf_test=["tcp_lat"])
    (case,) = KIND.cases(experiment)
    assert 30 < KIND.trial_seconds(case, experiment) < 33
