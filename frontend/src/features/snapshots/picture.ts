import type { Schemas } from "~/api/types";

/** As link previews want it, in pixels. */
export const SIZE = { width: 1200, height: 630 } as const;
const MARGIN = 64;
const LEADING = 1.25;
const INK = "#1a1b1e";
const QUIET = "#495057";
const BRAND = "#1864ab";
const CAVEAT = "#c75000";
const FAMILY = "system-ui, sans-serif";

/** The texts of a picture: the user's title, and Podmeter's answer. */
export interface Words {
  title: string;
  sentences: string[];
  caveats: string[];
  foot: string;
}

export interface Line {
  text: string;
  size: number;
  color: string;
  /** Where the line's top is. */
  y: number;
}

/** How wide a text is in a font of this size. */
export type Measure = (text: string, size: number) => number;

/** What is said of a link's subject; of an experiment and a cluster by its latest run. */
export function headlineOf(content: Schemas["SnapshotContent"]): Schemas["Headline"] | null {
  const { summary, run, comparison, experiment, cluster } = content;
  const own = summary ?? (run ?? comparison)?.headline;
  if (own) return own;
  const runs = (experiment ?? cluster)?.runs ?? [];
  return runs.find(({ headline }) => headline)?.headline ?? null;
}

/** The lines of a picture: the first sentence as large as it fits, the rest while there is room. */
export function layout({ title, sentences, caveats, foot }: Words, measure: Measure): Line[] {
  const bottom = SIZE.height - MARGIN;
  const lines: Line[] = [{ text: foot, size: 26, color: QUIET, y: bottom - 26 }];
  let y = MARGIN - 8;
  const write = (text: string, size: number, color: string, most: number) => {
    for (const line of clipped(wrapped(text, size, measure), most)) {
      lines.push({ text: line, size, color, y });
      y += size * LEADING;
    }
  };
  const height = (text: string, size: number) =>
    wrapped(text, size, measure).length * size * LEADING;
  const limit = bottom - 56;
  write(title, 32, QUIET, 1);
  const [first = "", ...rest] = sentences;
  const large = [60, 50, 42].find((size) => height(first, size) < (limit - y) * 0.6) ?? 34;
  y += 22;
  write(first, large, INK, 5);
  y += 14;
  const more = [
    ...rest.map((text) => ({ text, color: INK })),
    ...caveats.map((text) => ({ text, color: CAVEAT })),
  ];
  for (const { text, color } of more) {
    if (y + height(text, 28) > limit) continue;
    write(text, 28, color, 3);
    y += 8;
  }
  return lines;
}

/** A PNG of the words, in base64. */
export function drawPicture(words: Words): string {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, SIZE);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("this browser draws on no canvas");
  const measure: Measure = (text, size) => {
    context.font = `${size}px ${FAMILY}`;
    return context.measureText(text).width;
  };
  const lines = layout(words, measure);
  context.fillStyle = "#ffffff";
  context.fillRect(0, 0, SIZE.width, SIZE.height);
  context.fillStyle = BRAND;
  context.fillRect(0, 0, 16, SIZE.height);
  context.textBaseline = "top";
  for (const { text, size, color, y } of lines) {
    context.font = `${size}px ${FAMILY}`;
    context.fillStyle = color;
    context.fillText(text, MARGIN, y);
  }
  return canvas.toDataURL("image/png").split(",")[1] ?? "";
}

/** Lines that fit; Chinese breaks between any two characters, a long name where it must. */
function wrapped(text: string, size: number, measure: Measure): string[] {
  const lines = [""];
  for (const part of breakable(text)) {
    const longer = `${lines.at(-1)}${part}`;
    if (measure(longer.trimEnd(), size) <= SIZE.width - 2 * MARGIN)
      lines[lines.length - 1] = longer;
    else lines.push(part.trimStart());
  }
  return lines.map((line) => line.trimEnd()).filter(Boolean);
}

function breakable(text: string): string[] {
  const plain = text.split(/\s+/).filter(Boolean).join(" ");
  const parts = plain.match(/[\u2e80-\uffef][，。；：、）]?|[^\s\u2e80-\uffef]+\s*|\s+/g) ?? [];
  return parts.flatMap((part) => part.match(/.{1,16}/gsu) ?? []);
}

function clipped(lines: string[], most: number): string[] {
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), `${(lines[most - 1] ?? "").slice(0, -3).trimEnd()}…`];
}
