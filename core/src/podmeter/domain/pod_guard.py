"""What every pod of Podmeter's has in common, as an admission policy checks it (CEL).

It says what the worker makes (podmeter_worker/kube/manifests.py, modes/kube_proxy/cleanup.py);
tests on a cluster hold them together.
"""

from __future__ import annotations

import json

from podmeter.domain.guards import Check
from podmeter.domain.labels import MANAGED_BY
from podmeter.domain.ports import HOST_NAMESPACE, POD_NAMESPACE

#: The files of a node that a pod with host access may have.
XTABLES_LOCK, MODULES = "/run/xtables.lock", "/lib/modules"
_LABEL, _OWN = next(iter(MANAGED_BY.items()))


def priority_check(most: int) -> Check:
    """That a pod displaces none: the cluster's default PriorityClass gives at most `most`."""
    return Check(
        # The API server has put the class and its priority there, the default class too: the name
        # of a class does not say who chose it.
        "!object.spec.?priorityClassName.orValue('').startsWith('system-') && "
        f"object.spec.?priority.orValue(0) <= {most}",
        f"its pods have no priority above {most}, and displace none; where the cluster's default "
        "PriorityClass has a higher one, apply the manifest of "
        "`podmeter clusters manifest --default-priority VALUE`",
    )


#: Where no PriorityClass is the cluster's default one.
PRIORITY = priority_check(0)
#: Of every pod that Podmeter makes, whatever its shape.
POD_VARIABLES = (
    ("container", "object.spec.containers[0]"),
    ("host", f"request.namespace == '{HOST_NAMESPACE}'"),
)
POD_CHECKS = (
    Check(
        f"request.namespace in ['{POD_NAMESPACE}', '{HOST_NAMESPACE}'] && "
        f"object.metadata.?labels[?'{_LABEL}'].orValue('') == '{_OWN}'",
        "its pods live in its own namespaces, and are labelled as its own",
    ),
    Check(
        "object.spec.containers.size() == 1 && "
        "object.spec.?initContainers.orValue([]).size() == 0 && "
        "object.spec.?ephemeralContainers.orValue([]).size() == 0",
        "its pods have one container; a webhook that adds another must leave them alone",
    ),
    Check(
        "!object.spec.?hostPID.orValue(false) && !object.spec.?hostIPC.orValue(false) && "
        "(variables.host || !object.spec.?hostNetwork.orValue(false))",
        "its pods share no processes with the node, and its network only with host access",
    ),
    Check(
        "object.spec.?automountServiceAccountToken.orValue(true) == false && "
        "object.spec.?serviceAccountName.orValue('default') == 'default'",
        "its pods hold no credentials",
    ),
    Check(
        "object.spec.?volumes.orValue([]).all(one, "
        "(one.name == 'tmp' && has(one.emptyDir)) || (variables.host && "
        f"one.?hostPath.?path.orValue('') in {json.dumps([XTABLES_LOCK, MODULES])}))",
        "its pods see no volume but their own, and of a node the xtables lock and the modules",
    ),
    Check(
        "object.spec.?volumes.orValue([]).all(one, "
        f"one.?hostPath.?path.orValue('') != '{MODULES}' || "
        "variables.container.?volumeMounts.orValue([]).all(mount, "
        "mount.name != one.name || mount.?readOnly.orValue(false)))",
        "its pods only read the node's modules",
    ),
    Check(
        "!has(variables.container.lifecycle) && !has(variables.container.livenessProbe) && "
        "!has(variables.container.readinessProbe) && !has(variables.container.startupProbe) && "
        "variables.container.?ports.orValue([]).size() == 0 && "
        "variables.container.?volumeDevices.orValue([]).size() == 0 && "
        "variables.container.?envFrom.orValue([]).size() == 0 && "
        "variables.container.?env.orValue([]).all(one, !has(one.valueFrom))",
        "its pods have no probes, no ports of the node's, nothing from secrets",
    ),
    PRIORITY,
    Check(
        "!has(object.spec.runtimeClassName) && object.spec.?resourceClaims.orValue([]).size() == 0",
        "its pods run like any other",
    ),
)
