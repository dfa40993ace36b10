import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import { i18next } from "~/i18n";

/** Charts know axes by what documents say of them, never by name: a new one needs no new chart. */
const SOURCE = resolve(import.meta.dirname, "..");
/** Made up for tests, like the tests themselves. */
const EXAMPLES = /\.test\.|\/(testing|example)\.ts$/;
/** The node's role is an axis of the charts' own, made of a report's subjects. */
const OWN = "subject";
const NAMES = Object.keys(i18next.getResource("en", "words", "axis")).filter(
  (axis) => axis !== OWN,
);

function files(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return files(path);
    return /\.tsx?$/.test(path) && !EXAMPLES.test(path) ? [path] : [];
  });
}

/** Strings that are an axis's name; a scope is one of three, and called so where it is compared. */
function named(path: string, text = readFileSync(path, "utf8")): string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: string[] = [];
  function visit(node: ts.Node): void {
    const isName = ts.isStringLiteralLike(node) || ts.isJsxText(node);
    if (isName && NAMES.includes(node.text) && !isScope(node)) found.push(node.text);
    if (ts.isPropertyAccessExpression(node) && /^(point|shared|where)$/.test(lastName(node))) {
      if (NAMES.includes(node.name.text)) found.push(node.name.text);
    }
    ts.forEachChild(node, visit);
  }
  visit(file);
  return found.map((name) => `${relative(SOURCE, path)}: ${name}`);
}

/** Whether a string is compared with or given to a scope. */
function isScope({ parent }: ts.Node): boolean {
  if (parent !== undefined && ts.isConditionalExpression(parent)) return isScope(parent);
  return /^(\w+\.)?scope\b/.test(parent?.getText() ?? "");
}

/** "point" of `entry.point.path`. */
function lastName({ expression }: ts.PropertyAccessExpression): string {
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText();
}

it("finds the names of axes", () => {
  expect(NAMES).toContain("services");
  const text = `x(["path"]); f(entry.point.probe); axis === "cluster"; facts.scope === "cluster";`;
  expect(named("x.ts", text).length).toBe(3);
});

it("is never an axis's name that decides how a chart is drawn", () => {
  const folders = ["charts", "comparison_view"].flatMap((folder) => files(join(SOURCE, folder)));
  expect(folders.length).toBeGreaterThan(40);
  expect(folders.flatMap((path) => named(path))).toEqual([]);
});
