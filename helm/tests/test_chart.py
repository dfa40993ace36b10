"""The chart without a cluster: it renders, refuses what is wrong, and fits the product."""

import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml
from core.tests.kubernetes_yaml import objects_of
from core.tests.sampling import sampled
from helm.tests.chart import CHART, EXISTING, NAMESPACE, PROJECT, VALUES, Chart, named, pod_specs

from podmeter.cli import _parser
from podmeter.db.models import Role
from podmeter.domain.labels import SERVICE
from podmeter.rbac.capabilities import LEVELS, Capability
from podmeter.rbac.manifest import manifest
from podmeter.services.sign_on.configuration import configuration, password_logins
from podmeter.settings import Settings, environment_names
from podmeter.version import BENCH_IMAGE, VERSION
from podmeter_testbed.errors import TestbedError

BENCH = BENCH_IMAGE
every_values = pytest.mark.parametrize("values", sampled(VALUES, 4), ids=lambda path: path.stem)
#: The only pods that have a token of this cluster's.
WITH_TOKEN = {"Job podmeter-register", "Job podmeter-drain"}


def with_file(values: Path) -> tuple[str, str]:
    return "--values", str(values)


@every_values
def test_it_lints(chart: Chart, values: Path) -> None:
    chart.helm.run("lint", "--strict", str(CHART), *EXISTING, *with_file(values))


def test_ten_values_at_least_are_tried() -> None:
    assert len(VALUES) >= 10


WRONG = {
    "worker.replicas=-1": "worker",
    "worker.replicas=many": "worker",
    "beat.replicas=2": "replicas",
    "images.tags=1": "tags",
    "images.bench=not an image": "bench",
    "publicUrl=podmeter.example": "publicUrl",
    "publicUrl=https://podmeter.example/path": "publicUrl",
    "ingress.enabled=true": "host",
    "gateway.enabled=true,gateway.host=podmeter.example": "parentRefs",
    "ingress.enabled=true,ingress.host=podmeter.example": "trustedProxies",
    "gateway.enabled=true,gateway.host=podmeter.example,gateway.parentRefs[0].name=public": (
        "trustedProxies"
    ),
    "trustedProxies={ingress-nginx}": "trustedProxies",
    "settings.PODMETER_TRUSTED_PROXIES=10.0.0.0/8": "PODMETER_TRUSTED_PROXIES",
    "service.externalTrafficPolicy=Global": "externalTrafficPolicy",
    "measureThisCluster.capability=cluster-admin": "capability",
    "measureThisCluster.server=http://10.0.0.1": "server",
    "postgres.url=postgresql://elsewhere": "url",
    "redis.bundled=false,redis.url=http://elsewhere": "url",
    "settings.DATABASE_URL=postgresql://elsewhere": "DATABASE_URL",
    "settings.PODMETER_ENCRYPTION_KEYS=secret": "PODMETER_ENCRYPTION_KEYS",
    "settings.PODMETER_ADMIN_PASSWORD_FILE=/secret": "PODMETER_ADMIN_PASSWORD_FILE",
    "settings.PODMETER_OIDC_CLIENT_SECRET=secret": "PODMETER_OIDC_CLIENT_SECRET",
    "signOn.issuer=http://login.example.org": "issuer",
    "signOn.issuer=https://login.example.org": "roles",
    "signOn.roles=net-admins=root": "roles",
    "signOn.only=true": "only",
    "service.type=ExternalName": "type",
    "podSecurityContext.runAsUser=0": "runAsUser",
    "postgres.user=0": "user",
    "admin.email=nobody": "email",
    "admin.tokenRole=root": "tokenRole",
    "admin.tokenDays=400": "tokenDays",
    "settings.PODMETER_FIRST_TOKEN=podmeter_x": "PODMETER_FIRST_TOKEN",
    "networkPolicies.apiTo={0.0.0.0/0}": "apiTo",
    "worker.resources.limits.memory=lots": "memory",
}


@pytest.mark.parametrize(("values", "named_in_answer"), sampled(WRONG.items(), 10))
def test_wrong_values_are_refused_by_name(chart: Chart, values: str, named_in_answer: str) -> None:
    with pytest.raises(TestbedError, match="values don't meet the specifications") as refused:
        chart.text(*EXISTING, "--set", values)
    assert named_in_answer in str(refused.value)


@pytest.mark.parametrize(
    ("values", "proxies"),
    [("ingress", "10.244.0.0/16"), ("gateway", "10.244.0.0/16,fd00:10:244::/56")],
)
def test_what_the_proxy_says_of_clients_is_believed(
    chart: Chart, values: str, proxies: str
) -> None:
    """Else everybody shares the proxy's address, and the limits that go by it."""
    made = chart.objects(*with_file(CHART.parent / f"tests/values/{values}.yaml"))
    data = named(made, "ConfigMap", "podmeter")["data"]
    assert data["PODMETER_TRUSTED_PROXIES"] == proxies


