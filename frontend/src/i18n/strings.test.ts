import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { load } from "./resources";

/** No visible string is written into the code, and each page loads what it says. */
const SOURCE = resolve(import.meta.dirname, "..");
const SPOKEN = new Set(["label", "title", "placeholder", "description", "aria-label", "alt"]);
/** Names and signs that are the same in every language. */
const SAME = /^[\s\p{P}\p{S}\d]*$/u;

/** The namespaces that the components of these folders name. */
function spoken(folders: readonly string[]): Set<string> {
  const named = folders.flatMap((folder) =>
    files(join(SOURCE, folder)).flatMap((path) =>
      [...readFileSync(path, "utf8").matchAll(/useTranslation\(([^)]*)\)/g)].flatMap(
        ([, list = ""]) => [...list.matchAll(/"(\w+)"/g)].map(([, name = ""]) => name),
      ),
    ),
  );
  return new Set(named);
}

it("gives a snapshot's page every namespace that it speaks", async () => {
  const known = Object.keys(await load("en", ["public", "shared"]));
  const needed = spoken(["charts", "comparison_view", "reproduction", "features/public"]);
  expect(needed.size).toBeGreaterThan(2);
  expect([...needed].filter((name) => !known.includes(name))).toEqual([]);
});

it("gives articles beside our figures every group of words that they speak in", async () => {
  const { words = {}, reproduction = {} } = await load("en", ["public", "shared"]);
  const named = files(join(SOURCE, "reproduction")).flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(/\bword\(\s*"(\w+)"/g)].map(([, name = ""]) => name),
  );
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((group) => !(group in words || group in reproduction))).toEqual([]);
});

it("gives a snapshot's page every group of words that it speaks in", async () => {
  const { words = {} } = await load("en", ["public"]);
  const folders = ["charts", "comparison_view", "features/public", "quantities", "i18n"];
  const named = folders.flatMap((folder) =>
    files(join(SOURCE, folder), /\.tsx?$/).flatMap((path) =>
      [...readFileSync(path, "utf8").matchAll(/\bword\(\s*"(\w+)"/g)].map(([, name = ""]) => name),
    ),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((group) => !(group in words))).toEqual([]);
});

function files(folder: string, ending = /\.tsx$/): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return files(path, ending);
    return ending.test(entry.name) && !/\.test\./.test(entry.name) ? [path] : [];
  });
}

function hardCoded(path: string): string[] {
  const file = ts.createSourceFile(
    path,
    readFileSync(path, "utf8"),
    ts.ScriptTarget.Latest,
    true,
    ts.ScriptKind.TSX,
  );
  const found: string[] = [];
  function visit(node: ts.Node): void {
    if (ts.isJsxText(node) && !SAME.test(node.text)) found.push(node.text.trim());
    if (ts.isJsxAttribute(node) && SPOKEN.has(node.name.getText())) {
      const value = node.initializer;
      if (value && ts.isStringLiteral(value) && !SAME.test(value.text)) found.push(value.text);
    }
    if (ts.isJsxAttribute(node) && node.name.getText() === "columns") {
      found.push(...headings(node.initializer));
    }
    if (ts.isJsxExpression(node) && node.expression && !ts.isJsxAttribute(node.parent)) {
      const inside = node.expression;
      if (ts.isStringLiteralLike(inside) && !SAME.test(inside.text)) found.push(inside.text);
    }
    ts.forEachChild(node, visit);
  }
  visit(file);
  return found.map((text) => `${relative(SOURCE, path)}: ${text}`);
}

/** Literal headings of `Table.Head`: elements of the list, and labels. */
function headings(columns: ts.Node | undefined): string[] {
  const list = columns && ts.isJsxExpression(columns) && columns.expression;
  if (!list || !ts.isArrayLiteralExpression(list)) return [];
  const found: string[] = [];
  function visit(node: ts.Node): void {
    if (ts.isCallExpression(node)) return;
    const isLabel = !ts.isPropertyAssignment(node.parent) || node.parent.name.getText() === "label";
    if (ts.isStringLiteralLike(node) && isLabel && !SAME.test(node.text)) found.push(node.text);
    ts.forEachChild(node, visit);
  }
  ts.forEachChild(list, visit);
  return found;
}

describe("hard-coded strings", () => {
  it("are not in any component", () => {
    expect(files(SOURCE).flatMap(hardCoded)).toEqual([]);
  });
});
