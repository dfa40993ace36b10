import type { Kind } from "~/queries/kinds";
import { schemaFields } from "./schema_fields";
import { REPETITION, SECTIONS } from "./sections";

/** What can stand in a specification: the kinds with their schemas, and the clusters by name. */
export interface Vocabulary {
  kinds: readonly Kind[];
  clusterNames: readonly string[];
  profiles: readonly string[];
  /** What a key or a kind is about, in the user's language; `path` as the document has it. */
  about: (path: readonly string[], kind: Kind | undefined) => string;
}

export interface Offer {
  text: string;
  /** What is put in, where it is more than the text. */
  apply?: string;
  about: string;
}

interface Word {
  from: number;
  to: number;
  text: string;
}

/** Where in the document a character is: the keys around it, and what is being written there. */
interface CursorContext {
  above: string[];
  /** The key whose value it is in; null where it is a key itself. */
  key: string | null;
  word: Word;
  /** The rest of the value. */
  others: string[];
}

const WORD = /[\w./-]/;

/** What can be written at a character, and what of it is there already; null where nothing can. */
export function offersAt(
  text: string,
  at: number,
  vocabulary: Vocabulary,
): { from: number; offers: Offer[] } | null {
  const place = placeAt(text, at);
  const kind = kindIn(text, vocabulary);
  const offers =
    place.key === null ? keys(place, kind, vocabulary) : values(place, kind, vocabulary);
  return offers.length === 0 ? null : { from: place.word.from, offers };
}

/** The explanation of the word at a character; null for an unknown word. */
export function aboutAt(
  text: string,
  at: number,
  vocabulary: Vocabulary,
): { from: number; to: number; about: string } | null {
  const { above, key, word } = placeAt(text, at);
  const named = key === "kind" && above.length === 0;
  const kind = named
    ? vocabulary.kinds.find(({ name }) => name === word.text)
    : kindIn(text, vocabulary);
  if (word.text === "" || (key !== null && !named)) return null;
  const about = vocabulary.about(named ? ["kind", word.text] : [...above, word.text], kind);
  return about === "" ? null : { from: word.from, to: word.to, about };
}

function keys(place: CursorContext, kind: Kind | undefined, { about }: Vocabulary): Offer[] {
  return keysOf(place.above, kind)
    .filter((name) => !place.others.includes(name))
    .map((name) => ({
      text: name,
      apply: `${name}: `,
      about: about([...place.above, name], kind),
    }));
}

function keysOf(above: readonly string[], kind: Kind | undefined): readonly string[] {
  if (above.length === 0) return SECTIONS;
  if (above.length > 1) return [];
  switch (above[0]) {
    case "axes":
      return kind?.axes.map(({ name }) => name) ?? [];
    case "parameters":
      return kind ? schemaFields(kind.parameters).map(({ name }) => name) : [];
    case "repetition":
      return REPETITION;
    default:
      return [];
  }
}

function values(place: CursorContext, kind: Kind | undefined, vocabulary: Vocabulary): Offer[] {
  const path = [...place.above, place.key ?? ""];
  return valuesOf(path, kind, vocabulary)
    .filter((value) => !place.others.includes(value))
    .map((value) => ({
      text: value,
      about: path.join() === "kind" ? vocabulary.about([...path, value], kind) : "",
    }));
}

function valuesOf(
  [section, name]: readonly string[],
  kind: Kind | undefined,
  { kinds, clusterNames, profiles }: Vocabulary,
): readonly string[] {
  if (section === "kind") return kinds.map((one) => one.name);
  if (section === "repetition" && name === "profile") return profiles;
  if (section === "axes") {
    const axis = kind?.axes.find((one) => one.name === name);
    return axis?.scope === "cluster" ? clusterNames : (axis?.choices ?? []);
  }
  if (section !== "parameters" || kind === undefined) return [];
  const field = schemaFields(kind.parameters).find((one) => one.name === name);
  return field?.type === "boolean" ? ["true", "false"] : (field?.choices ?? []);
}

function kindIn(text: string, { kinds }: Vocabulary): Kind | undefined {
  const [, named] = /^kind:\s*["']?(\w+)/m.exec(text) ?? [];
  return kinds.find(({ name }) => name === named);
}

function placeAt(text: string, at: number): CursorContext {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const lines = text.slice(0, start).split("\n").slice(0, -1);
  const end = text.indexOf("\n", at);
  const line = text.slice(start, end < 0 ? undefined : end);
  const word = wordIn(line, at - start, start);
  const before = line.slice(0, word.from - start);
  const depth = depthOf(line);
  const above = keysAbove(lines, depth);
  const rest = text.slice(start + line.length + 1).split("\n");
  if (/^\s*-\s+$/.test(before)) {
    const items = [...run(lines.toReversed(), depth), ...run(rest, depth)];
    const others = items.flatMap((one) => /^\s*-\s+["']?([\w./-]+)/.exec(one)?.[1] ?? []);
    return { above: above.slice(0, -1), key: above.at(-1) ?? null, word, others };
  }
  const [, key] = /^\s*(?:([\w-]+)\s*:\s)/.exec(before) ?? [];
  if (key !== undefined) {
    const value = line.slice(line.indexOf(":") + 1);
    const listed = value.match(/[\w./-]+/g) ?? [];
    return { above, key, word, others: listed.filter((one) => one !== word.text) };
  }
  const siblings = [...run(lines.toReversed(), depth), ...run(rest, depth)];
  const others = siblings.flatMap((one) => (depthOf(one) === depth ? (keyOf(one) ?? []) : []));
  return { above, key: null, word, others };
}

function wordIn(line: string, at: number, offset: number): Word {
  let [from, to] = [at, at];
  while (WORD.test(line[from - 1] ?? "")) from -= 1;
  while (WORD.test(line[to] ?? "")) to += 1;
  return { from: offset + from, to: offset + to, text: line.slice(from, to) };
}

/** The keys of the mappings that a line at this depth is in, the outermost first. */
function keysAbove(lines: readonly string[], depth: number): string[] {
  const found: string[] = [];
  let least = depth;
  for (const line of lines.toReversed()) {
    const key = keyOf(line);
    if (isEmpty(line) || key === undefined || depthOf(line) >= least) continue;
    found.unshift(key);
    least = depthOf(line);
  }
  return found;
}

/** Lines for as long as they are not further out. */
function run(lines: readonly string[], depth: number): string[] {
  const end = lines.findIndex((line) => !isEmpty(line) && depthOf(line) < depth);
  return lines.slice(0, end < 0 ? undefined : end);
}

/** An item of a list is inside a key that begins in the same column. */
function depthOf(line: string): number {
  const indent = line.search(/\S|$/);
  return line[indent] === "-" ? indent + 0.5 : indent;
}

function keyOf(line: string): string | undefined {
  return /^\s*([\w-]+)\s*:(?:\s|$)/.exec(line)?.[1];
}

function isEmpty(line: string): boolean {
  return /^\s*(#|$)/.test(line);
}
