import type { Unit } from "~/api/types";
import type { ChartTable, TimeSeries } from "./types";

/** Series of one unit share a chart; others get one of their own below it. */
export function byUnit<One extends TimeSeries>(series: readonly One[]): [Unit, One[]][] {
  const found = new Map<Unit, One[]>();
  for (const one of series) found.set(one.unit, [...(found.get(one.unit) ?? []), one]);
  return [...found];
}

/** The seconds that any of the series covers. */
export function extentOf(series: readonly TimeSeries[]): [number, number] {
  const starts = series.flatMap(({ offsets }) => offsets.slice(0, 1));
  const ends = series.flatMap(({ offsets }) => offsets.slice(-1));
  return starts.length === 0 ? [0, 1] : [Math.min(...starts), Math.max(...ends)];
}

/** The table twin: every point of every series, by time. */
export function seriesTable(series: readonly TimeSeries[], secondLabel: string): ChartTable {
  const rows = new Map<number, (number | null)[]>();
  series.forEach(({ offsets, values }, place) => {
    offsets.forEach((offset, index) => {
      const row = rows.get(offset) ?? [offset, ...series.map(() => null)];
      row[place + 1] = values[index] ?? null;
      rows.set(offset, row);
    });
  });
  return {
    columns: [
      { label: secondLabel, unit: "s" },
      ...series.map(({ label, unit }) => ({ label, unit })),
    ],
    rows: [...rows].toSorted(([one], [other]) => one - other).map(([, row]) => row),
  };
}
