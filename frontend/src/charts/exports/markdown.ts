import type { ChartTable } from "../types";
import { rowTexts } from "./cells";

/** A table for an issue or a page of a wiki: quantities as people read them. */
export function toMarkdown(title: string, table: ChartTable): string {
  const numeric = table.columns.map((_, index) =>
    table.rows.every((cells) => typeof cells[index] !== "string"),
  );
  const line = (cells: string[]) => `| ${cells.join(" | ")} |\n`;
  return [
    `**${escaped(title)}**\n\n`,
    line(table.columns.map(({ label }) => escaped(label))),
    line(numeric.map((one) => (one ? "---:" : "---"))),
    ...table.rows.map((cells) => line(rowTexts(table, cells).map(escaped))),
  ].join("");
}

function escaped(text: string): string {
  return text.replace(/[\\`*_|<>[\]]/g, "\\$&").replace(/\s*\r?\n\s*/g, " ");
}
