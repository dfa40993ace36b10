"""What a look at a registered cluster found: what can be measured and switched there, or why not.

Written by the worker, kept as JSON, and told by the API as it is.
"""

from __future__ import annotations

from typing import cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, computed_field
from pydantic.config import JsonDict

from podmeter.domain.fingerprint import CniFacts, KubeProxyFacts, services_by_cni
from podmeter.domain.messages import Message, Reason, say
from podmeter.domain.moment import Moment, rfc3339
from podmeter.domain.node_pairs import KnownNode
from podmeter.domain.ports import Access
from podmeter.domain.saved_modes import in_words
from podmeter.domain.stored import StoredForm
from podmeter.domain.untrusted_text import SafeText


def _all_there(schema: JsonDict) -> None:
    """What has a default is in the document too."""
    schema["required"] = list(cast("JsonDict", schema.get("properties", {})))


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, json_schema_extra=_all_there)


class NodeReport(_Part):
    """A node. `cpus` is as the node has it ("4"); `why_unfit` why it takes no measuring pods.

    `zone` is its label topology.kubernetes.io/zone; null where it has none, or was looked at before
    zones were.
    """

    name: SafeText
    address: SafeText | None
    architecture: SafeText
    kernel: SafeText
    os: SafeText
    cpus: SafeText
    why_unfit: Reason
    zone: SafeText | None = None


class MissingRights(_Part):
    """Verbs that the credentials may not use on a resource, and what they would be for.

    `group` is "" for the core API; `namespace` is null for the whole cluster, `name` for all
    objects.
    """

    verbs: list[str]
    resource: str
    group: str
    namespace: str | None
    name: str | None
    why: Message


class CapabilityReport(_Part):
    """Whether something may be done: it and what it rests upon; what is missing for it alone."""

    allowed: bool
    missing: list[MissingRights]
    partly: bool = Field(
        default=False,
        description="whether some rights for it alone are missing and others are not: it was "
        "allowed by the manifest of another version",
    )


class RoomReport(_Part):
    """How many Services there are and what is free; null is not reported by the API server."""

    services: int
    free_cluster_ips: int | None
    free_node_ports: int | None


class AxisReport(_Part):
    """An axis of modes on this cluster.

    `why_not` is why Podmeter cannot switch it at all; else `component` switches it. `values` has
    each value with why it cannot be switched to, null where it can: by hand where `why_not` says
    why not by Podmeter, and empty where nobody can. `observed` is in effect on every node, or
    `unclear` says why no one value is. With `on_nodes` it is switched on the nodes alone that a run
    measures; else `why_everywhere` says why on all.
    """

    component: str | None = None
    values: dict[str, Reason] = {}
    observed: str | None = None
    unclear: Reason = None
    why_not: Reason = None
    on_nodes: bool = False
    why_everywhere: Reason = None


class RefusalReport(_Part):
    """Why the cluster rejects or changes measuring pods, and how its owner can fix that.

    `access` is that of the pods it is about, null for all of them; `subject` the object that
    stands against them. An `uncertain` one is what the check could not tell.
    """

    what: Message
    mend: Message
    access: Access | None = None
    subject: SafeText | None = None
    uncertain: bool = False

    @property
    def said(self) -> Message:
        """The cause and the fix in one sentence."""
        return say("refusal_and_mend", what=self.what, mend=self.mend)


class UnrestoredSwitch(_Part):
    """What a Podmeter noted in the cluster when it switched a mode, and has not restored.

    `saved` is what its component is set to then; `holder` the run, or the user who restores it;
    `since` when it was noted.
    """

    axis: str
    component: str
    saved: dict[str, JsonValue]
    holder: str
    since: Moment

    @property
    def values(self) -> tuple[str, str, dict[str, JsonValue]]:
        """The original mode to restore, no matter which run noted it."""
        return self.axis, self.component, self.saved

    @property
    def said(self) -> Message:
        """Reports that it is not restored yet, with the original mode."""
        return say(
            "stood_before",
            axis=self.axis,
            component=self.component,
            values=in_words(self.saved),
            holder=self.holder,
            since=rfc3339(self.since),
        )


#: Why no pods were started just now, though they may be later.
_PASSING = ("busy_now", "being_measured", "being_measured_elsewhere")


class ClusterReport(_Part):
    """All of it. What is null was not looked at; `not_looked_at` says why."""

    kubernetes_version: SafeText
    nodes: list[NodeReport]
    rights: dict[str, CapabilityReport] = Field(description="by capability")
    room: RoomReport | None = None
    refusals: list[RefusalReport] = []
    not_looked_at: Reason = None
    stood_before: list[UnrestoredSwitch] = Field(
        default=[], description="what is switched still, of which this Podmeter knows nothing else"
    )
    inside_at: Moment | None = Field(
        default=None,
        description="when pods told what follows, which a look beside a run leaves as it was",
    )
    modes: dict[str, AxisReport] = Field(default={}, description="by axis")
    cni: CniFacts | None = None
    kube_proxy: KubeProxyFacts | None = None
    shared_host: bool | None = Field(
        default=None, description="whether nodes are one machine, so that they share its CPUs"
    )

    @computed_field(  # type: ignore[prop-decorator]
        description="whether the CNI answers what pods ask of a ClusterIP, before kube-proxy"
    )
    @property
    def services_by_cni(self) -> bool:
        """As in what is measured there."""
        if self.cni is None or self.kube_proxy is None:
            return False
        return services_by_cni(self.cni.name, self.kube_proxy.mode)

    @property
    def measuring_nodes(self) -> tuple[KnownNode, ...]:
        """The nodes that take measuring pods."""
        return tuple(KnownNode(one.name, one.zone) for one in self.nodes if one.why_unfit is None)

    def with_inside_of(self, earlier: ClusterReport) -> ClusterReport:
        """What was found, and what pods told before where none could be started just now."""
        if self.not_looked_at is None or self.not_looked_at.code not in _PASSING:
            return self
        inside = ("inside_at", "modes", "cni", "kube_proxy", "shared_host")
        return self.model_copy(update={name: getattr(earlier, name) for name in inside})


#: A preflight's report, as the database keeps it.
PREFLIGHT_REPORT: StoredForm[ClusterReport] = StoredForm("preflight_report", ClusterReport)
