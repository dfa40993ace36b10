import type { RecognisedOutput } from "~/queries/imports";
import type { Placed } from "./placing";

/** A part of the paste below a title of its own, `=== name ===`. */
export interface Section {
  name: string;
  /** The line of its title; lines count from 1. */
  line: number;
}

const TITLE = /^={3,40} ?([^=|]{1,150}?) ?={3,40}:?\s*$/;
/** As long as the API takes a variant. */
const LONGEST_VARIANT = 60;

/** The titles in a text. */
export function sectionsOf(text: string): Section[] {
  return text.split("\n").flatMap((line, index) => {
    const name = TITLE.exec(line)?.[1]?.trim();
    return name ? [{ name, line: index + 1 }] : [];
  });
}

/** The paste with another text below; each is under a title of its own then. */
export function withText(text: string, name: string, added: string, first: string): string {
  const below = `${title(name)}\n${added.replace(/\s+$/, "")}\n`;
  if (text.trim() === "") return below;
  const untitled = sectionsOf(text).length === 0;
  return `${untitled ? `${title(first)}\n` : ""}${text.trimEnd()}\n\n${below}`;
}

function title(name: string): string {
  return `=== ${titleOf(name)} ===`;
}

/** A name that a title can have: without what would end it. */
function titleOf(name: string): string {
  const plain = name.replace(/[=|\s]+/g, " ").trim();
  return plain.length > LONGEST_VARIANT ? `…${plain.slice(1 - LONGEST_VARIANT)}` : plain || "text";
}

/** A name for the next text that is none of the others', of which one without a title is the first. */
export function nextName(text: string, word: (number: number) => string): string {
  const titled = sectionsOf(text).map(({ name }) => name);
  const taken = new Set(titled.length === 0 && text.trim() !== "" ? [word(1)] : titled);
  let number = taken.size + 1;
  while (taken.has(word(number))) number += 1;
  return word(number);
}

/** The variant that each output is of by the title above it; none unless several have outputs. */
export function variantsByTitle(text: string, outputs: readonly RecognisedOutput[]): Placed {
  const sections = sectionsOf(text);
  const named = outputs.flatMap((one) => {
    const section = sections.findLast(({ line }) => line < one.first_line);
    return section && !("variant" in one.told) ? [[one.output, section.name] as const] : [];
  });
  if (new Set(named.map(([, name]) => name)).size < 2) return {};
  return Object.fromEntries(
    named.map(([output, name]) => [output, { variant: name.slice(0, LONGEST_VARIANT) }]),
  );
}

/** What was written, over what the titles say. */
export function overTitles(byTitle: Placed, written: Placed): Placed {
  const outputs = new Set([...Object.keys(byTitle), ...Object.keys(written)].map(Number));
  return Object.fromEntries(
    [...outputs].map((output) => [output, { ...byTitle[output], ...written[output] }]),
  );
}
