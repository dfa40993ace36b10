import type { Strings } from "./resources";

/**
 * From files named by their namespace. Apart from what loads them: a page waits for its strings
 * before it begins, so these may import nothing of the page.
 */
export function byNamespace(files: Record<string, Record<string, unknown>>): Strings {
  return Object.fromEntries(
    Object.entries(files).map(([path, strings]) => [path.replace(/.*\/|\.json$/g, ""), strings]),
  );
}
