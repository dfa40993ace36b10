import type { Unit } from "~/api/types";
import { formatNumber, formatQuantity, scaleOf, writeFigure } from "~/quantities/format";
import type { ChartTable } from "../types";

/** A table's row as people read it: figures with the digits that their intervals support. */
export function rowTexts({ columns, figure }: ChartTable, cells: ChartTable["rows"][number]) {
  const texts = columns.map(({ unit }, column) => cellText(cells[column] ?? null, unit));
  if (figure === undefined) return texts;
  const value = cells[figure.value];
  const unit = columns[figure.value]?.unit;
  if (typeof value !== "number" || unit === undefined) {
    texts[figure.value] = String(cells[figure.state] ?? "");
    return texts;
  }
  const scale = scaleOf(value, unit);
  const known = { value, low: number(cells[figure.low]), high: number(cells[figure.high]) };
  const written = writeFigure(known, unit, { scale });
  const withUnit = (text: string | null) =>
    text === null || scale.symbol === "" ? (text ?? "") : `${text}\u202f${scale.symbol}`;
  texts[figure.value] = written.value;
  texts[figure.low] = withUnit(written.low);
  texts[figure.high] = withUnit(written.high);
  return texts;
}

const number = (cell: string | number | null | undefined) =>
  typeof cell === "number" ? cell : null;

/** A table's cell as people read it: with its unit, "" for nothing. */
function cellText(value: string | number | null, unit?: Unit): string {
  if (value === null) return "";
  if (typeof value === "string") return value;
  return unit === undefined ? formatNumber(value, true) : formatQuantity(value, unit);
}

/** "Throughput (bit/s)": the base unit is named where numbers are written bare. */
export function bareHeading(column: ChartTable["columns"][number]): string {
  return column.unit === undefined || column.unit === "count"
    ? column.label
    : `${column.label} (${column.unit})`;
}
