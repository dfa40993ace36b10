"""The guards of what Podmeter makes to measure: pods, commands in them, Services, policies,
Ingresses.

They say in CEL what the worker makes (podmeter_worker/kube/manifests.py), so that nobody who
holds its token makes anything else. On a cluster, tests ask for both.
"""

from __future__ import annotations

import json

from podmeter.domain import labels
from podmeter.domain.guards import Check, Guard
from podmeter.domain.pod_guard import POD_CHECKS, POD_VARIABLES

#: The only container of a measuring pod.
CONTAINER = "bench"

_SECURITY_CHECKS = (
    Check(f"variables.container.name == '{CONTAINER}'", f"its container is called {CONTAINER}"),
    Check(
        "!variables.security.?privileged.orValue(false) && "
        "variables.security.?allowPrivilegeEscalation.orValue(true) == false && "
        "variables.security.?readOnlyRootFilesystem.orValue(false) && "
        "variables.security.?procMount.orValue('Default') == 'Default' && "
        "variables.security.?capabilities.?drop.orValue([]) == ['ALL'] && "
        "variables.security.?capabilities.?add.orValue([]).all(one, "
        "variables.host && one in ['NET_ADMIN', 'NET_RAW'])",
        "its measuring pods are not privileged; with host access they have NET_ADMIN and NET_RAW",
    ),
    Check(
        "variables.host || (variables.security.?runAsNonRoot.orValue(false) && "
        "variables.security.?runAsUser.orValue(0) != 0)",
        "its measuring pods are root only with host access",
    ),
    Check(
        "[dyn(object.spec.?securityContext.orValue({})), dyn(variables.security)].all(one, "
        "!has(one.windowsOptions) && "
        "one.?seccompProfile.?type.orValue('RuntimeDefault') == 'RuntimeDefault' && "
        "one.?appArmorProfile.?type.orValue('RuntimeDefault') != 'Unconfined' && "
        "one.?seLinuxOptions.?type.orValue('') == '' && one.?sysctls.orValue([]).size() == 0) && "
        "!object.metadata.?annotations.orValue({}).exists(one, "
        "one.startsWith('container.apparmor.security.beta.kubernetes.io/'))",
        "its measuring pods keep the confinement that the node gives them",
    ),
)
_EXEC = Guard(
    name="commands",
    group="",
    resources=("pods/exec",),
    operations=("CONNECT",),
    checks=(
        Check(
            f"object.?container.orValue('') == '{CONTAINER}'",
            "it runs commands in its measuring pods alone",
        ),
    ),
)
_SERVICES = Guard(
    name="services",
    group="",
    resources=("services",),
    operations=("CREATE", "UPDATE"),
    checks=(
        Check(
            "object.spec.?externalIPs.orValue([]).size() == 0 && "
            "object.spec.?type.orValue('ClusterIP') in "
            "['ClusterIP', 'NodePort', 'LoadBalancer'] && "
            "object.spec.?selector.orValue({}).size() == 0",
            "its Services have no external addresses and select nobody's pods",
        ),
        Check(
            # Controllers of load balancers write annotations into Services that are there.
            "object.metadata.?annotations.orValue({}) == "
            "(request.operation == 'UPDATE' ? oldObject.metadata.?annotations.orValue({}) : {}) && "
            "object.spec.?loadBalancerIP.orValue('') == ''",
            "its Services tell controllers nothing, and ask for no address of their own choice",
        ),
    ),
)
_NETWORK_POLICIES = Guard(
    name="network-policies",
    group="networking.k8s.io",
    resources=("networkpolicies",),
    operations=("CREATE", "UPDATE"),
    checks=(
        Check(
            f"object.metadata.?labels[?'{labels.RUN}'].orValue('') != '' && "
            f"object.spec.podSelector.?matchLabels[?'{labels.RUN}'].orValue('') == "
            f"object.metadata.labels['{labels.RUN}']",
            "its NetworkPolicies select its own measuring pods alone",
        ),
    ),
)
_INGRESSES = (
    Check(
        f"object.metadata.?labels[?'{labels.RUN}'].orValue('') != '' && "
        "object.metadata.?annotations.orValue({}).size() == 0 && "
        "!has(object.spec.defaultBackend) && object.spec.?tls.orValue([]).size() == 0 && "
        "object.spec.?rules.orValue([]).size() == 1 && "
        "object.spec.rules[0].?host.orValue('') != '' && "
        "!object.spec.rules[0].host.startsWith('*') && "
        "object.spec.rules[0].http.paths.all(one, has(one.backend.service) && "
        "one.backend.service.name.startsWith('pm-'))",
        "its Ingresses lead one host to its own Service, and tell controllers nothing else",
    ),
)
_OWN_DOMAIN = labels.OWN_DOMAIN.replace(".", "[.]")
_OWN_HOSTS = (
    Check(
        "object.spec.?rules.orValue([]).all(one, "
        f"one.?host.orValue('').matches('^pm-[a-z0-9-]+[.]{_OWN_DOMAIN}$'))",
        f"its Ingresses are for hosts under {labels.OWN_DOMAIN}; for others, allow host names on "
        "the cluster (allow_host_names) and apply the manifest again",
    ),
)


def measuring_guards(
    image: str | None, pull_secret: str | None = None, *, host_names: bool = False
) -> tuple[Guard, ...]:
    """The guards of measuring; without an image, pods are held to their shape alone.

    Ingresses are held to hosts under Podmeter's own domain unless `host_names` allows any.

    Without a pull secret they may name any: the API server itself gives them those of the
    namespace's ServiceAccount.
    """
    fixed = [
        Check(
            f"variables.container.image == {json.dumps(image)}",
            f"its measuring pods run {image}; if the image has changed, apply the manifest again",
        )
    ]
    pulled = [
        Check(
            "object.spec.?imagePullSecrets.orValue([]).all(one, "
            f"one.?name.orValue('') == {json.dumps(pull_secret)})",
            f"its measuring pods are pulled with the Secret {pull_secret}; if that has changed, "
            "apply the manifest again",
        )
    ]
    pods = Guard(
        name="pods",
        group="",
        resources=("pods", "pods/ephemeralcontainers"),
        operations=("CREATE", "UPDATE"),
        checks=(
            *POD_CHECKS,
            *_SECURITY_CHECKS,
            *(fixed if image else ()),
            *(pulled if pull_secret else ()),
        ),
        variables=(
            *POD_VARIABLES,
            ("security", "variables.container.?securityContext.orValue({})"),
        ),
    )
    ingresses = Guard(
        name="ingresses",
        group="networking.k8s.io",
        resources=("ingresses",),
        operations=("CREATE", "UPDATE"),
        checks=(*_INGRESSES, *(() if host_names else _OWN_HOSTS)),
    )
    return (pods, _EXEC, _SERVICES, _NETWORK_POLICIES, ingresses)
