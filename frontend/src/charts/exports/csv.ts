import type { ChartTable } from "../types";
import { bareHeading } from "./cells";

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
/** What a spreadsheet takes for a formula, or splits off before it does. */
const FORMULA = /^(\s*[=+\-@＝＋－＠|%]|[\t\r\n])/;
/** The same behind what separates cells in other spreadsheets, whose quotes do not keep them. */
const INSIDE = /([;\t\r\n])(?=(?:[^\S\t\r\n]|")*[=+\-@＝＋－＠|%])/g;

/** Comma-separated values after RFC 4180, numbers bare in their base unit, no formula alive. */
export function toCsv(table: ChartTable): string {
  const lines = [table.columns.map(bareHeading), ...table.rows];
  return lines.map((cells) => `${cells.map(cell).join(",")}\r\n`).join("");
}

function cell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const inside = value.replace(INSIDE, "$1'");
  const safe = FORMULA.test(value) && !NUMBER.test(value) ? `'${inside}` : inside;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
