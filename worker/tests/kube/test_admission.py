"""The manifest's admission policies: what Podmeter makes is let in, whatever else it asks is not.

Dry runs pass through all admission, so nothing is made but one pod that commands are asked for.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from podmeter.domain import labels
from podmeter.domain.components.kube_proxy import ON_NODES
from podmeter.domain.modes import KubeProxyMode
from podmeter.domain.ports import (
    HOST_NAMESPACE,
    POD_NAMESPACE,
    Access,
    IngressPolicy,
    IngressRoute,
    PodRequest,
    ServiceBatch,
    ServiceType,
)
from podmeter.domain.switching import SyncPeriods
from podmeter.rbac import manifest as rbac
from podmeter.rbac.capabilities import Capability
from podmeter_testbed.shell import wait_for
from podmeter_worker.kube import manifests
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.kube.exec_stream import ExecStream
from podmeter_worker.kube.facts.nodes import measuring_nodes
from podmeter_worker.kube.ingresses import ingress_body
from podmeter_worker.kube.network_policies import policy_body
from podmeter_worker.kube.node_shells import NodeShells
from podmeter_worker.kube.resources import (
    CONFIG_MAPS,
    DAEMON_SETS,
    INGRESSES,
    NETWORK_POLICIES,
    PODS,
    SERVICES,
    Object,
)
from podmeter_worker.kube.services import service_body
from podmeter_worker.kube.shells import Shells
from podmeter_worker.kube.sweep import sweep_objects
from podmeter_worker.modes.kube_proxy import cleanup as kube_proxy_cleanup
from podmeter_worker.modes.kube_proxy.periods import with_periods

from ..labs import IMAGE, RUN

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]

Change = Callable[[Object], Any]
_POLICY = "ValidatingAdmissionPolicy"


def pod(client: KubeClient, access: Access) -> Object:
    node = measuring_nodes(client)[0].name
    return manifests.pod(PodRequest("pm-asked", node, access, ("sleep", "60")), IMAGE, RUN)


def ask(client: KubeClient, body: Object) -> Object:
    return client.create(PODS.path(body["metadata"]["namespace"]), body, dry_run=True)


def container(body: Object) -> Object:
    found: Object = body["spec"]["containers"][0]
    return found


def volume(**source: Any) -> Change:
    return lambda body: body["spec"]["volumes"].append({"name": "more", **source})


def of_spec(**fields: Any) -> Change:
    return lambda body: body["spec"].update(fields)


def of_container(**fields: Any) -> Change:
    return lambda body: container(body).update(fields)


def of_security(**fields: Any) -> Change:
    return lambda body: container(body)["securityContext"].update(fields)


_PROBE = {"httpGet": {"host": "192.0.2.1", "port": 80}}
WRONG: dict[str, Change] = {
    "another image": of_container(image="docker.io/library/alpine:3"),
    "the image of another registry": of_container(image=f"evil.example/{IMAGE.reference}"),
    "another name": of_container(name="shell"),
    "a second container": lambda body: body["spec"]["containers"].append(
        {**copy.deepcopy(container(body)), "name": "second", "image": "alpine"}
    ),
    "an init container": lambda body: body["spec"].update(
        initContainers=[{**copy.deepcopy(container(body)), "name": "second"}]
    ),
    "the processes of the node": of_spec(hostPID=True, shareProcessNamespace=False),
    "the messages of the node": of_spec(hostIPC=True),
    "a token": of_spec(automountServiceAccountToken=True),
    "another account": of_spec(serviceAccountName="podmeter"),
    "a file of the node": volume(hostPath={"path": "/etc"}),
    "the node's root": volume(hostPath={"path": "/"}),
    "a secret": volume(secret={"secretName": "any"}),
    "a token as a volume": volume(
        projected={"sources": [{"serviceAccountToken": {"path": "token"}}]}
    ),
    "a configuration": volume(configMap={"name": "kube-root-ca.crt"}),
    "a secret's variables": of_container(envFrom=[{"secretRef": {"name": "any"}}]),
    "a probe from the node": of_container(livenessProbe=_PROBE),
    "a hook from the node": of_container(lifecycle={"postStart": _PROBE}),
    "a port of the node": of_container(ports=[{"containerPort": 80, "hostPort": 80}]),
    "privileged": of_security(privileged=True, allowPrivilegeEscalation=True),
    "escalation": of_security(allowPrivilegeEscalation=True),
    "a writable root": of_security(readOnlyRootFilesystem=False),
    "another capability": of_security(capabilities={"drop": ["ALL"], "add": ["SYS_ADMIN"]}),
    "all capabilities": of_security(capabilities={}),
    "no confinement": of_security(seccompProfile={"type": "Unconfined"}),
    "no confinement of the pod": of_spec(
        securityContext={"seccompProfile": {"type": "Unconfined"}}
    ),
    "no profile": of_security(appArmorProfile={"type": "Unconfined"}),
    "no profile, as it was written": lambda body: body["metadata"]["annotations"].update(
        {"container.apparmor.security.beta.kubernetes.io/bench": "unconfined"}
    ),
    "a privileged domain": of_security(seLinuxOptions={"type": "spc_t"}),
    "a sysctl": of_spec(
        securityContext={"sysctls": [{"name": "kernel.shm_rmid_forced", "value": "1"}]}
    ),
    "before all others": of_spec(priorityClassName="system-node-critical"),
    "without the label": lambda body: body["metadata"].update(labels={"a": "b"}),
}


@pytest.mark.parametrize("access", [Access.POD, Access.HOST, Access.HOST_ADMIN])
def test_measuring_pods_are_let_in(client: KubeClient, access: Access) -> None:
    body = pod(client, access)
    assert manifests.changes(body, ask(client, body)) == []
    body["spec"]["activeDeadlineSeconds"] = 3600
    ask(client, body)


@pytest.mark.parametrize("access", [Access.POD, Access.HOST_ADMIN])
@pytest.mark.parametrize("name", WRONG)
def test_any_other_pod_is_refused(client: KubeClient, name: str, access: Access) -> None:
    body = pod(client, access)
    WRONG[name](body)
    with pytest.raises(ApiRefusedError) as caught:
        ask(client, body)
    assert caught.value.status in (403, 422)
    # In the restricted namespace Pod Security may be the first to refuse; the other one has no
    # account but its own.
    others = ("PodSecurity",) if access is Access.POD else ("looking up service account",)
    assert any(one in caught.value.said for one in ("podmeter-pods", *others)), caught.value.said


def test_pods_are_held_to_the_cluster_s_pull_secret(client: KubeClient, admin: KubeClient) -> None:
    """By the manifest of a cluster that has one; the other is in effect again afterwards."""

    def policy(secret: str | None) -> Object:
        text = rbac.manifest(Capability.SWITCH_MODES, IMAGE.reference, secret)
        return next(
            body
            for body in yaml.safe_load_all(text)
            if (body["kind"], body["metadata"]["name"]) == (_POLICY, "podmeter-pods")
        )

    def takes(*secrets: str) -> bool:
        body = pod(client, Access.POD)
        body["spec"]["imagePullSecrets"] = [{"name": one} for one in secrets]
        try:
            ask(client, body)
        except ApiRefusedError as error:
            return "pulled with the Secret registry" not in error.said
        return True

    path = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/podmeter-pods"
    admin.apply(path, policy("registry"))
    try:
        wait_for("another Secret to be refused", lambda: not takes("another"), 60)
        assert takes("registry")
        assert takes()
        assert not takes("registry", "another")
    finally:
        admin.apply(path, policy(None))
        wait_for("any Secret to be let in again", lambda: takes("another"), 60)


def test_the_modules_of_the_node_are_only_read(client: KubeClient) -> None:
    body = pod(client, Access.HOST_ADMIN)
    (mount,) = (one for one in container(body)["volumeMounts"] if one["name"] == "modules")
    mount["readOnly"] = False
    with pytest.raises(ApiRefusedError, match="only read the node's modules"):
        ask(client, body)


def test_of_kube_proxy_s_image_it_runs_the_clean_up_alone(
    client: KubeClient,
) -> None:
    running = client.get(DAEMON_SETS.path("kube-system", "kube-proxy"))
    proxy = running["spec"]["template"]["spec"]["containers"][0]
    shell: Any = SimpleNamespace(node=measuring_nodes(client)[0].name, labels=labels.of_run(RUN))
    body = kube_proxy_cleanup._pod(shell, proxy, 180.0)
    ask(client, body)
    for change in (
        of_container(image=IMAGE.reference),
        of_container(command=["sh", "-c", "id"]),
        of_container(args=["--config=/x"]),
        of_container(env=[{"name": "LD_PRELOAD", "value": "/x"}]),
        volume(hostPath={"path": "/etc"}),
        of_spec(hostPID=True),
    ):
        wrong = copy.deepcopy(body)
        change(wrong)
        with pytest.raises(ApiRefusedError, match="podmeter-kube-proxy-cleanup"):
            ask(client, wrong)


def test_commands_run_in_measuring_pods_alone(client: KubeClient) -> None:
    with Shells(client.access) as shells:
        nodes = NodeShells(client, shells, image=IMAGE, run_label=RUN)
        try:
            (shell,) = nodes.on([measuring_nodes(client)[0].name]).values()
            assert shell.run(("id", "-u")).stdout.strip() == "0"
            with pytest.raises(ApiRefusedError, match="podmeter-commands"):
                ExecStream(client.access, HOST_NAMESPACE, shell.place.name, "another", ("true",))
        finally:
            sweep_objects(client, RUN)


@pytest.mark.smoke
def test_services_have_no_external_addresses(client: KubeClient) -> None:
    path = SERVICES.path(POD_NAMESPACE)
    for kind in ServiceType:
        batch = ServiceBatch(("pm-asked",), kind, 80, ("192.0.2.1",), 80)
        body = service_body(POD_NAMESPACE, RUN, batch, "pm-asked")
        client.create(path, body, dry_run=True)
        for change in (
            {"externalIPs": ["192.0.2.7"]},
            {
                "type": "ExternalName",
                "externalName": "example.com",
                "ipFamilies": None,
                "ipFamilyPolicy": None,
            },
            {"selector": {"app": "any"}},
            {"loadBalancerIP": "192.0.2.7"},
        ):
            wrong = {**body, "spec": {**body["spec"], **change}}
            with pytest.raises(ApiRefusedError, match="podmeter-services"):
                client.create(path, wrong, dry_run=True)
        told = {**body["metadata"], "annotations": {"metallb.io/loadBalancerIPs": "192.0.2.7"}}
        with pytest.raises(ApiRefusedError, match="podmeter-services"):
            client.create(path, {**body, "metadata": told}, dry_run=True)


def test_network_policies_select_the_run_s_own_pods_alone(client: KubeClient) -> None:
    path = NETWORK_POLICIES.path(POD_NAMESPACE)
    body = policy_body(RUN, IngressPolicy("pm-asked", "pm-server", "pm-client", 80))
    client.create(path, body, dry_run=True)
    for selector in (
        {},
        {"matchLabels": {"app": "any"}},
        {"matchLabels": {labels.RUN: "another"}},
        {"matchExpressions": [{"key": labels.RUN, "operator": "Exists"}]},
    ):
        wrong = {**body, "spec": {**body["spec"], "podSelector": selector}}
        with pytest.raises(ApiRefusedError, match="podmeter-network-policies"):
            client.create(path, wrong, dry_run=True)
    nameless = {**body, "metadata": {"name": "pm-asked", "namespace": POD_NAMESPACE}}
    with pytest.raises(ApiRefusedError, match="podmeter-network-policies"):
        client.create(path, nameless, dry_run=True)


def test_ingresses_lead_one_host_to_the_run_s_own_service(client: KubeClient) -> None:
    path = INGRESSES.path(POD_NAMESPACE)
    route = IngressRoute("pm-asked", "pm-web.podmeter.internal", "pm-server", 80)
    body = ingress_body(RUN, route, "any")
    client.create(path, body, dry_run=True)
    metadata, (rule,) = body["metadata"], body["spec"]["rules"]
    theirs = ingress_body(RUN, replace(route, service="theirs"), "any")
    for wrong in (
        {**body, "metadata": {**metadata, "annotations": {"any": "snippet"}}},
        {**body, "metadata": {**metadata, "labels": {}}},
        {**body, "spec": {**body["spec"], "tls": [{"hosts": [rule["host"]]}]}},
        {
            **body,
            "spec": {**body["spec"], "rules": [rule, {**rule, "host": "pm-b.podmeter.internal"}]},
        },
        {**body, "spec": {**body["spec"], "rules": [{"http": rule["http"]}]}},
        {**body, "spec": {**body["spec"], "rules": [{**rule, "host": "*.podmeter.internal"}]}},
        {**body, "spec": {**body["spec"], "rules": [{**rule, "host": "shop.example.com"}]}},
        {**body, "spec": {**body["spec"], "rules": [{**rule, "host": "pm-a.internal"}]}},
        {
            **body,
            "spec": {"defaultBackend": {"service": {"name": "pm-a", "port": {"number": 80}}}},
        },
        theirs,
    ):
        with pytest.raises(ApiRefusedError, match="podmeter-ingresses"):
            client.create(path, wrong, dry_run=True)


@pytest.mark.smoke
def test_of_kube_proxy_only_mode_and_pause_change(client: KubeClient) -> None:
    path = DAEMON_SETS.path("kube-system", "kube-proxy") + "?dryRun=All"
    client.patch(path, {"metadata": {"annotations": {"podmeter.io/any": "x"}}})
    client.patch(path, {"spec": {"template": {"spec": {"nodeSelector": {labels.PAUSED: "true"}}}}})
    proxy = client.get(path)["spec"]["template"]["spec"]["containers"][0]
    for change in (
        {"containers": [{**proxy, "image": "alpine"}]},
        {"containers": [{**proxy, "command": ["sh"]}]},
        {"hostPID": True},
        {"nodeSelector": {"any": "x"}},
        {"terminationGracePeriodSeconds": 1},
    ):
        with pytest.raises(ApiRefusedError, match="podmeter-kube-proxy-pause"):
            client.patch(path, {"spec": {"template": {"spec": change}}})
    with pytest.raises(ApiRefusedError, match="podmeter-kube-proxy-pause"):
        client.patch(path, {"spec": {"template": {"metadata": {"annotations": {"a": "b"}}}}})
    path = CONFIG_MAPS.path("kube-system", "kube-proxy")
    text = client.get(path)["data"]["config.conf"]
    path += "?dryRun=All"
    for mode in ("ipvs", "nftables", ""):
        changed = "\n".join(
            f'mode: "{mode}"' if line.startswith("mode:") else line for line in text.split("\n")
        )
        client.patch(path, {"data": {"config.conf": changed}})
    for changed in (
        text.replace("  syncPeriod: 0s", "  syncPeriod: 180s"),
        with_periods(text, "ipvs", SyncPeriods(180.0, 2.0)),
        # A section that is not there yet comes with them; what stood goes again.
        text + "\niptables:\n  syncPeriod: 180s\n",
    ):
        client.patch(path, {"data": {"config.conf": changed}})
    for data in (
        {"config.conf": text.replace("configSyncPeriod: 0s", "configSyncPeriod: 1h")},
        {"config.conf": text.replace("ipvs:", "")},
        {"config.conf": text.replace("clientConnection:", "clientConnection2:")},
        {"config.conf": f"{text}\nmetricsBindAddress: 0.0.0.0:80\n"},
        {"more": "x"},
        {"config.conf": None},
    ):
        with pytest.raises(ApiRefusedError, match="podmeter-kube-proxy-configuration"):
            client.patch(path, {"data": data})


def keeping_off(*values: str, **expression: Any) -> Object:
    of_host = {"key": "kubernetes.io/hostname", "operator": "NotIn", "values": list(values)}
    terms = [{"matchExpressions": [of_host | expression]}]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    return {"affinity": {"nodeAffinity": required}}


def test_kube_proxy_is_kept_off_nodes_by_podmeter_s_own_mark_alone(client: KubeClient) -> None:
    path = DAEMON_SETS.path("kube-system", "kube-proxy") + "?dryRun=All"

    def patch(change: Object, **spec: Any) -> None:
        client.patch(path, {"spec": {"template": {"spec": change}, **spec}})

    waits = {"type": "OnDelete", "rollingUpdate": None}
    patch(keeping_off("node-1", "podmeter.io"), updateStrategy=waits)
    refused: list[Object] = [
        keeping_off("node-1"),
        keeping_off("podmeter.io", operator="In"),
        keeping_off("podmeter.io", key="kubernetes.io/arch"),
        {"affinity": {"podAntiAffinity": {}}},
    ]
    for change in refused:
        with pytest.raises(ApiRefusedError, match="podmeter-kube-proxy-pause"):
            patch(change)
    with pytest.raises(ApiRefusedError, match="podmeter-kube-proxy-pause"):
        patch({}, minReadySeconds=5)


OWN = ON_NODES[KubeProxyMode.NFTABLES]


def copy_of_kube_proxy(client: KubeClient) -> Object:
    """As the worker makes it; tests of the switcher make a real one."""
    pod = copy.deepcopy(client.get(DAEMON_SETS.path("kube-system", "kube-proxy"))["spec"])[
        "template"
    ]["spec"]
    for one in pod["volumes"]:
        if "configMap" in one:
            one["configMap"]["name"] = OWN
    chosen = {"podmeter.io/kube-proxy": "nftables"}
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": OWN, "labels": labels.of_run(RUN)},
        "spec": {
            "selector": {"matchLabels": chosen},
            "template": {"metadata": {"labels": chosen}, "spec": pod},
        },
    }


def of_template(**fields: Any) -> Change:
    return lambda body: body["spec"]["template"]["spec"].update(fields)


def of_proxy(**fields: Any) -> Change:
    return lambda body: body["spec"]["template"]["spec"]["containers"][0].update(fields)


#: What is changed, and which of the checks refuses it.
NAMED, RUNS, SEES = "of DaemonSets it creates", "runs what kube-proxy's own", "sees what"
COPIES: dict[str, tuple[Change, str]] = {
    "another name": (
        lambda body: body["metadata"].update(name="mine"),
        NAMED,
    ),
    "no label": (
        lambda body: body["metadata"].update(labels={}),
        NAMED,
    ),
    "another image": (
        of_proxy(image="docker.io/library/alpine:3"),
        RUNS,
    ),
    "another command": (
        of_proxy(command=["sh", "-c", "id"]),
        RUNS,
    ),
    "another account": (
        of_template(serviceAccountName="default", serviceAccount="default"),
        RUNS,
    ),
    "the processes of the node": (
        of_template(hostPID=True),
        RUNS,
    ),
    "a second container": (
        lambda body: body["spec"]["template"]["spec"]["containers"].append(
            {"name": "second", "image": "alpine"}
        ),
        RUNS,
    ),
    "another volume": (
        lambda body: body["spec"]["template"]["spec"]["volumes"].append(
            {"name": "root", "hostPath": {"path": "/"}}
        ),
        SEES,
    ),
    "a volume in place of one": (
        lambda body: body["spec"]["template"]["spec"]["volumes"][0].update(
            {"configMap": None, "hostPath": {"path": "/"}}
        ),
        SEES,
    ),
    "an annotation": (
        lambda body: body["spec"]["template"]["metadata"].update(
            annotations={"container.apparmor.security.beta.kubernetes.io/kube-proxy": "unconfined"}
        ),
        RUNS,
    ),
}


def test_a_copy_of_kube_proxy_is_let_in(client: KubeClient) -> None:
    path = DAEMON_SETS.path("kube-system")
    client.create(path, copy_of_kube_proxy(client), dry_run=True)


@pytest.mark.parametrize("name", COPIES)
def test_any_other_daemon_set_is_refused(client: KubeClient, name: str) -> None:
    body = copy_of_kube_proxy(client)
    change, check = COPIES[name]
    change(body)
    with pytest.raises(ApiRefusedError, match=f"podmeter-kube-proxy-on-nodes.*{check}"):
        client.create(DAEMON_SETS.path("kube-system"), body, dry_run=True)


def test_of_the_copy_s_configuration_only_mode_and_periods_are_its_own(client: KubeClient) -> None:
    path = CONFIG_MAPS.path("kube-system")
    data = client.get(CONFIG_MAPS.path("kube-system", "kube-proxy"))["data"]
    text = data["config.conf"]
    body: Object = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": OWN, "labels": labels.of_run(RUN)},
    }
    mode = "\n".join(
        'mode: "nftables"' if line.startswith("mode:") else line for line in text.split("\n")
    )
    for let_in in (text, mode, with_periods(text, "ipvs", SyncPeriods(180.0, 2.0))):
        client.create(path, {**body, "data": {**data, "config.conf": let_in}}, dry_run=True)
    for refused in (
        {**data, "config.conf": text.replace("clientConnection:", "clientConnection2:")},
        {**data, "kubeconfig.conf": "apiVersion: v1"},
        {**data, "more": "x"},
        {"config.conf": text},
    ):
        with pytest.raises(ApiRefusedError, match="on-nodes-configuration") as caught:
            client.create(path, {**body, "data": refused}, dry_run=True)
        assert "of ConfigMaps it creates" not in caught.value.said
    other = {**body, "metadata": {**body["metadata"], "name": "mine"}, "data": data}
    with pytest.raises(ApiRefusedError, match="of ConfigMaps it creates"):
        client.create(path, other, dry_run=True)


def test_of_flannel_only_the_backend_changes_and_none_that_runs_commands(
    client: KubeClient,
) -> None:
    path = CONFIG_MAPS.path("kube-flannel", "kube-flannel-cfg")
    data = client.get(path)["data"]
    path += "?dryRun=All"
    client.patch(path, {"data": {"net-conf.json": '{"Backend": {"Type": "host-gw"}}'}})
    for change in (
        {"net-conf.json": '{"Backend": {"Type": "extension", "PreStartupCommand": "id"}}'},
        {"net-conf.json": '{"Backend": {"Type": "EXTENSION"}}'},
        {"net-conf.json": '{"Backend": {"Type": "\\u0065xtension"}}'},
        {"cni-conf.json": data["cni-conf.json"] + " "},
    ):
        with pytest.raises(ApiRefusedError, match="podmeter-flannel-configuration"):
            client.patch(path, {"data": change})


def test_others_are_not_held_to_it(admin: KubeClient) -> None:
    body = pod(admin, Access.HOST_ADMIN)
    container(body)["image"] = "alpine"
    assert container(ask(admin, body))["image"] == "alpine"
