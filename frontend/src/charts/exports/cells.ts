import type { Unit } from "~/api/types";
import { formatNumber, formatQuantity } from "~/quantities/format";
import type { ChartTable } from "../types";

/** A table's cell as people read it: with its unit, "" for nothing. */
export function cellText(value: string | number | null, unit?: Unit): string {
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