@pytest.mark.parametrize(
    ("values", "policy"),
    [
        ("service.type=LoadBalancer", "Local"),
        ("service.type=LoadBalancer,service.externalTrafficPolicy=Cluster", "Cluster"),
        ("service.type=NodePort", "Local"),
        ("service.type=NodePort,service.externalTrafficPolicy=Cluster", "Cluster"),
        ("service.type=ClusterIP", None),
    ],
)
def test_a_service_does_not_hide_the_clients_addresses(
    chart: Chart, values: str, policy: str | None
) -> None:
    service = named(chart.objects("--set", values), "Service", "podmeter")["spec"]
    assert service.get("externalTrafficPolicy") == policy


@pytest.mark.parametrize("release", ["podmeter", "team-a", "my-podmeter"])
def test_the_alerts_are_about_the_volumes_of_the_databases(chart: Chart, release: str) -> None:
    groups = yaml.safe_load((PROJECT / "docs/grafana/alerts.yaml").read_text())["groups"]
    (rules,) = [group["rules"] for group in groups if group["name"] == "podmeter-volumes"]
    patterns = [re.findall('persistentvolumeclaim=~"([^"]+)"', rule["expr"]) for rule in rules]
    text = chart.helm.run("template", release, str(CHART), "--namespace", NAMESPACE, *EXISTING)
    claims = [
        f"{claim['metadata']['name']}-{one['metadata']['name']}-0"
        for one in objects_of(text)
        if one["kind"] == "StatefulSet"
        for claim in one["spec"]["volumeClaimTemplates"]
    ]
    assert len(claims) == 2
    for (pattern,) in patterns:
        assert all(re.fullmatch(pattern, claim) for claim in claims), claims


def test_what_only_renders_makes_no_secrets(chart: Chart) -> None:
    """It would make others each time, and what is encrypted under the first were lost."""
    with pytest.raises(TestbedError, match=r"name a Secret of your own by secrets\.existing"):
        chart.text()


@pytest.mark.parametrize("namespace", ["podmeter", "podmeter-host"])
def test_it_is_not_installed_where_it_measures(chart: Chart, namespace: str) -> None:
    with pytest.raises(TestbedError, match="install into another one"):
        chart.text(*EXISTING, "--namespace", namespace)


#: Every capability, with admission policies or without, with a pull secret or without.
RIGHTS = list(product(LEVELS, [True, False], [None, "registry-login"]))


@pytest.mark.parametrize(("capability", "policy", "secret"), sampled(RIGHTS, 4))
def test_the_rights_are_those_of_podmeter_rbac(
    chart: Chart, capability: Capability, policy: bool, secret: str | None
) -> None:
    """Not one object more, less or different; `make helm-rbac` writes the chart's copies."""
    values = f"measureThisCluster.enabled=true,measureThisCluster.capability={capability}"
    policies = f"measureThisCluster.admissionPolicy={str(policy).lower()}"
    pulled = f"measureThisCluster.pullSecret={secret or ''}"
    made = chart.objects("--set", values, "--set", policies, "--set", pulled)
    without = chart.objects()
    own = {identity(one) for one in without}
    own |= {(kind, namespace, "podmeter-register") for kind, namespace in OF_THE_HOOK}
    own |= {("Job", None, "podmeter-register"), ("Secret", "podmeter", "podmeter-token")}
    text = manifest(capability, BENCH, secret, admission_policy=policy)
    found = {identity(one): one for one in made if identity(one) not in own}
    assert found == {identity(one): one for one in objects_of(text)}
    register = named(made, "Job", "podmeter-register")["spec"]["template"]["spec"]["containers"][0]
    assert (f"--pull-secret={secret}" in register["command"]) is bool(secret)


OF_THE_HOOK = [
    (kind, where) for kind in ("Role", "RoleBinding") for where in ("podmeter", "default")
]


def identity(one: dict[str, Any]) -> tuple[str, str | None, str]:
    return one["kind"], one["metadata"].get("namespace"), one["metadata"]["name"]


def test_older_clusters_are_told_that_they_have_no_policies(chart: Chart) -> None:
    words = ("--set", "measureThisCluster.enabled=true", "--kube-version", "1.29.4")
    with pytest.raises(TestbedError, match=r"measureThisCluster\.admissionPolicy to false"):
        chart.text(*EXISTING, *words)
    without = chart.text(*EXISTING, *words, "--set", "measureThisCluster.admissionPolicy=false")
    assert "ValidatingAdmissionPolicy" not in without


