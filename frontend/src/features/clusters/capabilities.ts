import { type Json, list, number, record, shown, text, truth } from "./untyped";

/**
 * What the latest preflight found. OpenAPI promises an object and no more, so it is read here,
 * once, field by field: null or empty is "not told", and what this page does not know is kept in
 * `others`, to be shown as it is.
 */
export interface Capabilities {
  kubernetesVersion: string | null;
  nodes: NodeSeen[];
  rights: RightsSeen[];
  room: Room | null;
  axes: AxisSeen[];
  cni: CniSeen | null;
  kubeProxy: KubeProxySeen | null;
  /** Whether nodes are one machine, so that they share its CPUs. */
  sharedHost: boolean | null;
  /** Why the nodes were not looked at from inside. */
  notLookedAt: string | null;
  /** What stands against the measuring pods, and how the cluster's owner can mend it. */
  refusals: { what: string; mend: string | null }[];
  others: [name: string, value: string][];
}

export interface NodeSeen {
  name: string;
  address: string | null;
  architecture: string | null;
  kernel: string | null;
  os: string | null;
  cpus: string | null;
  /** Why it takes no measuring pods. */
  whyUnfit: string | null;
}

export interface RightsSeen {
  capability: string;
  allowed: boolean;
  missing: MissingRight[];
}

/** `where` is a namespace, null for the whole cluster. */
export interface MissingRight {
  verbs: string[];
  resource: string;
  where: string | null;
  why: string;
}

/** What is free; null is "the API server does not tell". */
export interface Room {
  services: number | null;
  freeClusterIps: number | null;
  freeNodePorts: number | null;
}

export interface AxisSeen {
  axis: string;
  component: string | null;
  /** In effect on every node, as seen there. */
  observed: string | null;
  /** Why no one value is in effect: nodes differ, or fit none. */
  unclear: string | null;
  /** Why it cannot be switched here at all. */
  whyNot: string | null;
  values: { value: string; whyNot: string | null }[];
}

export interface CniSeen {
  name: string;
  version: string | null;
  encapsulation: string | null;
  podMtu: number | null;
  features: [name: string, value: string][];
}

export interface KubeProxySeen {
  mode: string | null;
  version: string | null;
  syncSeconds: number | null;
  minSyncSeconds: number | null;
}

const KNOWN = new Set([
  "kubernetes_version",
  "nodes",
  "rights",
  "room",
  "modes",
  "cni",
  "kube_proxy",
  "shared_host",
  "not_looked_at",
  "refusals",
]);
const CAPABILITIES = ["measure", "host_access", "switch_modes"];

export function readCapabilities(found: Json): Capabilities {
  const rights = record(found.rights);
  const order = [...new Set([...CAPABILITIES, ...Object.keys(rights)])];
  return {
    kubernetesVersion: text(found.kubernetes_version),
    nodes: list(found.nodes).map(record).map(readNode),
    rights: order.filter((name) => name in rights).map((name) => readRights(name, rights[name])),
    room: "room" in found ? readRoom(record(found.room)) : null,
    axes: Object.entries(record(found.modes)).map(([axis, seen]) => readAxis(axis, record(seen))),
    cni: "cni" in found ? readCni(record(found.cni)) : null,
    kubeProxy: "kube_proxy" in found ? readKubeProxy(record(found.kube_proxy)) : null,
    sharedHost: truth(found.shared_host),
    notLookedAt: text(found.not_looked_at),
    refusals: list(found.refusals).map(readRefusal),
    others: entries(Object.fromEntries(Object.entries(found).filter(([key]) => !KNOWN.has(key)))),
  };
}

function readNode(node: Json): NodeSeen {
  return {
    name: text(node.name) ?? "?",
    address: text(node.address),
    architecture: text(node.architecture),
    kernel: text(node.kernel),
    os: text(node.os),
    cpus: text(node.cpus) ?? number(node.cpus)?.toString() ?? null,
    whyUnfit: text(node.why_unfit),
  };
}

function readRights(capability: string, seen: unknown): RightsSeen {
  const { allowed, missing } = record(seen);
  const texts = list(missing).map(shown);
  return { capability, allowed: allowed === true, missing: joined(texts.map(readMissing)) };
}

const MISSING = /^(\S+) (.+) (?:in the whole cluster|in (\S+)): (.+)$/s;

/** "create pods in podmeter: measuring pods"; anything else is all `why`. */
function readMissing(sentence: string): MissingRight {
  const [, verb, resource, where, why] = MISSING.exec(sentence) ?? [];
  if (verb === undefined || resource === undefined || why === undefined) {
    return { verbs: [], resource: "", where: null, why: sentence };
  }
  return { verbs: [verb], resource, where: where ?? null, why };
}

/** Verbs on one resource for one purpose, together. */
function joined(rights: MissingRight[]): MissingRight[] {
  const found = new Map<string, MissingRight>();
  for (const right of rights) {
    const key = JSON.stringify([right.resource, right.where, right.why]);
    const same = found.get(key);
    found.set(key, same ? { ...same, verbs: [...same.verbs, ...right.verbs] } : right);
  }
  return [...found.values()];
}

function readRefusal(refusal: unknown): { what: string; mend: string | null } {
  const { what, mend } = record(refusal);
  return { what: text(what) ?? shown(refusal), mend: text(mend) };
}

function readRoom(room: Json): Room {
  return {
    services: number(room.services),
    freeClusterIps: number(room.free_cluster_ips),
    freeNodePorts: number(room.free_node_ports),
  };
}

function readAxis(axis: string, seen: Json): AxisSeen {
  return {
    axis,
    component: text(seen.component),
    observed: text(seen.observed),
    unclear: text(seen.unclear),
    whyNot: text(seen.why_not),
    values: Object.entries(record(seen.values)).map(([value, whyNot]) => ({
      value,
      whyNot: text(whyNot),
    })),
  };
}

function readCni(cni: Json): CniSeen {
  return {
    name: text(cni.name) ?? "?",
    version: text(cni.version),
    encapsulation: text(cni.encapsulation),
    podMtu: number(cni.pod_mtu),
    features: entries(record(cni.features)),
  };
}

function readKubeProxy(proxy: Json): KubeProxySeen {
  return {
    mode: text(proxy.mode),
    version: text(proxy.version),
    syncSeconds: number(proxy.sync_period),
    minSyncSeconds: number(proxy.min_sync_period),
  };
}

function entries(values: Json): [string, string][] {
  return Object.entries(values).map(([name, value]) => [name, shown(value)]);
}
