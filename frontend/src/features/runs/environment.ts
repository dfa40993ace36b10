/** Reading what a run froze of its surroundings: JSON whose fields may grow. */
export type Json = Record<string, unknown>;

export interface FrozenCluster {
  name: string;
  fingerprint: Json;
}

/** The clusters as the latest preflight found them; [] before there was one. */
export function frozenClusters(environment: Json | null): FrozenCluster[] {
  return Object.entries(object(environment?.clusters)).map(([name, found]) => ({
    name,
    fingerprint: object(object(found).fingerprint),
  }));
}

export interface Leaf {
  field: string;
  value: string;
}

/** Every field by its dotted name, nodes by theirs: `nodes.worker-1.kernel`. What is null is not seen. */
export function leaves(fingerprint: Json): Leaf[] {
  const { nodes, ...rest } = fingerprint;
  const named = list(nodes).map((node) => {
    const { name, ...facts } = object(node);
    return [String(name), facts] as const;
  });
  return walk("", { ...rest, nodes: Object.fromEntries(named) });
}

export interface Difference {
  field: string;
  before: string | null;
  after: string | null;
}

export function differences(before: Json, after: Json): Difference[] {
  const old = new Map(leaves(before).map((leaf) => [leaf.field, leaf.value]));
  const now = new Map(leaves(after).map((leaf) => [leaf.field, leaf.value]));
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((field) => ({
      field,
      before: old.get(field) ?? null,
      after: now.get(field) ?? null,
    }))
    .filter((one) => one.before !== one.after);
}

function walk(prefix: string, value: unknown): Leaf[] {
  if (value === null || value === undefined) return [];
  if (typeof value === "object" && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([key, inner]) =>
      walk(prefix === "" ? key : `${prefix}.${key}`, inner),
    );
  }
  if (Array.isArray(value)) {
    return value.length === 0 ? [] : [{ field: prefix, value: value.map(String).join(", ") }];
  }
  return [{ field: prefix, value: String(value) }];
}

export function object(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Json)
    : {};
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text or a number as text; null for anything else. */
export function plain(value: unknown): string | null {
  return typeof value === "string" || typeof value === "number" ? String(value) : null;
}