def test_the_token_does_not_expire(chart: Chart) -> None:
    made = chart.objects("--set", "measureThisCluster.enabled=true")
    token = named(made, "Secret", "podmeter-token")
    assert token["type"] == "kubernetes.io/service-account-token"
    assert token["metadata"]["annotations"] == {"kubernetes.io/service-account.name": "podmeter"}


@every_values
def test_pods_are_as_small_as_they_can_be(chart: Chart, values: Path) -> None:
    seen = set()
    for name, metadata, spec in pod_specs(chart.objects(*with_file(values))):
        seen.add(name)
        assert spec["automountServiceAccountToken"] is (name in WITH_TOKEN), name
        assert spec["enableServiceLinks"] is False, name
        assert spec["securityContext"]["runAsNonRoot"] is True, name
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}, name
        # By this label Podmeter knows not to renew them.
        assert metadata["labels"][SERVICE] == metadata["labels"]["app.kubernetes.io/component"]
        for container in [*spec.get("initContainers", []), *spec["containers"]]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }, name
            assert container["resources"]["requests"], name
            assert container["resources"]["limits"]["memory"], name
            # A process that starts as the first of its container cannot be asked to end.
            own = "podmeter/" in container["image"] and not name.startswith("Pod ")
            assert not own or spec["shareProcessNamespace"] is True, name
    assert len(seen) >= 7


@every_values
def test_there_is_one_beat_and_workers_have_time_to_put_modes_back(
    chart: Chart, values: Path
) -> None:
    made = chart.objects(*with_file(values))
    beat = named(made, "Deployment", "podmeter-beat")["spec"]
    assert beat["replicas"] == 1
    assert beat["strategy"] == {"type": "Recreate"}
    for part in ("worker", "upkeep"):
        pod = named(made, "Deployment", f"podmeter-{part}")["spec"]["template"]["spec"]
        assert pod["terminationGracePeriodSeconds"] >= 130


@every_values
def test_every_setting_is_one_of_the_products(chart: Chart, values: Path) -> None:
    made = chart.objects(*with_file(values))
    known = environment_names()
    assert named(made, "ConfigMap", "podmeter")["data"].keys() <= known.keys()
    for name, _, spec in pod_specs(made):
        for container in [*spec.get("initContainers", []), *spec["containers"]]:
            for variable in container.get("env", []):
                setting = variable["name"].removesuffix("_FILE")
                assert setting in known or setting in POSTGRES, (name, setting)


POSTGRES = ("POSTGRES_USER", "POSTGRES_DB", "POSTGRES_PASSWORD", "PGDATA")


def test_commands_are_those_of_the_product(chart: Chart) -> None:
    seen = set()
    for _, _, spec in pod_specs(chart.objects("--set", "measureThisCluster.enabled=true")):
        for container in [*spec.get("initContainers", []), *spec["containers"]]:
            match container.get("command", []):
                case ["podmeter-admin", *words]:
                    _parser().parse_args(words)
                    seen.add(tuple(words))
                case ["python", "-m", module, *_]:
                    path = PROJECT / "worker" / "src" / (module.replace(".", "/"))
                    assert path.with_suffix(".py").exists() or (path / "__main__.py").exists()
                    seen.add((module,))
    assert {("await", "migration"), ("await", "database"), ("migrate",)} < seen
    assert ("podmeter_worker.installed.register",) in seen


def test_several_migrations_at_a_time_are_no_two_jobs_of_one_name(chart: Chart) -> None:
    """A Job is not changed once it is made: another version has another."""

    def name(*words: str) -> str:
        jobs = [
            str(one["metadata"]["name"]) for one in chart.objects(*words) if one["kind"] == "Job"
        ]
        (found,) = [job for job in jobs if "-migrate-" in job]
        return found

    assert name() == name("--set", "worker.replicas=3")
    assert name() != name("--set", "images.tag=0.2.0")
    assert name() != name("--set", "settings.PODMETER_AUDIT_DAYS=3650")


@pytest.mark.parametrize(
    ("words", "days"),
    [
        ((), None),
        (("--set", "settings.PODMETER_AUDIT_DAYS=365"), "365"),
        (with_file(CHART.parent / "tests/values/ingress.yaml"), "3650"),
    ],
)
def test_the_migration_keeps_the_audit_log_for_as_long_as_is_set(
    chart: Chart, words: tuple[str, ...], days: str | None
) -> None:
    """It writes the number of days into the database, which deletes older entries."""
    for kind in ((), ("--is-upgrade",)):
        (job,) = [one for one in pod_specs(chart.objects(*kind, *words)) if "-migrate-" in one[0]]
        given = {one["name"]: one.get("value") for one in job[2]["containers"][0]["env"]}
        assert given.get("PODMETER_AUDIT_DAYS") == days


