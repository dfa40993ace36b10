import type { Schemas } from "~/api/types";
import type { Message } from "~/i18n/messages";

/** What stands in the way of a plan on a cluster, or is not known of it. */
export interface Finding {
  /** `refused`: a run would not start, or not get past its preflight. `missing`: it would fail. */
  level: "refused" | "missing" | "unknown";
  what:
    | "never_reached"
    | "needs_restore"
    | "restored_elsewhere"
    | "switch_not_allowed"
    | "rights_missing"
    | "cannot_switch"
    | "cannot_switch_to"
    | "no_room"
    | "no_outside_client"
    | "host_names_not_allowed"
    | "not_preflighted"
    | "not_looked_at";
  /** A capability, an axis, a mode: what it is about. */
  subject?: string;
  value?: string | number;
  /** As the cluster or its preflight said it. */
  reasons: Message[];
  /** The rights that are missing, each with what it is for. */
  rights?: Schemas["MissingRights"][];
}

type Plan = Schemas["PlanView"];
type Cluster = Schemas["ClusterView"];

/** The capabilities that the plan needs in a cluster (see GET /rbac), the least one first. */
export function capabilitiesNeeded(plan: Plan): ("measure" | "host_access" | "switch_modes")[] {
  const host = plan.access.includes("host") || plan.access.includes("host_admin");
  const switches = plan.switches.length > 0;
  return [
    "measure" as const,
    ...(host || switches ? ["host_access" as const] : []),
    ...(switches ? ["switch_modes" as const] : []),
  ];
}

/** What a run of the plan would meet on the cluster, as its latest preflight saw it. */
export function findingsOn(cluster: Cluster, plan: Plan): Finding[] {
  return [...refusals(cluster, plan), ...seen(cluster, plan)];
}

function refusals(cluster: Cluster, plan: Plan): Finding[] {
  const found: Finding[] = [];
  if (cluster.cluster_uid === null) {
    const reasons = cluster.preflight_error ? [cluster.preflight_error] : [];
    found.push({ level: "refused", what: "never_reached", reasons });
  }
  if (cluster.needs_restore) {
    found.push({
      level: "refused",
      what: "needs_restore",
      reasons: cluster.needs_restore_reason ? [cluster.needs_restore_reason] : [],
    });
  }
  if (cluster.restored_elsewhere) {
    found.push({ level: "refused", what: "restored_elsewhere", reasons: [] });
  }
  if (plan.switches.length > 0 && !cluster.allow_mode_switch) {
    found.push({ level: "refused", what: "switch_not_allowed", reasons: [] });
  }
  if (plan.outside_missing) {
    found.push({ level: "refused", what: "no_outside_client", reasons: [plan.outside_missing] });
  }
  if (plan.host_names.length > 0 && !cluster.allow_host_names) {
    const value = plan.host_names.join(", ");
    found.push({ level: "refused", what: "host_names_not_allowed", value, reasons: [] });
  }
  return found;
}

function seen(cluster: Cluster, plan: Plan): Finding[] {
  const { capabilities } = cluster;
  if (capabilities === null) return [{ level: "unknown", what: "not_preflighted", reasons: [] }];
  const found: Finding[] = [];
  for (const capability of capabilitiesNeeded(plan)) {
    const missing = capabilities.rights[capability]?.missing ?? [];
    if (missing.length > 0) {
      found.push({
        level: "missing",
        what: "rights_missing",
        subject: capability,
        reasons: [],
        rights: missing,
      });
    }
  }
  found.push(...modes(capabilities, plan), ...room(capabilities, plan));
  if (capabilities.not_looked_at) {
    found.push({
      level: "unknown",
      what: "not_looked_at",
      reasons: [capabilities.not_looked_at],
    });
  }
  return found;
}

function modes(capabilities: Schemas["ClusterReport"], plan: Plan): Finding[] {
  const found = new Map<string, Finding>();
  for (const { axis, value } of plan.switches) {
    const why = whyNotSwitched(capabilities, axis, String(value));
    if (why === null) continue;
    const whole = capabilities.modes[axis]?.why_not != null;
    const what = whole ? "cannot_switch" : "cannot_switch_to";
    found.set(whole ? axis : `${axis}=${value}`, {
      level: "refused",
      what,
      subject: axis,
      ...(!whole && { value }),
      reasons: why,
    });
  }
  return [...found.values()];
}

/** Why a mode cannot be had on a cluster, as its preflight saw it; null if it can, or is not known. */
export function whyNotSwitched(
  capabilities: Pick<Schemas["ClusterReport"], "modes">,
  axis: string,
  value: string,
): Message[] | null {
  const mode = capabilities.modes[axis];
  if (mode === undefined) return null;
  if (mode.why_not != null) return [mode.why_not];
  if (!(value in mode.values)) return [];
  const reason = mode.values[value];
  return reason == null ? null : [reason];
}

function room(capabilities: Schemas["ClusterReport"], plan: Plan): Finding[] {
  const most = Math.max(0, ...plan.cases.map(({ point }) => Number(point.services ?? 0)));
  const nodePorts = plan.cases.some(({ point }) => point.service_type === "NodePort");
  const free = [
    capabilities.room?.free_cluster_ips,
    nodePorts ? capabilities.room?.free_node_ports : null,
  ].filter((count) => count != null);
  const least = Math.min(...free);
  return least < most ? [{ level: "missing", what: "no_room", value: least, reasons: [] }] : [];
}
