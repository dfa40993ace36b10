"""Two folders and one line in each registry are a whole switcher: nothing else knows `toynet`."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from core.tests.services.builders import LOOKED_AT
from core.tests.toynet.component import CONFIG as CONFIG_NAME
from core.tests.toynet.component import DEVICE, TOY, TOYNET
from sqlalchemy import update

from podmeter.db.models import Cluster
from podmeter.domain.axes import mode_axes
from podmeter.domain.cluster_report import PREFLIGHT_REPORT, AxisReport
from podmeter.domain.errors import InvalidSpecError
from podmeter.domain.fingerprint import CniFacts, Fingerprint
from podmeter.domain.modes import ENCAPSULATION
from podmeter.domain.run import CaseStatus, Outcome
from podmeter.drivers.route import PacketRoute
from podmeter.kinds.registry import KINDS
from podmeter.rbac.capabilities import Capability
from podmeter.rbac.manifest import manifest
from podmeter.services.experiments.on_cluster import plan_at
from podmeter.services.work import work_with
from podmeter_worker import cluster_preflight
from podmeter_worker.kube.facts.cni import read_cni
from podmeter_worker.kube.facts.rights import missing_rights
from podmeter_worker.kube.lease import Holder
from podmeter_worker.modes import switch_record
from podmeter_worker.modes.control import SwitcherModeControl
from podmeter_worker.modes.registry import SWITCHERS, configurations
from podmeter_worker.modes.switcher import SwitchContext

from .bench import SPEC, Bench
from .fake_link import FakeLink
from .kube.api_server import Answer, Asked
from .kube.object_server import served
from .modes.cluster_of_objects import client_of, site_of
from .modes.toynet.conformance import IMPATIENT
from .modes.toynet.objects import Toynet
from .modes.toynet.registered import register

SWITCHING: dict[str, Any] = {
    **SPEC,
    "repetition": {**SPEC["repetition"], "seed": 2, "rounds": 2},
    "axes": {**SPEC["axes"], ENCAPSULATION: ["none", TOY]},
}


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Toynet]:
    for where, seconds in IMPATIENT.items():
        monkeypatch.setattr(where, seconds)
    with served(Toynet, tmp_path) as made:
        made.set_up()
        yield made


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch)


@pytest.fixture
def linked(cluster: Toynet, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str | None]]:
    """Runs switch the cluster of objects; what their fingerprints have shown of it."""
    shown: list[str | None] = []
    usual = FakeLink.fingerprint
    with client_of(cluster) as client:

        def modes(link: FakeLink, progress: Any, **_given: Any) -> SwitcherModeControl:
            client.guard = link.guard
            holder = Holder(link.run_label, link.token)
            shells: Any = cluster.shells()
            return SwitcherModeControl(
                SwitchContext(client, shells, link.check, progress, holder=holder)
            )

        def fingerprint(link: FakeLink, seat: int | None = None) -> Fingerprint:
            values = set(cluster.agents.values())
            shown.append(values.pop() if len(values) == 1 else None)
            facts = CniFacts(name=TOYNET.name, encapsulation=shown[-1])
            return usual(link, seat).model_copy(update={"cni": facts})

        monkeypatch.setattr(FakeLink, "modes", modes)
        monkeypatch.setattr(FakeLink, "fingerprint", fingerprint)
        monkeypatch.setattr(
            FakeLink,
            "unrestored_switches",
            lambda link: switch_record.read_all(client, configurations(client)),
        )
        yield shown


def looked_at(bench: Bench, cluster: Toynet) -> tuple[uuid.UUID, AxisReport]:
    """A registered cluster with the report of a preflight."""
    with site_of(cluster) as site:
        found = cluster_preflight._axis(site, ENCAPSULATION)
    cluster_id = bench.add_cluster(f"c-{uuid.uuid4()}")
    report = LOOKED_AT.model_copy(update={"modes": {ENCAPSULATION: found}})
    stamped = PREFLIGHT_REPORT.stamp(report.model_dump(mode="json"))
    with bench.sessions.begin() as session:
        session.execute(
            update(Cluster).where(Cluster.id == cluster_id).values(capabilities=stamped)
        )
    return cluster_id, found


@pytest.mark.services
def test_a_switcher_that_is_not_registered_is_nowhere(bench: Bench, cluster: Toynet) -> None:
    assert TOYNET.name not in SWITCHERS
    assert all(TOY not in axis.choices for axis in mode_axes())
    assert CONFIG_NAME not in manifest(Capability.SWITCH_MODES, None)
    cluster_id, found = looked_at(bench, cluster)
    assert (found.component, found.values) == (None, {})
    with work_with(bench.sessions, bench.queue) as work, pytest.raises(InvalidSpecError) as caught:
        plan_at(work, bench.owner, SWITCHING, cluster_id)
    assert [one.pointer for one in caught.value.problems] == ["/axes/encapsulation/1"]


@pytest.mark.usefixtures("registered")
def test_its_values_are_on_the_axis_of_every_kind_with_all_that_follows() -> None:
    for kind in KINDS.values():
        (axis,) = (one for one in kind.axes if one.name == ENCAPSULATION)
        assert axis.choices[-1] == TOY
        assert {"cni.features.wrap", f"nodes.*.mtus.{DEVICE}"} <= set(axis.follows)


@pytest.mark.usefixtures("registered")
def test_the_manifest_gives_its_rights_and_guards_them(cluster: Toynet) -> None:
    documents = [*yaml.safe_load_all(manifest(Capability.SWITCH_MODES, None))]
    rules = [rule for one in documents if one for rule in one.get("rules", ())]
    assert {(*rule["verbs"],) for rule in rules if rule.get("resourceNames") == [CONFIG_NAME]} == {
        ("get", "patch")
    }
    assert any("toynet-configuration" in one["metadata"]["name"] for one in documents if one)

    def refused(asked: Asked) -> Answer | None:
        review = asked.path.endswith("/selfsubjectaccessreviews")
        allowed = CONFIG_NAME.encode() not in asked.body
        return Answer(201, {"status": {"allowed": allowed}}) if review else None

    cluster.before = refused
    with client_of(cluster) as client:
        missing = missing_rights(client, Capability.SWITCH_MODES)
    assert {(one.verb, one.name) for one in missing} == {
        ("get", CONFIG_NAME),
        ("patch", CONFIG_NAME),
    }


@pytest.mark.usefixtures("registered")
def test_the_preflight_reports_it_and_the_fingerprint_knows_it(cluster: Toynet) -> None:
    cluster.set_up(TOY)
    cluster.lacks = {"tun"}
    with site_of(cluster) as site:
        found = cluster_preflight._axis(site, ENCAPSULATION)
        seen = read_cni(site.client, [PacketRoute(DEVICE, 1500, None)], 1500)
    assert (found.component, found.observed, found.why_not) == (TOYNET.name, TOY, None)
    assert found.values["none"] is None
    assert getattr(found.values[TOY], "code", "") == "kernel_no_tun"
    assert (seen.name, seen.version, seen.encapsulation) == (TOYNET.name, "v1.2.3", TOY)
    assert seen.features == {"wrap": "yes"}


@pytest.mark.services
@pytest.mark.usefixtures("registered")
def test_a_plan_has_its_values_and_leaves_out_what_the_cluster_cannot_have(
    bench: Bench, cluster: Toynet
) -> None:
    cluster_id, _ = looked_at(bench, cluster)
    with work_with(bench.sessions, bench.queue) as work:
        planned = plan_at(work, bench.owner, SWITCHING, cluster_id)
    assert [one for one in planned.feasibility.obstacles if one.axis] == []
    cluster.lacks = {"tun"}
    cluster_id, _ = looked_at(bench, cluster)
    with work_with(bench.sessions, bench.queue) as work:
        planned = plan_at(work, bench.owner, SWITCHING, cluster_id)
    (refused,) = (one for one in planned.feasibility.obstacles if one.axis)
    assert (refused.axis, refused.value) == (ENCAPSULATION, TOY)


@pytest.mark.services
@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize("stood", ["none", TOY])
def test_a_run_switches_it_there_and_back(
    bench: Bench, cluster: Toynet, linked: list[str | None], stood: str
) -> None:
    cluster.set_up(stood)
    before = cluster.stands()
    cluster_id, _ = looked_at(bench, cluster)
    run_id = bench.start_run(cluster_id, SWITCHING)
    assert bench.lead(run_id)
    run = bench.run(run_id)
    assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
    assert {case.point[ENCAPSULATION] for case in bench.cases(run_id)} == {"none", TOY}
    assert {case.status for case in bench.cases(run_id)} == {CaseStatus.SUCCEEDED}
    assert set(linked) == {"none", TOY}
    (saved,) = bench.saved_modes(run_id)
    assert saved.restored_at is not None
    assert saved.content["component"] == TOYNET.name
    assert cluster.stands() == before
    assert set(cluster.agents.values()) == {stood}
