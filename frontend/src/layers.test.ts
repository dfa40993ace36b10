import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

/**
 * Imports point one way: app → features → reproduction, comparison_view → charts → ui → quantities,
 * fingerprints, i18n → api.
 * Features read through queries, which know the api alone; what draws results reads nothing. What
 * was published is drawn beside results by `published`, between these and the features; what all
 * lists share is in `list_tools`.
 */
const SOURCE = resolve(import.meta.dirname);
const LAYERS = [
  "api",
  "i18n",
  "fingerprints",
  "quantities",
  "ui",
  "charts",
  "comparison_view",
  "reproduction",
  "queries",
  "published",
  "list_tools",
  "features",
  "app",
];
const IMPORT = /(?:from|import)\s*\(?\s*["']([^"']+)["']/g;

function files(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return files(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

function imports(path: string): string[] {
  return [...readFileSync(path, "utf8").matchAll(IMPORT)].flatMap(([, target = ""]) => {
    if (target.startsWith("~/")) return [target.slice(2)];
    if (target.startsWith(".")) return [relative(SOURCE, resolve(dirname(path), target))];
    return [];
  });
}

function wrong(from: string, to: string): boolean {
  const [layer = "", feature] = from.split("/");
  const [target = "", other] = to.split("/");
  if (!LAYERS.includes(layer) || !LAYERS.includes(target)) return false;
  if (LAYERS.indexOf(target) > LAYERS.indexOf(layer)) return true;
  if (layer === "queries") return target !== "queries" && target !== "api";
  return layer === "features" && target === "features" && other !== feature;
}

describe("layers", () => {
  it("imports point downwards, and features do not know each other", () => {
    const found = files(SOURCE).flatMap((path) => {
      const from = relative(SOURCE, path);
      return imports(path)
        .filter((to) => wrong(from, to))
        .map((to) => `${from} → ${to}`);
    });
    expect(found).toEqual([]);
  });

  it("loads parts so that they can be tried again, which React's own lazy cannot", () => {
    const bare = files(SOURCE)
      .filter((path) => !/\.test\.|\/lazy_part\.ts$/.test(path))
      .filter((path) => /\blazy[(<]/.test(readFileSync(path, "utf8")));
    expect(bare.map((path) => relative(SOURCE, path))).toEqual([]);
  });

  it("asks the API, and names what is kept of its answers, in queries alone", () => {
    const elsewhere = files(SOURCE)
      .filter((path) => !/\/(queries|api)\/|\.test\./.test(path))
      .filter((path) => /\bapi\.[A-Z]+\(|queryKey: \[/.test(readFileSync(path, "utf8")));
    expect(elsewhere.map((path) => relative(SOURCE, path))).toEqual([]);
  });
});