def test_an_upgrade_migrates_before_anything_else(chart: Chart) -> None:
    made = chart.objects("--is-upgrade")
    (job,) = [one for one in made if "-migrate-" in one["metadata"]["name"]]
    assert job["metadata"]["annotations"]["helm.sh/hook"] == "pre-upgrade"


def test_databases_are_reached_by_podmeter_alone(chart: Chart) -> None:
    made = chart.objects()
    for part, users in {
        "postgres": {"api", "worker", "upkeep", "migrate", "register", "drain"},
        "redis": {"api", "worker", "upkeep", "beat", "register"},
    }.items():
        policy = named(made, "NetworkPolicy", f"podmeter-{part}")["spec"]
        assert policy["policyTypes"] == ["Ingress", "Egress"]
        assert policy["egress"] == []
        ((rule,),) = [policy["ingress"]]
        ((source,),) = [rule["from"]]
        ((expression,),) = [source["podSelector"]["matchExpressions"]]
        assert set(expression["values"]) == users


def test_single_sign_on_is_set_up_as_the_product_takes_it(chart: Chart) -> None:
    made = chart.objects(*with_file(CHART.parent / "tests/values/single_sign_on.yaml"))
    values = named(made, "ConfigMap", "podmeter")["data"]
    settings = Settings(
        _env_file=None,
        **{
            name.removeprefix("PODMETER_").lower(): value
            for name, value in values.items()
            if "_OIDC_" in name
        },
    )
    found = configuration(settings)
    assert found is not None
    assert found.roles == {"net-admins": Role.ADMIN, "*": Role.VIEWER}
    assert settings.oidc_only
    assert password_logins(settings).break_glass == "glass@example.org"
    for name, _, spec in pod_specs(made):
        (container, *_) = spec["containers"]
        variables = {one["name"]: one.get("value") for one in container.get("env", [])}
        secret = variables.get("PODMETER_OIDC_CLIENT_SECRET_FILE")
        assert (secret is not None) == (name == "Deployment podmeter-api"), name
        if secret is not None:
            (projected,) = [one for one in spec["volumes"] if one["name"] == "secrets"]
            assert {
                "secret": {
                    "name": "podmeter-client",
                    "items": [{"key": "client-secret", "path": secret.rpartition("/")[2]}],
                }
            } in projected["projected"]["sources"]


def test_only_the_migration_has_the_first_token(chart: Chart) -> None:
    for name, _, spec in pod_specs(
        chart.objects(*with_file(CHART.parent / "tests/values/first_token.yaml"))
    ):
        container, sources = spec["containers"][0], projected(spec)
        variables = {one["name"]: one.get("value") for one in container.get("env", [])}
        given = {key: value for key, value in variables.items() if "FIRST_TOKEN" in key}
        secret = {
            "secret": {
                "name": "podmeter-token",
                "items": [{"key": "operator", "path": "first-token"}],
            }
        }
        if "-migrate-" not in name:
            assert (given, secret in sources) == ({}, False), name
            continue
        assert secret in sources
        assert given.pop("PODMETER_FIRST_TOKEN_FILE") == "/run/secrets/podmeter/first-token"
        settings = Settings(
            _env_file=None,
            **{key.removeprefix("PODMETER_").lower(): value for key, value in given.items()},
        )
        assert (settings.first_token_role, settings.first_token_days) == ("admin", 30)


def projected(spec: dict[str, Any]) -> list[Any]:
    volumes = [one for one in spec.get("volumes", []) if one["name"] == "secrets"]
    return volumes[0]["projected"]["sources"] if volumes and "projected" in volumes[0] else []


def test_the_api_reaches_out_for_a_provider_alone(chart: Chart) -> None:
    with_one = chart.objects(*with_file(CHART.parent / "tests/values/single_sign_on.yaml"))
    assert named(with_one, "NetworkPolicy", "podmeter-api")["spec"]["egress"] == [{}]
    without = named(chart.objects(), "NetworkPolicy", "podmeter-api")["spec"]["egress"]
    assert without
    assert {} not in without


def test_the_api_reaches_issuers_of_ci_tokens_where_that_is_allowed(chart: Chart) -> None:
    values = CHART.parent / "tests/values/ci.yaml"
    allowed = yaml.safe_load(values.read_text())["networkPolicies"]["apiTo"]
    made = chart.objects(*with_file(values))
    without = named(chart.objects(), "NetworkPolicy", "podmeter-api")["spec"]["egress"]
    found = named(made, "NetworkPolicy", "podmeter-api")["spec"]["egress"]
    assert found == [*without, {"to": allowed}]


def test_the_versions_are_the_packages(chart: Chart) -> None:
    said = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert said["version"] == said["appVersion"] == VERSION
