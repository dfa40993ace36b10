import { LIGHT, resolveColors } from "../palette";
import { textWidth } from "../text_width";

/** A picture of its own: what is drawn, and how large. */
export interface Drawing {
  width: number;
  height: number;
  markup: string;
}

export interface LegendDrawing extends Drawing {
  label: string;
}

export interface Composition extends Drawing {}

const FONT =
  "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans CJK SC', sans-serif";
const EDGE = 16;
const LINE = 22;
/** The size of the legend below the drawings. */
const NOTE = 11;

/**
 * One file that needs nothing else: title, legend, drawings and notes below each other on white,
 * all colours and the font written out.
 */
export function composeSvg(
  title: string,
  legend: readonly LegendDrawing[],
  drawings: readonly Drawing[],
  notes: readonly string[] = [],
): Composition {
  const width = Math.max(320, ...drawings.map((one) => one.width)) + 2 * EDGE;
  const parts: string[] = [];
  let top = EDGE + 16;
  for (const text of wrapped(title, width - 2 * EDGE, 16)) {
    parts.push(
      `<text x="${EDGE}" y="${top}" font-size="16" font-weight="600">${escaped(text)}</text>`,
    );
    top += LINE;
  }
  let left = EDGE;
  for (const entry of legend) {
    const needed = entry.width + 6 + textWidth(entry.label, 12) + 16;
    if (left > EDGE && left + needed > width - EDGE) {
      left = EDGE;
      top += LINE;
    }
    parts.push(placed(entry, left, top - entry.height / 2 - 4));
    parts.push(
      `<text x="${left + entry.width + 6}" y="${top}" font-size="12">${escaped(entry.label)}</text>`,
    );
    left += needed;
  }
  if (legend.length > 0) top += LINE;
  for (const drawing of drawings) {
    parts.push(placed(drawing, EDGE, top - 8));
    top += drawing.height + 8;
  }
  for (const text of notes.flatMap((note) => wrapped(note, width - 2 * EDGE, NOTE))) {
    if (text === "") continue;
    top += NOTE + 5;
    parts.push(`<text x="${EDGE}" y="${top - 8}" font-size="${NOTE}">${escaped(text)}</text>`);
  }
  const height = Math.ceil(top + EDGE - 8);
  const markup = resolveColors(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
      `viewBox="0 0 ${width} ${height}" font-family="${FONT}" fill="var(--chart-text)">` +
      `<title>${escaped(title)}</title>` +
      `<rect width="${width}" height="${height}" fill="var(--chart-ground)"/>${parts.join("")}</svg>`,
    LIGHT,
  );
  return { width, height, markup };
}

function placed(drawing: Drawing, x: number, y: number): string {
  return `<g transform="translate(${x} ${y})">${drawing.markup}</g>`;
}

function wrapped(text: string, width: number, size: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/(?<=[ \u2e80-\uffff])/)) {
    if (line !== "" && textWidth(line + word, size) > width) {
      lines.push(line.trimEnd());
      line = "";
    }
    line += word;
    // A link has no place to break at.
    while (textWidth(line, size) > width) {
      const most = Math.max(1, Math.floor(width / (size * 0.58)));
      lines.push(line.slice(0, most));
      line = line.slice(most);
    }
  }
  return [...lines, line];
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
