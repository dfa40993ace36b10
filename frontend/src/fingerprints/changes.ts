import { isRecord, type Json, list, record, shown, text } from "~/api/untyped";

/** A field that differs between two fingerprints; null where one of them has none. */
export interface Change {
  /** Dotted, `kube_proxy.mode`; under the node's own name where `nodes` are given. */
  field: string;
  /** The nodes on which it changed in the same way, [] for a field of the cluster. */
  nodes: string[];
  before: string | null;
  after: string | null;
}

/** What changed from one fingerprint to the next, in the order of their fields. */
export function changesBetween(before: Json, after: Json): Change[] {
  const old = leaves(before);
  const now = leaves(after);
  const found = new Map<string, Change>();
  for (const key of new Set([...old.keys(), ...now.keys()])) {
    const was = old.get(key);
    const is = now.get(key);
    if (was?.value === is?.value) continue;
    const { field, node } = was ?? (is as Field);
    const change = { before: was?.value ?? null, after: is?.value ?? null };
    // Nodes tend to change alike: a new kernel on fifty of them is one line.
    const alike = JSON.stringify([field, node === null, change.before, change.after]);
    const nodes = [...(found.get(alike)?.nodes ?? []), ...(node === null ? [] : [node])];
    found.set(alike, { field, nodes, ...change });
  }
  return [...found.values()];
}

/** Every field that was seen, with its value as text; a cluster's own before its nodes'. */
export function fieldsOf(content: Json): Field[] {
  return [...leaves(content).values()];
}

interface Field {
  field: string;
  node: string | null;
  value: string;
}

function leaves(content: Json): Map<string, Field> {
  const found = new Map<string, Field>();
  const add = (node: string | null, path: string[], value: unknown) => {
    if (value === null || value === undefined) return;
    const text = Array.isArray(value) ? value.map(shown).join(", ") : shown(value);
    // An empty list says as little as null.
    if (text === "") return;
    found.set(JSON.stringify([node, path]), { field: path.join("."), node, value: text });
  };
  const walk = (node: string | null, path: string[], value: unknown) => {
    if (!isRecord(value)) return add(node, path, value);
    for (const [name, inner] of Object.entries(value)) walk(node, [...path, name], inner);
  };
  const { nodes, ...rest } = content;
  walk(null, [], rest);
  for (const one of list(nodes).map(record)) {
    const { name, ...facts } = one;
    walk(text(name) ?? "?", [], facts);
  }
  return found;
}
