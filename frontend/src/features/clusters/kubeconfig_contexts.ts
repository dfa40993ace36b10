import { parseDocument } from "yaml";
import { isRecord, list, text } from "~/api/untyped";

/** The contexts that a kubeconfig offers. Nothing else of it is read here: the API judges it. */
export interface Contexts {
  names: string[];
  /** The file's current context, if it is one of them. */
  current: string | null;
}

const NONE: Contexts = { names: [], current: null };

/** Reads contexts from YAML or JSON; none where it cannot be read. */
export function contextsOf(kubeconfig: string): Contexts {
  // Aliases are what makes a small document huge, and no kubeconfig needs one.
  const document = parseDocument(kubeconfig, { logLevel: "silent", uniqueKeys: false });
  if (document.errors.length > 0) return NONE;
  let root: unknown;
  try {
    root = document.toJS({ maxAliasCount: 0 });
  } catch {
    return NONE;
  }
  if (!isRecord(root)) return NONE;
  const names = list(root.contexts).flatMap((one) => {
    const name = isRecord(one) ? text(one.name) : null;
    return name === null ? [] : [name];
  });
  const current = text(root["current-context"]);
  return { names: [...new Set(names)], current: names.find((name) => name === current) ?? null };
}
