import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { INSIDE, load, PUBLIC, SHARED } from "./resources";

/** No visible string is missing in a language or written into the code. */
const SOURCE = resolve(import.meta.dirname, "..");
const SPOKEN = new Set(["label", "title", "placeholder", "description", "aria-label", "alt"]);
/** Names and signs that are the same in every language. */
const SAME = /^[\s\p{P}\p{S}\d]*$/u;

function flat(strings: object, prefix = ""): Map<string, string> {
  return new Map(
    Object.entries(strings).flatMap(([key, value]) =>
      typeof value === "string"
        ? [[prefix + key, value] as const]
        : [...flat(value as object, `${prefix}${key}.`)],
    ),
  );
}

/** Chinese has one plural form, English two. */
const stem = (key: string) => key.replace(/_(one|other)$/, "");
const holes = (text: string) => [...new Set(text.match(/{{[^}]+}}/g) ?? [])].sort();

const EN = await load("en", [PUBLIC, INSIDE, SHARED]);
const ZH = await load("zh", [PUBLIC, INSIDE, SHARED]);

describe("translations", () => {
  it("has the same namespaces in both languages", () => {
    expect(Object.keys(ZH)).toEqual(Object.keys(EN));
    expect(Object.keys(EN).length).toBeGreaterThan(5);
  });

  it.each(Object.keys(EN))("%s has the same strings in both languages", (namespace) => {
    const en = flat(EN[namespace] ?? {});
    const zh = flat(ZH[namespace] ?? {});
    expect(new Set([...zh.keys()].map(stem))).toEqual(new Set([...en.keys()].map(stem)));
    for (const [key, text] of zh) {
      expect(text.trim(), key).not.toBe("");
      const english = en.get(key) ?? en.get(`${stem(key)}_other`) ?? "";
      expect(holes(text), key).toEqual(holes(english));
    }
    for (const [key, text] of en) expect(text.trim(), key).not.toBe("");
  });
});

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
  const known = Object.keys(await load("en", [PUBLIC, SHARED]));
  const needed = spoken(["charts", "comparison_view", "reproduction", "features/public"]);
  expect(needed.size).toBeGreaterThan(2);
  expect([...needed].filter((name) => !known.includes(name))).toEqual([]);
});

it("gives articles beside our figures every group of words that they speak in", async () => {
  const { words = {}, reproduction = {} } = await load("en", [PUBLIC, SHARED]);
  const named = files(join(SOURCE, "reproduction")).flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(/\bword\(\s*"(\w+)"/g)].map(([, name = ""]) => name),
  );
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((group) => !(group in words || group in reproduction))).toEqual([]);
});

it("gives a snapshot's page every group of words that it speaks in", async () => {
  const { words = {} } = await load("en", [PUBLIC]);
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
    if (ts.isJsxExpression(node) && node.expression && !ts.isJsxAttribute(node.parent)) {
      const inside = node.expression;
      if (ts.isStringLiteralLike(inside) && !SAME.test(inside.text)) found.push(inside.text);
    }
    ts.forEachChild(node, visit);
  }
  visit(file);
  return found.map((text) => `${relative(SOURCE, path)}: ${text}`);
}

describe("hard-coded strings", () => {
  it("are not in any component", () => {
    expect(files(SOURCE).flatMap(hardCoded)).toEqual([]);
  });
});
