import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";
import { DEFINITIONS, WORDS } from "./src/i18n/word_groups.ts";

type Texts = { [key: string]: string | Texts };

/** What every page needs, a shared one too, and what a shared experiment or cluster needs besides. */
const PUBLIC = ["charts", "common", "compare", "public", "words"];
const SHARED = ["floors", "reproduction", "shared"];
/** Only pages of shared things have it. */
const SHARED_ALONE = "shared";

const INDEX = "virtual:texts";

/**
 * The texts of every language as modules, compiled of the JSON files of the catalog, which the
 * server reads too, and of the web UI's own. A new language is a folder of files:
 * `virtual:texts` lists the languages, each with its parts, which are loaded when they are spoken.
 */
export function texts(core: string, ui: string): Plugin {
  return {
    name: "texts",
    resolveId(id) {
      if (id === INDEX) return `\0${INDEX}`;
      // A path: the build's manifest names a part by it.
      return id.startsWith(`${INDEX}/`) ? join(ui, `${id.slice(INDEX.length + 1)}.texts.js`) : null;
    },
    load(id) {
      if (id === `\0${INDEX}`) return index(core);
      const part = /(\w+)\.(public|shared|inside)\.texts\.js$/.exec(id);
      if (part === null || !id.startsWith(ui)) return null;
      const [, language = "", name = ""] = part;
      for (const path of [...catalogFiles(core, language), ...uiFiles(ui, language)]) {
        this.addWatchFile(path);
      }
      return `export const strings = ${JSON.stringify(stringsOf(core, ui, language)[name])};`;
    },
  };
}

/** The languages, with what they are called. */
function index(core: string): string {
  const languages = readdirSync(join(core, "texts"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("_"))
    .map(({ name }) => {
      const { language } = catalog(core, name);
      const parts = ["public", "shared", "inside"].map(
        (part) => `${part}: () => import("${INDEX}/${name}.${part}")`,
      );
      return `${JSON.stringify(name)}: { ...${JSON.stringify(language)}, ${parts.join(", ")} }`;
    });
  return `export const TEXTS = { ${languages.join(", ")} };`;
}

/** The namespaces of a language, by the part that has them. */
function stringsOf(core: string, ui: string, language: string): Record<string, Texts> {
  const groups = catalog(core, language);
  const chosen = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, groups[name] ?? {}]));
  const all: Texts = { words: chosen(WORDS), definitions: chosen(DEFINITIONS) };
  for (const path of uiFiles(ui, language)) {
    all[path.replace(/.*\/|\.json$/g, "")] = read(path);
  }
  const part = (wanted: (namespace: string) => boolean) =>
    Object.fromEntries(Object.entries(all).filter(([namespace]) => wanted(namespace)));
  return {
    public: part((name) => PUBLIC.includes(name)),
    shared: part((name) => SHARED.includes(name)),
    inside: part((name) => !PUBLIC.includes(name) && name !== SHARED_ALONE),
  };
}

/** The catalog's texts by group; the server refuses a key that two files have. */
function catalog(core: string, language: string): Texts {
  const groups: Texts = {};
  for (const path of catalogFiles(core, language)) {
    for (const [name, texts] of Object.entries(read(path))) {
      groups[name] = { ...(groups[name] as Texts), ...(texts as Texts) };
    }
  }
  return groups;
}

function catalogFiles(core: string, language: string): string[] {
  return jsonFiles(core).filter(
    (path) =>
      path.startsWith(join(core, "texts", language)) || path.endsWith(`texts.${language}.json`),
  );
}

const uiFiles = (ui: string, language: string) => jsonFiles(join(ui, language));

function jsonFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => join(folder, name));
}

const read = (path: string): Texts => JSON.parse(readFileSync(path, "utf8"));
